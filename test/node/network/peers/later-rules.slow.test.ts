/** What releases 4.8.1 and 4.8.2 hold against peers, and 4.8.0 doesn't (protocol/peers §§5.2, 7.1, 7.4, 8). */

import { beforeAll, describe, expect, it } from "vitest";
import { RateGate } from "../../../../src/node/network/peers/peer.js";
import type { PeerSettings } from "../../../../src/node/network/peers/peer-world.js";
import {
	ApplicationType,
	decodeDisconnect,
	encodeInventory,
	encodeSyncBlockChain,
	encodeTransactions,
	HelloMessage,
	helloBlockId,
	InventoryKind,
	Reason,
	reasonName,
} from "../../../../src/node/network/wire/application-messages.js";
import { OversizeMessage } from "../../../../src/node/network/wire/message-kinds.js";
import type { Release } from "../../../../src/node/rules/release.js";
import { installRecoverEngine } from "../../../../src/node/signatures/engine.js";
import { SignedBlock } from "../../../../src/protocol/block.js";
import { fromHex, toHex } from "../../../../src/protocol/bytes.js";
import { Inventory, Transaction } from "../../../../src/protocol/messages.js";
import { SignedTransaction } from "../../../../src/protocol/transaction.js";
import { SimulatedWorld } from "../../../simulation/world.js";
import { openSmall, produceMany, smallConfig, transfer, users } from "../../chain/small-chain.js";
import { type LinkEnd, LinkedNode } from "./linked-nodes.js";

beforeAll(async () => {
	installRecoverEngine();
});

interface Visited {
	readonly world: SimulatedWorld;
	readonly node: LinkedNode;
	readonly link: LinkEnd;
	/** Delivers a message of the visitor's, and tells what the node says to it. */
	say(type: number, payload: Uint8Array): readonly string[];
}

/** A node of thirty blocks with a visitor that is at the same head. */
async function visited(release: Release, settings: Partial<PeerSettings> = {}): Promise<Visited> {
	const open = await openSmall({ config: smallConfig("", `node.release = "${release}"`) });
	produceMany(open, 30);
	const world = new SimulatedWorld({ startMs: Number(open.chain.head.timestampMs) + 1000 });
	const node = new LinkedNode(world, "10.0.0.1", open, { settings: { release, ...settings } });
	const link = node.connect("10.0.0.9", false);
	const say = (type: number, payload: Uint8Array): readonly string[] => {
		const before = node.sent.length;
		link.deliver(type, payload);
		return node.sent.slice(before).map((sent) => {
			if (sent.type === ApplicationType.P2P_DISCONNECT) return reasonName(decodeDisconnect(sent.payload));
			return sent.type === ApplicationType.BLOCK ? "BLOCK" : String(sent.type);
		});
	};
	return { world, node, link, say };
}

const hello = ({ node }: Visited, change: Partial<HelloMessage> = {}): Uint8Array => {
	const { chain } = node;
	return HelloMessage.encode(
		HelloMessage.create({
			version: node.application.world.settings.networkId,
			genesisBlockId: helloBlockId(chain.genesis),
			solidBlockId: helloBlockId(chain.solid),
			headBlockId: helloBlockId(chain.head),
			...change,
		}),
	);
};

/** A visitor with which everything is in sync. */
async function synced(release: Release, settings: Partial<PeerSettings> = {}): Promise<Visited> {
	const visit = await visited(release, settings);
	expect(visit.say(ApplicationType.P2P_HELLO, hello(visit))).toEqual([]);
	expect(visit.node.application.world.synced).toHaveLength(1);
	return visit;
}

const peerOf = ({ node }: Visited) => {
	const [peer] = node.application.world.peers;
	if (!peer) throw new Error("the peer is gone");
	return peer;
};

