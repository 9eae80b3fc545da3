/** Long work in short time slices, so that blocks and other requests never wait long. */

/** Milliseconds for which others may have to wait for long work. */
export const SLICE_MS = 20;

/** Work that waits for its next slice; one gets it between two rounds of the event loop, however many there are. */
const waiting: (() => void)[] = [];
let scheduled = false;

function next(): void {
	const resume = waiting.shift();
	scheduled = waiting.length > 0;
	if (scheduled) setImmediate(next);
	resume?.();
}

/** Waits for a slice: for work that is done in one go, such as reading a large text. */
export function yieldToEventLoop(): Promise<void> {
	return new Promise((resolve) => {
		waiting.push(resolve);
		if (!scheduled) setImmediate(next);
		scheduled = true;
	});
}

export class TimeSlice {
	private endsAt: number;

	/**
	 * Where other long work is under way the first slice has to be waited for, too.
	 * @param sliceMs how long others may have to wait
	 */
	constructor(private readonly sliceMs: number) {
		this.endsAt = scheduled ? 0 : performance.now() + sliceMs;
	}

	/** Whether others come first now. */
	get over(): boolean {
		return performance.now() > this.endsAt;
	}

	/** Lets waiting work go on. What was read of the state may be outdated afterwards. */
	async yield(): Promise<void> {
		await yieldToEventLoop();
		this.endsAt = performance.now() + this.sliceMs;
	}
}

/** A slice of work for many subscribers, in ms; a rest of its length follows, in which connections are taken and calls answered. */
export const FAN_OUT_MS = 5;

/** Runs work in a later round of the event loop, after some milliseconds. */
export type Later = (work: () => void, ms: number) => void;

export const inLaterRound: Later = (work, ms) => {
	if (ms === 0) setImmediate(work);
	else setTimeout(work, ms).unref();
};
