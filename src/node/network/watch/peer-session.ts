/**
 * A watcher's session with one peer: handshake, the blocks after its last final one, then announced blocks.
 * Everything the peer sends is bounded in bytes, messages and time; a peer that exceeds a bound is dropped.
 */

import { equalBytes, toHex, toKey, utf8 } from "../../../protocol/bytes.js";
import { DecodeError } from "../../../protocol/codec/reader.js";
import { countField } from "../../../protocol/codec/scan.js";
import { Endpoint } from "../../../protocol/messages.js";
import { SLOT_MS } from "../../../protocol/timing.js";
import type { BlockRef } from "../local-chain.js";
import {
	Dialogue,
	dial,
	ownEndpoint,
	type PeerMessage,
	type PeerOptions,
	ProbeError,
	readApplicationHello,
	shakeHands,
} from "../peer-dialogue.js";
import { peerStatus } from "../peer-probe.js";
import {
	ApplicationType,
	BlockIdLengthError,
	decodeBlockChainInventory,
	decodeInventory,
	encodeInventory,
	encodeSyncBlockChain,
	HelloMessage,
	helloBlockId,
	INVENTORY_IDS_FIELD,
	InventoryKind,
	readBareBlockId,
} from "../wire/application-messages.js";
import { readBlockHeader } from "../wire/block-messages.js";
import { MAX_LIST_IDS } from "../wire/message-kinds.js";
import { withType } from "../wire/transport-messages.js";

/** Maximum blocks per request: two thirds of a round are 19. */
const MAX_BATCH = 100;
/** Peers refuse a fourth request of a kind within a second. */
const SPACING_MS = 340;
/** Time limit for all requested blocks; the largest have 2 MB. */
const BATCH_MS = 30_000;
/** A peer without a new block for this long is asked for a list again; if there is still nothing new, it is dropped. */
const STILL_MS = 10 * Number(SLOT_MS);
/** Per minute: a block has at most 2 MB, and there are 20; plus announced transactions. */
const MAX_BYTES_A_MINUTE = 96 << 20;
const MAX_MESSAGES_A_MINUTE = 60_000;
const COUNTED_MS = Number(20n * SLOT_MS);
/** Maximum remembered requested ids. */
const MAX_ASKED = 256;

/** Consumer of a session's blocks. */
interface BlockSink {
	/** Ids from which a peer finds what we lack; empty: everything but what is final. */
	readonly summary: readonly BlockRef[];
	has(id: Uint8Array): boolean;
	/** Time the peer has to show a verified head, from the first request; undefined: there is one already. */
	readonly untilVerifiedMs: number | undefined;
	/** To be awaited before a block is taken. */
	prepare(payload: Uint8Array): Promise<void> | undefined;
	/**
	 * Takes a block.
	 * @returns false: what lies before it isn't there
	 * @throws {ProbeError} where the peer is to blame
	 */
	take(payload: Uint8Array): boolean;
	/** The next blocks may follow anywhere after the last final one. */
	restart(): void;
}

interface SessionOptions extends PeerOptions {
	/** Undefined: the peer's is accepted, and shown. */
	readonly genesis: Uint8Array | undefined;
	/** A peer whose head is below this is of no use. */
	readonly lowest: bigint;
}

type Greeting = ReturnType<typeof readApplicationHello>;

export class PeerSession {
	private readonly asked = new Set<string>();
	private minuteFromMs: number;
	private minuteBytes = 0;
	private minuteMessages = 0;
	private lastRequestMs = Number.NEGATIVE_INFINITY;
	private sink: BlockSink | undefined;
	private followedMs = 0;

	private constructor(
		private readonly options: SessionOptions,
		private readonly dialogue: Dialogue,
		readonly greeting: Greeting,
	) {
		this.minuteFromMs = options.environment.now();
	}