describe("a HELLO", () => {
	it.each<[string, Release, Uint8Array | undefined, string]>([
		["without a head", "4.8.0", undefined, "UNEXPECTED_IDENTITY"],
		["without a head", "4.8.1", undefined, "INCOMPATIBLE_PROTOCOL"],
		["with a head of 31 bytes", "4.8.0", new Uint8Array(31), "UNKNOWN"],
		["with a head of 31 bytes", "4.8.1", new Uint8Array(31), "INCOMPATIBLE_PROTOCOL"],
	])("%s ends at release %s", async (_what, release, hash, reason) => {
		const visit = await visited(release);
		const headBlockId = hash && { hash, number: 5n };
		expect(
			visit.say(ApplicationType.P2P_HELLO, hello(visit, { headBlockId } as Partial<HelloMessage>)),
		).toEqual([reason]);
	});

	it.each<[string, Release, NonNullable<PeerSettings["network"]>, string]>([
		["release 4.8.0", "4.8.0", "main", "UNEXPECTED_IDENTITY"],
		["release 4.8.1", "4.8.1", "main", "INCOMPATIBLE_PROTOCOL"],
		["Nile", "4.8.2", "nile", "BAD_PROTOCOL"],
	])(
		"too long to be looked at ends at %s as one that is not valid",
		async (_where, release, network, reason) => {
			const { node, link } = await visited(release, { network });
			node.application.oversized(
				link,
				new OversizeMessage(ApplicationType.P2P_HELLO, Reason.UNKNOWN, 40_000),
			);
			expect(reasonName(decodeDisconnect(node.sent.at(-1)?.payload as Uint8Array))).toBe(reason);
		},
	);

	it.each<[Release, string]>([
		["4.8.0", "FORKED"],
		["4.8.1", "LIGHT_NODE_SYNC_FAIL"],
	])("with a solidified block below all that this node has ends at release %s", async (release, reason) => {
		const visit = await visited(release);
		Object.defineProperty(visit.node.chain, "lowestNumber", { get: () => 10n });
		const solidBlockId = helloBlockId({ id: new Uint8Array(32).fill(1), number: 5n });
		expect(visit.say(ApplicationType.P2P_HELLO, hello(visit, { solidBlockId }))).toEqual([reason]);
	});
});

describe("an announcement", () => {
	const id = Buffer.alloc(32, 7);

	it.each<[Release, readonly string[]]>([
		["4.8.1", []],
		["4.8.2", ["BAD_PROTOCOL"]],
	])("of an item twice, or of an unknown kind, at release %s: %j", async (release, said) => {
		const twice = encodeInventory(InventoryKind.TX, [id, id]);
		expect((await synced(release)).say(ApplicationType.INVENTORY, twice)).toEqual(said);
		const unknown = Inventory.encode(Inventory.create({ type: 5, ids: [id] }));
		expect((await synced(release)).say(ApplicationType.INVENTORY, unknown)).toEqual(said);
	});

	it.each<[Release, number, boolean]>([
		["4.8.1", 21, true],
		["4.8.2", 20, true],
		["4.8.2", 21, false],
	])(
		"at release %s of %i transactions where twenty are the limit: looked at is %s",
		async (release, count, taken) => {
			const visit = await synced(release, { maxTransactionsPerSecond: 2 });
			const ids = Array.from({ length: count }, (_, i) => Buffer.alloc(32, i + 1));
			visit.say(ApplicationType.INVENTORY, encodeInventory(InventoryKind.TX, ids));
			await visit.world.advance(40);
			expect(peerOf(visit).asked.size > 0).toBe(taken);
		},
	);

	it.each<[Release, number, boolean]>([
		["4.8.1", 0, true],
		["4.8.2", 0, false],
		["4.8.2", 1, true],
	])(
		"at release %s of a block %i above the head keeps its peer from seeming idle: %s",
		async (release, above, isOfUse) => {
			const visit = await synced(release);
			const peer = peerOf(visit);
			await visit.world.advance(5000);
			const before = peer.lastInteractiveMs;
			const blockId = Buffer.alloc(32, 3);
			blockId.writeBigUInt64BE(visit.node.chain.head.number + BigInt(above));
			visit.say(ApplicationType.INVENTORY, encodeInventory(InventoryKind.BLOCK, [blockId]));
			expect(peer.lastInteractiveMs > before).toBe(isOfUse);
		},
	);
});

