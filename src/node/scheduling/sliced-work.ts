/** Work done in steps within time slices: long work with many small parts, such as a block's events. */

import type { TimeSlice } from "./time-slice.js";

/** What work needs of its time slice. */
export type Slice = Pick<TimeSlice, "over" | "yield">;

/** Work that may be interrupted after each step; state read before may then be outdated. */
export type Work<T = void> = Generator<undefined, T>;

/** Work with a single step. */
export function* oneStep(act: () => void): Work {
	act();
	yield;
}

/** For callers that wait for the whole work. */
export function atOnce<T>(work: Work<T>): T {
	for (;;) {
		const step = work.next();
		if (step.done) return step.value;
	}
}

/** Runs work until done or aborted. @returns undefined: the signal came first */
export async function inSlices<T>(work: Work<T>, slice: Slice, signal: AbortSignal): Promise<T | undefined> {
	while (!signal.aborted) {
		if (slice.over) {
			await slice.yield();
			continue;
		}
		const step = work.next();
		if (step.done) return step.value;
	}
	return undefined;
}

/** Maximum queued pieces of work; beyond it the oldest is completed at once, to bound the blocks they hold. */
const MAX_WAITING_WORK = 32;

interface WorkLineOptions {
	readonly slice: () => Slice;
	/** Handles what a piece of work throws. It must not throw. */
	readonly report: (error: unknown) => void;
	/** Maximum queued pieces of work. */
	readonly maxWaiting?: number;
}

/**
 * Work in order of arrival. What fits into the current slice is done when {@link add} returns, unless other work is queued.
 */
export class WorkLine {
	private readonly waiting: Work[] = [];
	private isRunning = false;

	constructor(private readonly options: WorkLineOptions) {}

	add(work: Work): void {
		const { waiting } = this;
		waiting.push(work);
		const { maxWaiting = MAX_WAITING_WORK } = this.options;
		for (let first = waiting[0]; first && waiting.length > maxWaiting; first = waiting[0]) {
			while (waiting[0] === first) this.step(first);
		}
		if (!this.isRunning) void this.run();
	}

	/** Drops queued work. */
	stop(): void {
		this.waiting.length = 0;
	}

	private async run(): Promise<void> {
		this.isRunning = true;
		const slice = this.options.slice();
		for (let first = this.waiting[0]; first; first = this.waiting[0]) {
			if (slice.over) await slice.yield();
			else this.step(first);
		}
		this.isRunning = false;
	}

	/** One step of the oldest piece of work, which is removed with its last one. */
	private step(first: Work): void {
		try {
			if (first.next().done) this.waiting.shift();
		} catch (error) {
			this.waiting.shift();
			this.options.report(error);
		}
	}
}
