/** Sealing the blocks of a development chain: on demand, at an interval, or by hand (sheet 11 §8.5). */

import type { AppliedBlock, Chain, Producer } from "../chain/chain.js";

/** `instant`, `manual`, or the interval in milliseconds. */
export type SealMode = "instant" | "manual" | { readonly intervalMs: number };

export interface SealerOptions {
	readonly chain: Chain;
	readonly producer: Producer;
	/** Milliseconds; may run ahead of the wall clock. */
	readonly clock: () => bigint;
	readonly mode: SealMode;
	readonly onSealed: (applied: AppliedBlock) => void;
	readonly onFailure: (error: unknown) => void;
}

interface Waiter {
	readonly done: () => void;
	readonly fail: (error: unknown) => void;
}

export class Sealer {
	private timer: NodeJS.Timeout | undefined;
	private scheduled = false;
	private waiting: Waiter[] = [];

	constructor(private readonly options: SealerOptions) {}

	/** Starts the interval, where there is one. */
	start(): void {
		const { mode } = this.options;
		if (typeof mode === "string") return;
		this.timer = setInterval(() => this.sealOrReport(), mode.intervalMs);
	}

	stop(): void {
		clearInterval(this.timer);
	}

	/**
	 * A transaction entered the pool. In instant mode the promise resolves once a block holds it; transactions that
	 * arrive in the same turn of the event loop share the block. Other modes resolve at once.
	 */
	submitted(): Promise<void> {
		if (this.options.mode !== "instant") return Promise.resolve();
		return new Promise((done, fail) => {
			this.waiting.push({ done, fail });
			if (this.scheduled) return;
			this.scheduled = true;
			setImmediate(() => this.sealWaiting());
		});
	}

	private sealWaiting(): void {
		const waiting = this.waiting;
		this.waiting = [];
		this.scheduled = false;
		try {
			this.seal();
			for (const { done } of waiting) done();
		} catch (error) {
			for (const { fail } of waiting) fail(error);
		}
	}

	private sealOrReport(): void {
		try {
			this.seal();
		} catch (error) {
			this.options.onFailure(error);
		}
	}

	/** Seals a block with everything that is pending, at the clock's time or right after the head. */
	seal(): AppliedBlock {
		const { chain, producer, clock, onSealed } = this.options;
		const slotMs = chain.environment.rules.development?.slotMs ?? 1n;
		const now = clock();
		const earliest = chain.state.properties.headTimestampMs + slotMs;
		const applied = chain.produce(producer, now > earliest ? now : earliest, () => false);
		onSealed(applied);
		return applied;
	}
}