	/** Connects and identifies the peer. @throws {ProbeError} */
	static async open(options: SessionOptions): Promise<PeerSession> {
		const { environment, genesis, lowest } = options;
		const networkId = options.networkId ?? (await peerStatus(options))?.networkId ?? 0;
		const dialogue = new Dialogue(environment, await dial(options), options.timeoutMs);
		try {
			await shakeHands(dialogue, options, networkId);
			const greeting = readApplicationHello(await dialogue.application(ApplicationType.P2P_HELLO));
			const { genesis: found, head, solid } = greeting;
			if (genesis && !equalBytes(found.id, genesis))
				throw new ProbeError("stranger", `it is of another chain: its genesis block is ${toHex(found.id)}`);
			if (head.number < lowest)
				throw new ProbeError("stranger", `its head ${head.number} is below the checkpoint's block ${lowest}`);
			if (solid.number > head.number || head.number - solid.number >= BigInt(MAX_BATCH))
				throw new ProbeError(
					"stranger",
					`its head ${head.number} is far from its last final block ${solid.number}`,
				);
			const { ipv4, ipv6, port, nodeId } = ownEndpoint(options);
			const begin = helloBlockId(found);
			const hello = HelloMessage.create({
				from: Endpoint.create({ address: utf8(ipv4), addressIpv6: utf8(ipv6), port, nodeId }),
				version: networkId,
				timestamp: BigInt(Math.trunc(environment.wallClock())),
				genesisBlockId: begin,
				solidBlockId: begin,
				headBlockId: begin,
				codeVersion: utf8(greeting.codeVersion.slice(0, 32)),
			});
			dialogue.say(withType(ApplicationType.P2P_HELLO, HelloMessage.encode(hello)));
			return new PeerSession(options, dialogue, greeting);
		} catch (error) {
			dialogue.cut();
			throw error;
		}
	}

	leave(): void {
		this.dialogue.leave();
	}

	/**
	 * Takes blocks until the peer is dropped, which is the only way out.
	 * @param isWanted looked at after each message; false: no more
	 * @throws {ProbeError} why
	 */
	async follow(sink: BlockSink, isWanted: () => boolean): Promise<void> {
		this.sink = sink;
		this.followedMs = this.options.environment.now();
		try {
			sink.restart();
			await this.catchUp(sink, isWanted);
			while (isWanted()) {
				const isNews = await this.awaitNews(sink, isWanted);
				if (!isWanted()) return;
				if (!isNews && !(await this.catchUp(sink, isWanted)))
					throw new ProbeError("silent", `its head stands still for ${STILL_MS / 1000} s`);
			}
		} catch (error) {
			if (error instanceof DecodeError || error instanceof BlockIdLengthError)
				throw new ProbeError("stranger", `it sends ${error.message}`);
			throw error;
		} finally {
			this.dialogue.cut();
		}
	}

	/** Requests lists and their blocks until one has nothing new. @returns whether there was a new block */
	private async catchUp(sink: BlockSink, isWanted: () => boolean): Promise<boolean> {
		let isNew = false;
		for (let rounds = 0; isWanted(); rounds++) {
			const ids = await this.list(sink);
			const missing = ids.filter(({ id }) => !sink.has(id));
			if (ids.length <= 1 && (missing.length === 0 || rounds > 1)) return isNew;
			if (missing.length > MAX_BATCH || rounds > MAX_BATCH)
				throw new ProbeError("stranger", `it has ${missing.length} blocks after its last final one`);
			if (missing.length === 0) return isNew;
			await this.fetch(missing, sink);
			isNew = true;
		}
		return isNew;
	}

	/** What the peer has beyond our blocks. */
	private async list(sink: BlockSink): Promise<readonly BlockRef[]> {
		const { summary: own } = sink;
		const { head, solid } = this.greeting;
		// Blocks too far back are skipped.
		const isNear =
			own[0] && (own[0].number >= solid.number || head.number - own[0].number < BigInt(MAX_BATCH));
		const summary = isNear ? own : [solid];
		await this.pace();
		this.dialogue.say(withType(ApplicationType.SYNC_BLOCK_CHAIN, encodeSyncBlockChain(summary)));
		const endMs = this.options.environment.now() + this.options.timeoutMs;
		for (;;) {
			const { type, payload } = await this.next(endMs);
			if (type === ApplicationType.BLOCK) await this.give(sink, payload);
			if (type !== ApplicationType.BLOCK_CHAIN_INVENTORY) continue;
			if (countField(payload, INVENTORY_IDS_FIELD) > MAX_LIST_IDS)
				throw new ProbeError("stranger", "its list is too long");
			const { ids, remain } = decodeBlockChainInventory(payload);
			if (ids.length === 0 || !summary.some(({ id }) => equalBytes(id, ids[0]?.id ?? id)))
				throw new ProbeError("stranger", "its list doesn't begin at what we asked for");
			if (ids.some(({ number }, at) => number !== (ids[0] as BlockRef).number + BigInt(at)))
				throw new ProbeError("stranger", "its list has gaps");
			if (remain !== 0n) throw new ProbeError("stranger", "its list doesn't end at its head");
			return ids;
		}
	}