describe("what was announced", () => {
	it.each<[Release, readonly string[]]>([
		["4.8.0", ["BLOCK"]],
		["4.8.1", ["BAD_PROTOCOL"]],
	])("is given once; asked for again at release %s: %j", async (release, again) => {
		const visit = await synced(release);
		const { head } = visit.node.open.chain;
		visit.node.application.advertisement.broadcastBlock(head);
		const fetch = encodeInventory(InventoryKind.BLOCK, [head.id]);
		expect(visit.say(ApplicationType.FETCH_INV_DATA, fetch)).toEqual(["BLOCK"]);
		expect(visit.say(ApplicationType.FETCH_INV_DATA, fetch)).toEqual(again);
	});

	it("ends the connection if it is asked for twice in one message", async () => {
		const visit = await synced("4.8.2");
		const { head } = visit.node.open.chain;
		visit.node.application.advertisement.broadcastBlock(head);
		const fetch = encodeInventory(InventoryKind.BLOCK, [head.id, head.id]);
		expect(visit.say(ApplicationType.FETCH_INV_DATA, fetch)).toEqual(["BAD_PROTOCOL"]);
	});
});

describe("a summary", () => {
	const summaryOf = (visit: Visited, count: number): Uint8Array =>
		encodeSyncBlockChain(Array.from({ length: count }, () => visit.node.chain.genesis));
	const list = String(ApplicationType.BLOCK_CHAIN_INVENTORY);

	it.each<[Release, number, readonly string[]]>([
		["4.8.1", 31, [list]],
		["4.8.2", 30, [list]],
		["4.8.2", 31, ["BAD_PROTOCOL"]],
	])("at release %s of %i ids: %j", async (release, count, said) => {
		const visit = await visited(release);
		expect(visit.say(ApplicationType.SYNC_BLOCK_CHAIN, summaryOf(visit, count))).toEqual(said);
	});

	it("beyond three a second is dropped while blocks remain, and answered where none do", async () => {
		const visit = await visited("4.8.1");
		const peer = peerOf(visit);
		const { genesis, head } = visit.node.chain;
		const summary = encodeSyncBlockChain([genesis, head]);
		const ask = (): readonly string[] => visit.say(ApplicationType.SYNC_BLOCK_CHAIN, summary);
		const answers = Array.from({ length: 4 }, ask);
		expect(answers).toEqual([[list], [list], [list], [list]]);
		const hurried = Array.from({ length: 5 }, () => {
			peer.remainForPeer = 100n;
			return ask().length;
		});
		// What it saved up since the connection, here nothing, and one.
		expect(hurried).toEqual([1, 0, 0, 0, 0]);
		peer.remainForPeer = 100n;
		await visit.world.advance(340);
		expect(ask()).toEqual([list]);
	});
});

describe("a question for blocks of a list", () => {
	const fetchOf = (ids: readonly Uint8Array[]): Uint8Array => encodeInventory(InventoryKind.BLOCK, ids);

	async function listed(release: Release, settings: Partial<PeerSettings> = {}): Promise<Visited> {
		const visit = await visited(release, settings);
		visit.say(ApplicationType.SYNC_BLOCK_CHAIN, encodeSyncBlockChain([visit.node.chain.genesis]));
		return visit;
	}
	const idAt = (visit: Visited, number: bigint): Uint8Array => visit.node.chain.idAt(number) as Uint8Array;

	it.each<[Release, readonly string[]]>([
		["4.8.0", ["BLOCK"]],
		["4.8.1", ["BAD_PROTOCOL"]],
	])("too soon after others at release %s: %j", async (release, said) => {
		const visit = await listed(release);
		expect(visit.say(ApplicationType.FETCH_INV_DATA, fetchOf([idAt(visit, 1n)]))).toEqual(["BLOCK"]);
		expect(visit.say(ApplicationType.FETCH_INV_DATA, fetchOf([idAt(visit, 2n)]))).toEqual(said);
	});

	it("in its time is answered", async () => {
		const visit = await listed("4.8.2");
		for (let number = 1n; number <= 5n; number++) {
			expect(visit.say(ApplicationType.FETCH_INV_DATA, fetchOf([idAt(visit, number)]))).toEqual(["BLOCK"]);
			await visit.world.advance(340);
		}
	});

	it.each<[string, (visit: Visited) => readonly Uint8Array[]]>([
		["more than a hundred", () => Array.from({ length: 101 }, (_, i) => Buffer.alloc(32, i))],
		["below what the list reaches", (visit) => [idAt(visit, 9n)]],
		["above its end", () => [Buffer.from(`${"0".repeat(14)}1f${"00".repeat(24)}`, "hex")]],
	])("of %s ends the connection", async (_what, ids) => {
		// The list ends at block 30; twice the batch below it is block 10.
		const visit = await listed("4.8.2", { syncFetchBatch: 10 });
		expect(visit.say(ApplicationType.FETCH_INV_DATA, fetchOf(ids(visit)))).toEqual(["BAD_PROTOCOL"]);
	});

	it("already served ends the connection", async () => {
		const visit = await listed("4.8.2");
		expect(visit.say(ApplicationType.FETCH_INV_DATA, fetchOf([idAt(visit, 4n)]))).toEqual(["BLOCK"]);
		await visit.world.advance(1000);
		expect(visit.say(ApplicationType.FETCH_INV_DATA, fetchOf([idAt(visit, 4n)]))).toEqual(["BAD_PROTOCOL"]);
	});
});

