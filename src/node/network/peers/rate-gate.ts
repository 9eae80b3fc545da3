/** How often a peer may ask for something (protocol/peers §7.4): so many times a second, and what it saved up of one second. */
export class RateGate {
	private saved = 0;
	/** When the next permit is due, if none is saved. */
	private nextMs: number;

	/**
	 * @param perSecond infinite: there is always a permit
	 * @param now a clock that only goes forward, in milliseconds
	 */
	constructor(
		private readonly perSecond: number,
		private readonly now: () => number,
	) {
		this.nextMs = now();
	}

	/** Takes a permit. @returns false if there is none, and takes none */
	tryTake(): boolean {
		const now = this.now();
		if (now < this.nextMs) return false;
		if (this.perSecond === Number.POSITIVE_INFINITY) return true;
		const intervalMs = 1000 / this.perSecond;
		this.saved = Math.min(this.perSecond, this.saved + (now - this.nextMs) / intervalMs);
		const spent = Math.min(1, this.saved);
		this.saved -= spent;
		this.nextMs = now + (1 - spent) * intervalMs;
		return true;
	}
}