	private async fetch(blocks: readonly BlockRef[], sink: BlockSink): Promise<void> {
		await this.ask(blocks.map(({ id }) => id));
		const endMs = this.options.environment.now() + BATCH_MS;
		for (const { id, number } of blocks) {
			for (;;) {
				const { type, payload } = await this.next(endMs);
				if (type !== ApplicationType.BLOCK) continue;
				if (!(await this.give(sink, payload, id)))
					throw new ProbeError("stranger", `its block ${number} stands on nothing that it listed`);
				break;
			}
		}
	}

	/** Waits for announced blocks. @returns false: none came for long, or one lacks what lies before it */
	private async awaitNews(sink: BlockSink, isWanted: () => boolean): Promise<boolean> {
		const endMs = this.options.environment.now() + STILL_MS;
		while (isWanted()) {
			const message = await this.next(endMs).catch((error: unknown) => {
				if (error instanceof ProbeError && error.problem === "silent") return undefined;
				throw error;
			});
			if (!message) return false;
			const { type, payload } = message;
			if (type === ApplicationType.INVENTORY) await this.askForAnnounced(payload, sink);
			if (type === ApplicationType.BLOCK) return this.give(sink, payload);
		}
		return true;
	}

	private async askForAnnounced(payload: Uint8Array, sink: BlockSink): Promise<void> {
		const { kind, ids } = decodeInventory(payload);
		if (kind !== InventoryKind.BLOCK) return;
		const wanted = ids.filter((id) => !sink.has(id) && !this.asked.has(toKey(id)));
		if (wanted.length > MAX_BATCH)
			throw new ProbeError("stranger", `it announces ${wanted.length} blocks at once`);
		for (const id of wanted) readBareBlockId(id);
		if (wanted.length > 0) await this.ask(wanted);
	}

	private async ask(ids: readonly Uint8Array[]): Promise<void> {
		await this.pace();
		for (const id of ids) this.asked.add(toKey(id));
		if (this.asked.size > MAX_ASKED) throw new ProbeError("stranger", "it owes too many blocks");
		this.dialogue.say(withType(ApplicationType.FETCH_INV_DATA, encodeInventory(InventoryKind.BLOCK, ids)));
	}

	/**
	 * Hands over a requested block.
	 * @param next the one that must come; absent: any
	 * @throws {ProbeError} for any other
	 */
	private async give(sink: BlockSink, payload: Uint8Array, next?: Uint8Array): Promise<boolean> {
		const { id, number } = readBlockHeader(payload);
		if (!this.asked.delete(toKey(id)))
			throw new ProbeError("stranger", `its block ${number} was not asked for`);
		if (next && !equalBytes(id, next)) throw new ProbeError("stranger", "its blocks come in another order");
		await sink.prepare(payload);
		return sink.take(payload);
	}

	/** The next message, counted. @throws {ProbeError} */
	private async next(latestMs: number): Promise<PeerMessage> {
		const { untilVerifiedMs } = this.sink ?? {};
		const endMs =
			untilVerifiedMs === undefined ? latestMs : Math.min(latestMs, this.followedMs + untilVerifiedMs);
		const message = await this.dialogue.message(endMs);
		const { receivedBytes, receivedMessages } = this.dialogue;
		const now = this.options.environment.now();
		if (now - this.minuteFromMs > COUNTED_MS) {
			this.minuteFromMs = now;
			this.minuteBytes = receivedBytes;
			this.minuteMessages = receivedMessages;
		}
		const isTooMuch =
			receivedBytes - this.minuteBytes > MAX_BYTES_A_MINUTE ||
			receivedMessages - this.minuteMessages > MAX_MESSAGES_A_MINUTE;
		if (isTooMuch) throw new ProbeError("stranger", "it sends more than a chain has");
		if (now > endMs) throw new ProbeError("silent", "what it was asked for doesn't come in time");
		return message;
	}

	private async pace(): Promise<void> {
		const { environment } = this.options;
		const waitMs = this.lastRequestMs + SPACING_MS - environment.now();
		if (waitMs > 0) await new Promise<void>((resolve) => environment.after(waitMs, resolve));
		this.lastRequestMs = environment.now();
	}
}
