/** Producing in the network's slots with the witnesses whose keys this node holds (protocol/consensus §3.1). */

import type { SignedBlock } from "../../protocol/block.js";
import { equalBytes } from "../../protocol/bytes.js";
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

/** A producer that signs with a private key of 32 bytes; the key stays in the closure. */
export function producerWithKey(privateKey: Uint8Array, witness?: Uint8Array): Producer {
	const signer = addressOfPrivateKey(privateKey);
	return { witness: witness ?? signer, signer, sign: (hash) => signBlock(hash, privateKey) };
}

/**
 * A producer that signs with a post-quantum key, whose library must be loaded; the private key stays in the closure.
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

/** The producer of a witness account, undefined if this node holds no key for it. */
export function producerOf(producers: readonly Producer[], witness: Uint8Array): Producer | undefined {
	return producers.find((producer) => equalBytes(producer.witness, witness));
}

/** How long a witness pauses after another node produced with its key (protocol/consensus §3.2). */
const HOLD_MS = 81_000;
/** A slot is tried this much before the clock reaches it. */
const LEAD_MS = 50n;
/**
 * Milliseconds that the transactions of a block may take: packing and applying it are one step of the event loop each, in which
 * nothing is answered, and a client that sends what takes a millisecond each would otherwise fill all of both.
 */
const MAX_EXECUTION_MS = 220;
/** Between packing a block and applying it: rounds enough of the event loop for the requests that came meanwhile. */
const PAUSE_MS = 50;

/** A clock that is set back by less may ask for a slot again. One that was that far ahead has made blocks that nobody took. */
const SET_BACK_MS = 300_000n;

/** Why a slot was not used; the names are those that operators of the network know. */
type ProductionState =
	| "PRODUCED"
	| "CLOCK_ERROR"
	| "BACKUP_IS_NOT_MASTER"
	| "DUP_WITNESS"
	| "LOW_PARTICIPATION"
	| "NOT_TIME_YET"
	| "NOT_MY_TURN"
	| "NOT_SYNCED";

interface SlotProducerOptions {
	readonly chain: Chain;
	readonly producers: readonly Producer[];
	/** Milliseconds since 1970. */
	readonly clock: () => bigint;
	/** Milliseconds of a clock that only goes forward. */
	readonly monotonicClock: () => number;
	readonly minParticipationPercent: number;
	/** Share of half a slot that packing may take, in percent. */
	readonly packingPercent: number;
	/** Wait until the chain is not behind the clock (`block.needSyncCheck`). */
	readonly needSyncCheck: boolean;
	/** Whether a peer is sending blocks that this node lacks: until the head has been current once, its slots pass. */
	readonly isReceiving: () => boolean;
	/** Whether this node is the one of its backup group that acts. */
	readonly isMaster: () => boolean;
	readonly onProduced: (applied: CommittedBlock) => void;
	/** Notified of slots that could not be used, and why a block failed. */
	readonly onSkipped: (state: ProductionState) => void;
	readonly onFailure: (error: unknown) => void;
}

export class SlotProducer {
	private timer: NodeJS.Timeout | undefined;
	private synced: boolean;
	/** The head has been current since the start. */
	private caughtUp = false;
	private last: ProductionState | undefined;
	/** Time of the slot that was tried last: it has its one block, as have those before. */
	private triedMs = -1n;
	/** Up to when slots have been looked at. */
	private lookedMs = -1n;
	/** A signature that comes now is too late. */
	private isOver = false;
	/** Id of the last block that was made here, in hexadecimal. */
	private lastOwn = "";
	/** By the clock that only goes forward. */
	private heldUntilMs = Number.NEGATIVE_INFINITY;
	private readonly unobserve: () => void;
	/** Applies a block that is packed and announced, a little later: requests don't wait for both at once. */
	private packed: { readonly turn: NodeJS.Timeout; readonly apply: () => void } | undefined;

	constructor(private readonly options: SlotProducerOptions) {
		this.synced = !options.needSyncCheck;
		this.unobserve = options.chain.observe({
			produced: (block) => {
				this.lastOwn = block.idHex;
			},
			accepted: (block) => this.checkForDouble(block),
		});
	}

	/** Another node that holds our key: the one with the smaller id gives way. */
	private checkForDouble(block: SignedBlock): void {
		const { clock, monotonicClock, producers, isMaster } = this.options;
		if (block.idHex === this.lastOwn || !this.synced || clock() - block.timestampMs > SLOT_MS) return;
		const producer = producerOf(producers, block.witness);
		// Nodes may share a signer, which signs once for a slot.
		if (!producer || producer.remote || !isMaster() || this.lastOwn > block.idHex) return;
		this.heldUntilMs = monotonicClock() + HOLD_MS;
	}

	/** Wakes at every multiple of the slot length. */
	start(): void {
		const now = this.options.clock();
		const untilSlot = SLOT_MS - (now % SLOT_MS);
		// A timer may be a moment early, or a wake late: the slot that is near then has been looked at.
		const wait = Number(now + untilSlot <= this.lookedMs ? untilSlot + SLOT_MS : untilSlot);
		this.timer = setTimeout(() => {
			try {
				const state = this.tryProduce();
				if (state !== this.last && state !== "PRODUCED") this.options.onSkipped(state);
				this.last = state;
			} catch (error) {
				this.options.onFailure(error);
			}
			this.start();
		}, wait);
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

	/** Packs a block if it is this node's turn; it is applied after a pause. @throws {Error} if packing fails */
	tryProduce(): ProductionState {
		const { chain, clock, monotonicClock, producers } = this.options;
		const now = clock();
		this.lookedMs = now + LEAD_MS;
		const { state } = chain;
		if (!this.caughtUp) {
			// The timer wakes some milliseconds behind its slot: whose head is of the slot before has caught up all the same, or anyone who
			// offers blocks at that moment could keep it from its slots.
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
		// A signature may come as late as the next slot's.
		this.applyPacked();
		this.packed = {
			turn: setTimeout(() => this.applyPacked(), PAUSE_MS),
			apply: () => this.options.onProduced(makeHead()),
		};
	}
}

/**
 * Asked before each transaction: whether one as long as the longest so far would end too late. Without it a transaction
 * that uses up its time holds the thread that much longer than the time for packing.
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
