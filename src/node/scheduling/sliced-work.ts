/** Work in steps, done in time slices: what is long and made of many small parts, such as the events of a block. */

import type { TimeSlice } from "./time-slice.js";

/** What the work asks of its time slice. */
export type Slice = Pick<TimeSlice, "over" | "yield">;

/** Work that may be interrupted after each step. What was read of the state before may be outdated after it. */
export type Work<T = void> = Generator<undefined, T>;

/** Work of one step. */
export function* oneStep(act: () => void): Work {
	act();
	yield;
}

/** For work whose caller waits for all of it. */
export function atOnce<T>(work: Work<T>): T {
	for (;;) {
		const step = work.next();
		if (step.done) return step.value;
	}
}

/** Does work to its end, or until the signal. @returns undefined: the signal came first */
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

/** Pieces of work that wait; beyond them the oldest is done in one go, so that they don't hold ever more blocks. */
const MAX_WAITING_WORK = 32;

interface WorkLineOptions {
	readonly slice: () => Slice;
	/** Handles what a piece of work throws. It must not throw. */
	readonly report: (error: unknown) => void;
	/** Pieces of work that wait. */
	readonly maxWaiting?: number;
}

/** Work in the order of coming. What is done within one slice is done when {@link add} returns, unless other work waits. */
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

	/** Drops what waits. */
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

	/** One step of the oldest piece of work, which is taken out with its last one. */
	private step(first: Work): void {
		try {
			if (first.next().done) this.waiting.shift();
		} catch (error) {
			this.waiting.shift();
			this.options.report(error);
		}
	}
}
