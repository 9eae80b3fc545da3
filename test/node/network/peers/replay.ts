/**
 * Plays one side of a recording against a node of ours: what the others said is delivered when they said it, but not
 * before our node has said what the recorded node had said by then. What is compared is everything that our node says,
 * apart from its node id, times, and how transactions are grouped into messages.
 */

import {
	ApplicationType,
	applicationTypeName,
	decodeBlockChainInventory,
	decodeDisconnect,
	decodeInventory,
	decodeSyncBlockChain,
	encodeTransactions,
	HelloMessage,
	InventoryKind,
	reasonName,
	SignedBlock,
	SignedTransaction,
} from "../../../../src/node/network/wire/application-messages.js";
import { unwrap } from "../../../../src/node/network/wire/envelope.js";
import { FrameReader } from "../../../../src/node/network/wire/frames.js";
import { fromHex, toHex } from "../../../../src/protocol/bytes.js";
import { sha256 } from "../../../../src/protocol/hash.js";
import { Transactions } from "../../../../src/protocol/messages.js";
import type { SimulatedWorld } from "../../../simulation/world.js";
import { isFrame, type RecordedFrame, type RecordedLine } from "../recorded-frames.js";
import type { LinkEnd, LinkedNode } from "./linked-nodes.js";

const decodeTransactions = (payload: Uint8Array): readonly SignedTransaction[] =>
	Transactions.decode(payload).transactions.map((transaction) => new SignedTransaction(transaction));

/** How long our node may take for what the recorded one had said already. */
const PATIENCE_MS = 12_000;
const AFTERWARDS_MS = 1000;

interface Message {
	readonly type: number;
	readonly payload: Uint8Array;
}

export interface ReplayedConnection {
	readonly conn: string;
	readonly recorded: readonly string[];
	readonly ours: readonly string[];
}

/**
 * Plays a recording.
 * @param me the recorded node whose place ours takes
 * @param others recordings of the same time, which may have brought the node blocks
 */
export async function replay(
	recording: readonly RecordedLine[],
	me: string,
	node: LinkedNode,
	world: SimulatedWorld,
	others: readonly RecordedLine[] = [],
): Promise<readonly ReplayedConnection[]> {
	const startMs = world.now;
	const lines = named(recording, me);
	const links = new Map<string, LinkEnd>();
	const expected = new Map<string, string[]>();
	const blocks = new Map<string, SignedBlock>();
	const transactions = new Map<string, SignedTransaction>();
	for (const line of [...lines, ...others]) {
		if (!isFrame(line) || line.proto !== "tcp" || line.layer !== "application") continue;
		collect(messageOf(line), blocks, transactions);
	}
	const unitsOf = (conn: string): readonly string[] => {
		const link = links.get(conn);
		return node.sent.filter(({ to }) => to === link).flatMap(describe);
	};
	const isUpToDate = (conn: string): boolean => unitsOf(conn).length >= (expected.get(conn)?.length ?? 0);
	for (const conn of openFromTheStart(lines, me)) {
		const link = node.connect(`10.0.9.${links.size}`, true);
		greetAsEqual(node, link);
		links.set(conn, link);
		expected.set(conn, []);
	}
	for (const line of lines) {
		if (!("ms" in line) || (!isFrame(line) && line.t !== "event")) continue;
		if (startMs + line.ms > world.now) await world.advance(startMs + line.ms - world.now);
		const conn = String(line.conn);
		if (!isFrame(line)) {
			if ((line.event === "close" || line.event === "fin") && line.by !== me) {
				await world.until(() => isUpToDate(conn), PATIENCE_MS);
				links.get(conn)?.close();
			}
			continue;
		}
		if (line.proto !== "tcp") continue;
		if (line.layer === "transport") {
			if (line.name === "DISCONNECT") links.get(conn)?.close();
			continue;
		}
		if (!links.has(conn)) {
			const dialer = lines.find(
				(each) => !isFrame(each) && each.t === "event" && String(each.conn) === conn && each.event === "open",
			) as { by?: string; ip?: string } | undefined;
			const greeting = lines.find(
				(each): each is RecordedFrame =>
					isFrame(each) && String(each.conn) === conn && each.from === me && each.name === "P2P_HELLO",
			);
			if (greeting) pushMissed(node, messageOf(greeting), blocks);
			links.set(conn, node.connect(dialer?.ip ?? `10.0.9.${links.size}`, dialer?.by === me));
			expected.set(conn, []);
		}
		const message = messageOf(line);
		if (line.from === me) {
			expected.get(conn)?.push(...describe(message));
			actAsRecorded(node, message, blocks, transactions);
			continue;
		}
		if (message.type === ApplicationType.TXS && transactionsOf(message).length > 1) {
			await deliverAsAsked(world, links.get(conn) as LinkEnd, message, () => unitsOf(conn));
		} else {
			await world.until(() => isUpToDate(conn), PATIENCE_MS);
			links.get(conn)?.deliver(message.type, message.payload);
		}
		await world.advance(0);
	}
	await world.until(() => [...links.keys()].every(isUpToDate), PATIENCE_MS);
	await world.advance(AFTERWARDS_MS);
	return [...links.keys()].map((conn) => ({
		conn,
		recorded: inRuns(expected.get(conn) ?? []),
		ours: inRuns(unitsOf(conn)),
	}));
}

