/**
 * A bucket of permits that fills evenly and holds at most those of one second. It never refuses: a call that comes while
 * it is empty is told how long to wait, and the next one waits longer.
 */
export class TokenBucket {
	private readonly intervalMs: number;
	private stored = 0;
	/** When the next permit is there. */
	private nextFree: number;

	/** @param now milliseconds; the bucket begins empty, and its first permit is there at once */
	constructor(
		private readonly perSecond: number,
		now: number,
	) {
		this.intervalMs = 1000 / perSecond;
		this.nextFree = now;
	}

	/**
	 * Takes one permit.
	 * @param mayWait false: none is taken that could not be used at once
	 * @returns milliseconds until it may be used
	 */
	reserve(now: number, mayWait = true): number {
		if (now > this.nextFree) {
			this.stored = Math.min(this.perSecond, this.stored + (now - this.nextFree) / this.intervalMs);
			this.nextFree = now;
		}
		const waitMs = this.nextFree - now;
		if (waitMs > 0 && !mayWait) return waitMs;
		const taken = Math.min(1, this.stored);
		this.stored -= taken;
		this.nextFree += (1 - taken) * this.intervalMs;
		return waitMs;
	}
}
