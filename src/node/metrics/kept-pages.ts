/** Pages of metrics, each of which takes milliseconds to make: one at a time, and kept for a moment. */

import { yieldToEventLoop } from "../scheduling/time-slice.js";

/** Prometheus asks every few seconds. */
const KEPT_MS = 1_000;
/** Pages of chosen names that are kept, or wait to be made. The whole page always has a place, so that choosing names keeps nobody from it. */
const MAX_PAGES = 8;

interface MetricsPage {
	readonly contentType: string;
	readonly text: string;
}

interface Kept {
	readonly page: Promise<MetricsPage>;
	/** Whether it has names that were asked for. */
	readonly isChosen: boolean;
	/** Undefined: it is being made, or waits for that. */
	madeMs: number | undefined;
}

export class KeptPages {
	private readonly kept = new Map<string, Kept>();
	private last: Promise<unknown> = Promise.resolve();

	/** @param now milliseconds of a clock that only goes forward */
	constructor(
		private readonly make: (names: readonly string[], isOpenMetrics: boolean) => Promise<MetricsPage>,
		private readonly now: () => number,
	) {}

	/** @returns undefined: too many others are being made */
	page(names: readonly string[], isOpenMetrics: boolean): Promise<MetricsPage> | undefined {
		this.forgetOld();
		const key = JSON.stringify([isOpenMetrics, ...names]);
		const known = this.kept.get(key);
		if (known) return known.page;
		if (names.length > 0 && this.chosen >= MAX_PAGES) return undefined;
		const page = this.last.then(yieldToEventLoop).then(() => this.make(names, isOpenMetrics));
		const kept: Kept = { page, isChosen: names.length > 0, madeMs: undefined };
		this.kept.set(key, kept);
		this.last = page.then(
			() => {
				kept.madeMs = this.now();
			},
			() => this.kept.delete(key),
		);
		return page;
	}

	private get chosen(): number {
		let count = 0;
		for (const { isChosen } of this.kept.values()) if (isChosen) count++;
		return count;
	}

	private forgetOld(): void {
		const nowMs = this.now();
		for (const [key, { madeMs }] of this.kept) {
			if (madeMs !== undefined && nowMs - madeMs >= KEPT_MS) this.kept.delete(key);
		}
	}
}