/** How announced transactions are asked for and delivered together is chance: ours gets what it has asked for. */
async function deliverAsAsked(
	world: SimulatedWorld,
	link: LinkEnd,
	message: Message,
	units: () => readonly string[],
): Promise<void> {
	for (let waiting = transactionsOf(message); waiting.length > 0; ) {
		const isAsked = ({ idHex }: SignedTransaction) => units().includes(`FETCH_INV_DATA 0 ${idHex}`);
		if (!(await world.until(() => waiting.some(isAsked), PATIENCE_MS))) return;
		link.deliver(message.type, encodeTransactions(waiting.filter(isAsked)));
		waiting = waiting.filter((each) => !isAsked(each));
	}
}

function transactionsOf({ payload }: Message): readonly SignedTransaction[] {
	try {
		return decodeTransactions(payload);
	} catch {
		return [];
	}
}

function messageOf({ hex, compression }: RecordedFrame): Message {
	const reader = new FrameReader();
	reader.push(fromHex(hex));
	const body = reader.next() as Uint8Array;
	const plain = compression === "none" || compression === "snappy" ? unwrap(body) : body;
	return { type: plain[0] as number, payload: plain.subarray(1) };
}

function collect(
	{ type, payload }: Message,
	blocks: Map<string, SignedBlock>,
	transactions: Map<string, SignedTransaction>,
): void {
	try {
		if (type === ApplicationType.BLOCK) {
			const block = SignedBlock.decode(payload);
			blocks.set(block.idHex, block);
		} else if (type === ApplicationType.TXS) {
			for (const each of decodeTransactions(payload)) transactions.set(each.idHex, each);
		}
	} catch {
		// A probe's garbage is not a block.
	}
}

/** The lines that concern a node; each connection gets a name of its own, also where a later one has the same. */
function named(lines: readonly RecordedLine[], me: string): readonly RecordedLine[] {
	const counts = new Map<string, number>();
	return lines.flatMap((line): readonly RecordedLine[] => {
		if (!("conn" in line) || line.conn === undefined) return [line];
		const conn = String(line.conn);
		if (/^[A-D]{2}$/.test(conn) && !conn.includes(me)) return [];
		if (!isFrame(line) && line.event === "open") counts.set(conn, (counts.get(conn) ?? 0) + 1);
		return [{ ...line, conn: `${conn}/${counts.get(conn) ?? 0}` }];
	});
}

/** Connections on which the node says something but not HELLO: they were there before. */
function openFromTheStart(lines: readonly RecordedLine[], me: string): readonly string[] {
	const own = lines.filter(
		(line): line is RecordedFrame => isFrame(line) && line.layer === "application" && line.from === me,
	);
	const greeted = new Set(own.filter(({ name }) => name === "P2P_HELLO").map(({ conn }) => String(conn)));
	return [...new Set(own.map(({ conn }) => String(conn)))].filter((conn) => !greeted.has(conn));
}

