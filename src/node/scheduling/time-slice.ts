/** Splits long work into short time slices, so that blocks and other requests never wait long. */

/** Milliseconds that others may have to wait for long work. */
export const SLICE_MS = 20;

/** Work waiting for its next slice; one gets it per round of the event loop, however many there are. */
const waiting: (() => void)[] = [];
let scheduled = false;

function next(): void {
	const resume = waiting.shift();
	scheduled = waiting.length > 0;
	if (scheduled) setImmediate(next);
	resume?.();
}

/** Waits for a slice, for work done in one go, such as parsing a large text. */
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
	 * If other long work is running, the first slice has to be awaited too.
	 * @param sliceMs how long others may have to wait
	 */
	constructor(private readonly sliceMs: number) {
		this.endsAt = scheduled ? 0 : performance.now() + sliceMs;
	}

	/** Whether it is time to yield. */
	get over(): boolean {
		return performance.now() > this.endsAt;
	}

	/** Lets waiting work continue. State read before may be outdated afterwards. */
	async yield(): Promise<void> {
		await yieldToEventLoop();
		this.endsAt = performance.now() + this.sliceMs;
	}
}

/** A slice of work for many subscribers, in ms; followed by a rest of the same length for connections and calls. */
export const FAN_OUT_MS = 5;

/** Runs work in a later round of the event loop, after some milliseconds. */
export type Later = (work: () => void, ms: number) => void;

export const inLaterRound: Later = (work, ms) => {
	if (ms === 0) setImmediate(work);
	else setTimeout(work, ms).unref();
};