describe("delivered transactions", () => {
	async function delivering(
		release: Release,
		change: (sent: SignedTransaction) => readonly SignedTransaction[],
	): Promise<{
		readonly visit: Visited;
		readonly said: readonly string[];
		readonly sent: SignedTransaction;
	}> {
		const visit = await synced(release);
		const sent = transfer(visit.node.open, 0, users[1] as Uint8Array, 5n);
		visit.say(ApplicationType.INVENTORY, encodeInventory(InventoryKind.TX, [sent.id, Buffer.alloc(32, 1)]));
		await visit.world.advance(40);
		const said = visit.say(ApplicationType.TXS, encodeTransactions(change(sent)));
		await visit.world.advance(40);
		return { visit, said, sent };
	}
	const signedBy = ({ message }: SignedTransaction, length: number): SignedTransaction => {
		const first = message.signature[0] as Uint8Array;
		const signature = [Buffer.concat([first, Buffer.alloc(10)]).subarray(0, length)];
		return new SignedTransaction(Transaction.create({ ...message, signature }));
	};

	it.each<[Release, number, readonly string[]]>([
		["4.8.1", 69, []],
		["4.8.2", 68, []],
		["4.8.2", 69, ["BAD_TX"]],
		["4.8.2", 64, ["BAD_TX"]],
	])("at release %s with a signature of %i bytes: %j", async (release, length, expected) => {
		const { said } = await delivering(release, (sent) => [signedBy(sent, length)]);
		expect(said).toEqual(expected);
	});

	it("of which one comes twice end the connection", async () => {
		const { said } = await delivering("4.8.2", (sent) => [sent, sent]);
		expect(said).toEqual(["BAD_PROTOCOL"]);
	});

	it.each<[Release, boolean]>([
		["4.8.1", true],
		["4.8.2", false],
	])("keep unknown fields of their own at release %s: %s", async (release, isKept) => {
		const field = "f2bf0302abcd";
		const { visit, sent } = await delivering(release, (good) => [
			SignedTransaction.decode(fromHex(toHex(good.bytes) + field)),
		]);
		const pooled = visit.node.open.chain.pool.find(sent.idHex);
		expect(pooled && toHex(pooled.withResults([]).bytes)).toBe(toHex(sent.bytes) + (isKept ? field : ""));
	});
});

describe("a block", () => {
	it("loses unknown fields of its own and of its header, and nothing that is hashed", async () => {
		const { node } = await visited("4.8.2");
		const { head } = node.open.chain;
		const odd = SignedBlock.decode(fromHex(`${toHex(head.bytes)}f2bf0302abcd`));
		expect(odd.bytes.length).toBe(head.bytes.length + 6);
		expect(toHex(odd.withoutUnknownFields().bytes)).toBe(toHex(head.bytes));
		expect(odd.withoutUnknownFields().idHex).toBe(head.idHex);
		expect(head.withoutUnknownFields()).toBe(head);
	});
});

describe("a rate", () => {
	it("saves up permits of a second, and lends none", () => {
		let now = 0;
		const gate = new RateGate(3, () => now);
		const taken = (count: number): number =>
			Array.from({ length: count }, () => gate.tryTake()).filter(Boolean).length;
		expect(taken(5)).toBe(1);
		now = 333;
		expect(taken(5)).toBe(0);
		now = 334;
		expect(taken(5)).toBe(1);
		now = 60_000;
		expect(taken(9)).toBe(4);
	});
});