/** The recording begins on a connection that both sides had synchronised over. */
function greetAsEqual(node: LinkedNode, link: LinkEnd): void {
	const hello = node.sent.pop();
	if (hello) link.deliver(hello.type, hello.payload);
}

/** Before it said HELLO, the recorded node had got or made a block that this recording doesn't show. */
function pushMissed(node: LinkedNode, { payload }: Message, blocks: ReadonlyMap<string, SignedBlock>): void {
	const block = blocks.get(toHex(HelloMessage.decode(payload).headBlockId?.hash ?? new Uint8Array()));
	if (block && block.idHex !== node.head) node.chain.push(block);
}

/** What the recorded node announced of its own accord: it had made a block, or a client had sent a transaction. */
function actAsRecorded(
	node: LinkedNode,
	{ type, payload }: Message,
	blocks: ReadonlyMap<string, SignedBlock>,
	transactions: ReadonlyMap<string, SignedTransaction>,
): void {
	if (type !== ApplicationType.INVENTORY) return;
	const { kind, ids } = decodeInventory(payload);
	const { advertisement } = node.application;
	for (const id of ids) {
		const block = blocks.get(toHex(id));
		if (kind === InventoryKind.BLOCK && block && !node.hasReceived(id)) {
			advertisement.broadcastBlock(block);
			node.chain.push(block);
		}
		const transaction = transactions.get(toHex(id));
		if (kind !== InventoryKind.TX || !transaction || node.hasReceived(id)) continue;
		node.chain.submit(transaction.withResults([]));
		advertisement.announceOwn(transaction.withResults([]));
	}
}

/** What a message says, item by item. */
function describe({ type, payload }: Message): readonly string[] {
	const name = applicationTypeName(type);
	switch (type) {
		case ApplicationType.P2P_HELLO: {
			const { version, genesisBlockId, solidBlockId, headBlockId, ...rest } = HelloMessage.decode(payload);
			const { address, signature, nodeType, lowestBlockNum, codeVersion } = rest;
			const ids = [genesisBlockId, solidBlockId, headBlockId].map(
				(id) => `${id?.number} ${toHex(id?.hash ?? new Uint8Array())}`,
			);
			return [
				`${name} ${version} ${ids.join(" ")} ${toHex(address)} ${toHex(signature)} ${nodeType} ${lowestBlockNum} ${toHex(codeVersion)}`,
			];
		}
		case ApplicationType.SYNC_BLOCK_CHAIN:
			return [
				`${name} ${decodeSyncBlockChain(payload)
					.map(({ id }) => toHex(id))
					.join(" ")}`,
			];
		case ApplicationType.BLOCK_CHAIN_INVENTORY: {
			const { ids, remain } = decodeBlockChainInventory(payload);
			return [`${name} ${remain} ${ids.map(({ id }) => toHex(id)).join(" ")}`];
		}
		case ApplicationType.INVENTORY:
		case ApplicationType.FETCH_INV_DATA: {
			const { kind, ids } = decodeInventory(payload);
			return ids.map((id) => `${name} ${kind} ${toHex(id)}`);
		}
		case ApplicationType.TXS:
			return decodeTransactions(payload).map(({ bytes }) => `${name} ${toHex(bytes)}`);
		case ApplicationType.BLOCK:
			return [`${name} ${SignedBlock.decode(payload).number} ${toHex(sha256(payload))}`];
		case ApplicationType.P2P_DISCONNECT:
			return [`${name} ${reasonName(decodeDisconnect(payload))}`];
		default:
			return [`${name} ${toHex(payload)}`];
	}
}

/** Neighbours of one kind in the order of their text: how they are grouped and ordered is chance. */
function inRuns(units: readonly string[]): readonly string[] {
	const kindOf = (unit: string): string => unit.split(" ", 2).join(" ");
	const runs: string[][] = [];
	for (const unit of units) {
		const run = runs.at(-1);
		const isItem = /^(INVENTORY|FETCH_INV_DATA|TXS) /.test(unit);
		const isSame = run?.[0] !== undefined && kindOf(run[0]).split(" ")[0] === kindOf(unit).split(" ")[0];
		if (run && isItem && isSame) run.push(unit);
		else runs.push([unit]);
	}
	return runs.flatMap((run) => run.sort());
}
