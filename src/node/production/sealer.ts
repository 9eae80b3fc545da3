/** Sealing blocks of a development chain: instantly, at an interval, or manually (protocol/development-chain §3). */

import { setImmediate as nextTurn } from "node:timers/promises";
import { NamedError } from "../../protocol/json/exceptions.js";
import type { Chain } from "../chain/chain.js";
import type { CommittedBlock } from "../chain/observers.js";
import type { Producer } from "../chain/packing.js";
import type { DevelopmentConditions, SealMode } from "../development/conditions.js";

interface SealerOptions {
	readonly chain: Chain;
	readonly producer: Producer;
	readonly conditions: DevelopmentConditions;
	readonly onSealed: (applied: CommittedBlock) => void;
	readonly onFailure: (error: unknown) => void;
}

/** A block to be sealed out of turn. */
interface SealRequest {
	readonly byHand?: boolean;
	readonly timestampMs?: bigint | undefined;
}

/** A head older than this, in milliseconds, may cause a refusal. */
const LONG_AGO_MS = 500n;

interface Waiter {
	readonly done: () => void;
	readonly fail: (error: unknown) => void;
}

export class Sealer {
	private timer: NodeJS.Timeout | undefined;
	private scheduled = false;
	private isClosed = false;
	private waiting: Waiter[] = [];
	/** Work that no block may interrupt, run one after the other. */
	private exclusiveWork: Promise<unknown> = Promise.resolve();
	private busy = 0;

	constructor(private readonly options: SealerOptions) {}

	/** Starts interval sealing, if configured. */
	start(): void {
		const { sealMode, now } = this.options.conditions;
		if (typeof sealMode === "string") return;
		const interval = BigInt(sealMode.intervalMs);
		// Multiples of the interval by the clock, however late the last block was.
		this.sealAt(now() - (now() % interval) + interval);
	}

	private sealAt(slotMs: bigint): void {
		const early = Number(slotMs - this.options.conditions.now());
		this.timer = setTimeout(
			() => {
				// Timers may fire a millisecond early; the slot would then get two blocks.
				if (this.options.conditions.now() < slotMs) return this.sealAt(slotMs);
				this.start();
				// A block between two multiples delays the next one, or the chain would run ahead of its clock.
				const { chain, conditions } = this.options;
				const isDue = slotMs >= chain.state.properties.headTimestampMs + conditions.slotMs;
				if (isDue && this.busy === 0) this.sealOrReport();
			},
			Math.max(early, 1),
		);
	}

	private stop(): void {
		clearTimeout(this.timer);
		this.timer = undefined;
	}

	/** Stops sealing by itself. */
	close(): void {
		this.isClosed = true;
		this.stop();
	}

	/**
	 * Changes the sealing mode, and seals waiting transactions if the new mode says so. Runs as exclusive work.
	 * @throws whatever the first block fails with
	 */
	async setMode(mode: SealMode): Promise<void> {
		this.stop();
		this.options.conditions.sealMode = mode;
		// Requested work waits for other work, and its turn may come only after closing.
		if (this.isClosed) return;
		this.start();
		const { pool } = this.options.chain;
		const before = pool.size;
		if (mode !== "instant" || before === 0) return;
		this.seal();
		await this.sealRest(before);
	}

	/**
	 * A transaction entered the pool. In instant mode the promise resolves once a block holds it; transactions that
	 * arrive in the same turn of the event loop share the block. Other modes resolve at once.
	 * @throws {NamedError} CancellationException if the node closes while transactions wait: its next start seals them
	 */
	submitted(): Promise<void> {
		if (this.options.conditions.sealMode !== "instant") return Promise.resolve();
		return new Promise((done, fail) => {
			this.waiting.push({ done, fail });
			if (this.scheduled) return;
			this.scheduled = true;
			setImmediate(() => this.sealWaiting());
		});
	}

	/**
	 * In instant mode the head is as old as the last transaction. Seals an empty block if it is too old, for
	 * rules that read the head's time and transactions that reference the head.
	 * @returns whether a block was sealed
	 */
	catchUp(olderThanMs = LONG_AGO_MS): boolean {
		const { chain, conditions } = this.options;
		const age = conditions.now() - chain.state.properties.headTimestampMs;
		const waits = this.busy > 0 || this.scheduled || chain.pool.size > 0;
		if (conditions.sealMode !== "instant" || waits || age < olderThanMs) return false;
		this.seal();
		return true;
	}

	/** Runs work between two blocks: none is sealed until it is done. */
	exclusive<T>(work: () => T | Promise<T>): Promise<T> {
		this.busy++;
		const run = this.exclusiveWork.then(work).finally(() => {
			this.busy--;
		});
		this.exclusiveWork = run.catch(() => undefined);
		return run;
	}

	private sealWaiting(): void {
		if (this.busy > 0) {
			void this.exclusiveWork.finally(() => setImmediate(() => this.sealWaiting()));
			return;
		}
		const waiting = this.waiting;
		this.waiting = [];
		this.scheduled = false;
		const { pool } = this.options.chain;
		const { size } = pool;
		try {
			// Another request may have sealed them meanwhile; a closed node leaves them to its next start.
			if (size > 0 && !this.isClosed) this.seal();
		} catch (error) {
			for (const { fail } of waiting) fail(error);
			return;
		}
		const end = (): void => {
			const isLeft = this.isClosed && pool.size > 0;
			const left = new NamedError(
				"CancellationException",
				"the node stops: a block may not hold the transaction",
			);
			for (const { done, fail } of waiting)
				if (isLeft) fail(left);
				else done();
		};
		if (pool.size === 0 || this.isClosed) end();
		else void this.exclusive(() => this.sealRest(size)).finally(end);
	}

	/**
	 * Transactions that don't fit into one block, or can't share one, go into the next: one block per turn of
	 * the event loop, since any number may have accumulated. Runs as exclusive work.
	 * @param before transactions that waited before the last block
	 */
	private async sealRest(before: number): Promise<void> {
		const { pool } = this.options.chain;
		for (let former = before; pool.size > 0 && pool.size < former; ) {
			await nextTurn();
			if (this.isClosed) return;
			former = pool.size;
			this.sealOrReport();
		}
	}

	private sealOrReport(): void {
		try {
			this.seal();
		} catch (error) {
			this.options.onFailure(error);
		}
	}

	/**
	 * Seals a block with all pending transactions, respecting the interval if there is one.
	 * @param byHand at once, whatever the interval; `timestampMs`: at this time
	 */
	seal({ byHand = false, timestampMs }: SealRequest = {}): CommittedBlock {
		const { chain, producer, conditions, onSealed } = this.options;
		const { nextTimestampMs, slotMs, now } = conditions;
		const distance = byHand || nextTimestampMs !== undefined ? 1n : slotMs;
		const earliest = chain.state.properties.headTimestampMs + distance;
		const wanted = timestampMs ?? nextTimestampMs ?? now() - (now() % distance);
		const time = wanted > earliest ? wanted : earliest;
		const applied = conditions.whileSealing(() => chain.produce(producer, time, () => false));
		if (timestampMs === undefined && nextTimestampMs !== undefined) {
			// Later blocks continue from here.
			conditions.nextTimestampMs = undefined;
			conditions.setTime(time);
		}
		onSealed(applied);
		return applied;
	}
}
