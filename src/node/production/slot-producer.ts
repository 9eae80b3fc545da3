/** Produces blocks in the network's slots for the witnesses whose keys this node holds (protocol/consensus §3.1). */

import type { SignedBlock } from "../../protocol/block.js";
import { equalBytes } from "../../protocol/bytes.js";
import { BlockHeaderRaw } from "../../protocol/messages.js";
import { type PostQuantumKeys, postQuantumAlgorithm } from "../../protocol/post-quantum/algorithms.js";
import { addressOfPostQuantumKey, type PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import { addressOfPrivateKey, signBlock } from "../../protocol/signature.js";
import { SLOT_MS } from "../../protocol/timing.js";
import type { Chain } from "../chain/chain.js";
import type { CommittedBlock } from "../chain/observers.js";
import type { Producer } from "../chain/packing.js";
import { scheduledWitness, slotOf, slotTimeMs } from "../consensus/slots.js";
import { participationPercent } from "../consensus/statistics.js";

// The keys with which this node signs blocks (protocol/consensus §3.3).

/** A producer that signs with a 32-byte private key, which stays in the closure. */
export function producerWithKey(privateKey: Uint8Array, witness?: Uint8Array): Producer {
	const signer = addressOfPrivateKey(privateKey);
	return { witness: witness ?? signer, signer, sign: (hash) => signBlock(hash, privateKey) };
}

/**
 * A producer that signs with a post-quantum key, whose library must be loaded; the key stays in the closure.
 * @param random of the signatures; fresh without it
 */
export function producerWithPostQuantumKey(
	scheme: PostQuantumScheme,
	{ publicKey, privateKey }: PostQuantumKeys,
	{
		witness,
		random,
	}: { readonly witness?: Uint8Array | undefined; readonly random?: (length: number) => Uint8Array } = {},
): Producer {
	const signer = addressOfPostQuantumKey(publicKey);
	return {
		witness: witness ?? signer,
		signer,
		sign: (hash) => postQuantumAlgorithm(scheme).sign(hash, privateKey, random),
		postQuantum: { scheme, publicKey },
	};
}

/** The producer of a witness account; undefined if this node doesn't hold its key. */
export function producerOf(producers: readonly Producer[], witness: Uint8Array): Producer | undefined {
	return producers.find((producer) => equalBytes(producer.witness, witness));
}

const signerOf = (block: SignedBlock): Uint8Array =>
	block.postQuantum ? addressOfPostQuantumKey(block.postQuantum.public_key) : block.signer();

/** How long a witness pauses after another node produced with its key, in milliseconds (protocol/consensus §3.2). */
const HOLD_MS = 81_000;
/** A slot is attempted this much before the clock reaches it. */
const LEAD_MS = 50n;
/**
 * Execution budget of a block's transactions, in milliseconds. Packing and applying each block the event loop
 * for that long, and a client sending expensive transactions could otherwise fill all of it.
 */
const MAX_EXECUTION_MS = 220;
/** Between packing and applying a block: time for the event loop to handle requests that arrived meanwhile. */
const PAUSE_MS = 50;

/** A clock set back by less retries slots. One that was further ahead has produced blocks that nobody accepted. */
const SET_BACK_MS = 300_000n;

/** Why a slot was not used; the names are those the network's operators know. */
type ProductionState =
	| "PRODUCED"
	| "CLOCK_ERROR"
	| "BACKUP_IS_NOT_MASTER"
	| "DUP_WITNESS"
	| "LOW_PARTICIPATION"
	| "NOT_TIME_YET"
	| "NOT_MY_TURN"
	| "NOT_SYNCED"
	| "FAILED";

/** What becomes of a slot if nothing prevents a block in one of this node's. */
export const READY_STATES: ReadonlySet<ProductionState | undefined> = new Set([
	"PRODUCED",
	"NOT_MY_TURN",
	"NOT_TIME_YET",
] as const);

interface SlotProducerOptions {
	readonly chain: Chain;
	readonly producers: readonly Producer[];
	/** Milliseconds since 1970. */
	readonly clock: () => bigint;
	/** Milliseconds of a monotonic clock. */
	readonly monotonicClock: () => number;
	readonly minParticipationPercent: number;
	/** Share of half a slot that packing may take, in percent. */
	readonly packingPercent: number;
	/** Don't produce until the chain has caught up with the clock (`block.needSyncCheck`). */
	readonly needSyncCheck: boolean;
	/** Whether a peer is sending missing blocks: until the head has been current once, slots are skipped. */
	readonly isReceiving: () => boolean;
	/** Whether this node is the active one of its backup group. */
	readonly isMaster: () => boolean;
	readonly onProduced: (applied: CommittedBlock) => void;
	/** Called for each slot that could not be used, and with the reason why a block failed. */
	readonly onSkipped: (state: ProductionState) => void;
	readonly onFailure: (error: unknown) => void;
	/** Called for a block that somebody else made with one of the keys. A block of one of the witnesses causes a pause even if it isn't called. */
	readonly onDouble: (block: SignedBlock) => void;
	/** Called with the reason if a remote signer doesn't say whether a received block of a witness is its own, and with undefined if it does. */
	readonly onUncheckedDouble: (witness: Uint8Array, error: unknown) => void;
}

export class SlotProducer {
	private timer: NodeJS.Timeout | undefined;
	private synced: boolean;
	/** Whether the head has been current since the start. */
	private caughtUp = false;
	/** What became of the last slot; undefined before the first. */
	last: ProductionState | undefined;
	/** Time of the last attempted slot: it and all earlier ones have had their one block. */
	private triedMs = -1n;
	/** Slots up to this time have been considered. */
	private lookedMs = -1n;
	/** A signature arriving now is too late. */
	private isOver = false;
	/** By the monotonic clock. */
	private readonly startedMs: number;
	/** Id of the last block produced here, in hexadecimal. */
	private lastOwn = "";
	/** By the monotonic clock. */
	private heldUntilMs = Number.NEGATIVE_INFINITY;
	/** Those whose remote signer is being asked about a received block. */
	private readonly asking = new Set<Producer>();
	private readonly unobserve: () => void;
	/** A packed and announced block, to be applied a little later, so that requests don't wait for both at once. */
	private packed: { readonly turn: NodeJS.Timeout; readonly apply: () => void } | undefined;

	constructor(private readonly options: SlotProducerOptions) {
		this.synced = !options.needSyncCheck;
		this.startedMs = options.monotonicClock();
		this.unobserve = options.chain.observe({
			produced: (block) => {
				this.lastOwn = block.idHex;
			},
			accepted: (block) => this.checkForDouble(block),
		});
	}

	/** Detects another node with our key: the one with the smaller block id yields. */
	private checkForDouble(block: SignedBlock): void {
		const { clock, monotonicClock, producers, isMaster } = this.options;
		if (block.idHex === this.lastOwn || !this.synced || clock() - block.timestampMs > SLOT_MS) return;
		const producer = producerOf(producers, block.witness);
		if (!producer || !isMaster()) return;
		const hold = (isStrangers = true): void => {
			if (isStrangers) this.options.onDouble(block);
			if (this.lastOwn <= block.idHex) this.heldUntilMs = monotonicClock() + HOLD_MS;
		};
		// The witness may have another key by now, for example at the node that takes over. A block from before the start may be of the
		// process before.
		const isLater = Number(clock() - block.timestampMs) < monotonicClock() - this.startedMs;
		if (!producer.remote) hold(isLater && equalBytes(signerOf(block), producer.signer));
		if (!producer.remote || this.asking.has(producer)) return;
		// Nodes may share a remote signer, which signs once per slot: only it knows of a block that it didn't sign.
		const signature = block.postQuantum?.signature ?? block.header.witness_signature;
		const asked = producer.remote.isElsewhere(BlockHeaderRaw.encode(block.raw), signature);
		this.asking.add(producer);
		asked
			.then(
				(isElsewhere) => {
					this.options.onUncheckedDouble(block.witness, undefined);
					if (isElsewhere) hold();
				},
				(error: unknown) => this.options.onUncheckedDouble(block.witness, error),
			)
			.finally(() => this.asking.delete(producer))
			.catch(this.options.onFailure);
	}

	/** Wakes at every multiple of the slot length. */
	start(): void {
		const now = this.options.clock();
		const untilSlot = SLOT_MS - (now % SLOT_MS);
		// A timer may be slightly early, or a wake-up late: the nearby slot has then been considered already.
		const wait = Number(now + untilSlot <= this.lookedMs ? untilSlot + SLOT_MS : untilSlot);
		this.timer = setTimeout(() => {
			try {
				const state = this.tryProduce();
				if (state !== this.last && state !== "PRODUCED") this.options.onSkipped(state);
				this.last = state;
			} catch (error) {
				this.last = "FAILED";
				this.options.onFailure(error);
			}
			this.start();
			try {
				this.prepareNext();
			} catch (error) {
				this.options.onFailure(error);
			}
		}, wait);
	}

	/** Has a remote signer's connection opened one slot ahead. */
	private prepareNext(): void {
		if (!READY_STATES.has(this.last)) return;
		const { chain, clock, producers } = this.options;
		const next = slotOf(chain.state, clock() + LEAD_MS) + 1n;
		producerOf(producers, scheduledWitness(chain.state, next))?.remote?.prepare();
	}

	stop(): void {
		this.isOver = true;
		clearTimeout(this.timer);
		this.applyPacked();
		this.unobserve();
	}

	private applyPacked(): void {
		const { packed } = this;
		if (!packed) return;
		this.packed = undefined;
		clearTimeout(packed.turn);
		try {
			packed.apply();
		} catch (error) {
			this.options.onFailure(error);
		}
	}

	/**
	 * Packs a block if it is this node's turn; it is applied after a pause.
	 * @throws {Error} if packing fails
	 */
	tryProduce(): ProductionState {
		const { chain, clock, monotonicClock, producers } = this.options;
		const now = clock();
		this.lookedMs = now + LEAD_MS;
		const { state } = chain;
		if (!this.caughtUp) {
			// The timer fires some milliseconds into its slot: a head in the previous slot still counts as caught
			// up, otherwise anyone offering blocks at that moment could make this node miss its slots.
			this.caughtUp = slotTimeMs(state, 1n) + SLOT_MS / 2n >= now;
			if (!this.caughtUp && (!this.synced || this.options.isReceiving())) return "NOT_SYNCED";
			this.synced = true;
		}
		if (now < state.properties.headTimestampMs) return "CLOCK_ERROR";
		if (!this.options.isMaster()) return "BACKUP_IS_NOT_MASTER";
		if (monotonicClock() < this.heldUntilMs) return "DUP_WITNESS";
		if (participationPercent(state) < this.options.minParticipationPercent) return "LOW_PARTICIPATION";
		const slot = slotOf(state, now + LEAD_MS);
		if (slot === 0n) return "NOT_TIME_YET";
		const producer = producerOf(producers, scheduledWitness(state, slot));
		if (!producer) return "NOT_MY_TURN";
		const timestampMs = slotTimeMs(state, slot);
		if (timestampMs <= this.triedMs && this.triedMs - timestampMs < SET_BACK_MS) return "NOT_TIME_YET";
		this.triedMs = timestampMs;
		const packingMs = Math.trunc((Number(SLOT_MS) / 2) * (this.options.packingPercent / 100));
		const endMs = monotonicClock() + Number(timestampMs - now) + packingMs;
		const expired = untilLongestWouldPass(endMs, monotonicClock);
		const packing = { producer, timestampMs, expired, maxExecutionMs: MAX_EXECUTION_MS };
		if (producer.remote) {
			const { header, publish, giveBack } = chain.packBlock(packing);
			producer.remote
				.block(header)
				.then((signature) => (this.isOver ? giveBack() : this.applySoon(publish(signature))))
				.catch((error: unknown) => {
					giveBack();
					this.options.onFailure(error);
				});
		} else this.applySoon(chain.prepareBlock(packing));
		return "PRODUCED";
	}

	private applySoon(makeHead: () => CommittedBlock): void {
		// A signature may arrive as late as the next slot.
		this.applyPacked();
		this.packed = {
			turn: setTimeout(() => this.applyPacked(), PAUSE_MS),
			apply: () => this.options.onProduced(makeHead()),
		};
	}
}

/**
 * Checked before each transaction: whether one as long as the longest so far would overrun. Otherwise a
 * transaction that uses its full time limit would extend the packing time by that much.
 */
function untilLongestWouldPass(endMs: number, clockMs: () => number): () => boolean {
	let lastMs = clockMs();
	let longestMs = 0;
	return () => {
		const nowMs = clockMs();
		longestMs = Math.max(longestMs, nowMs - lastMs);
		lastMs = nowMs;
		return nowMs + longestMs > endMs;
	};
}
