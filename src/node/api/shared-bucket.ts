/** A bucket of permits that clients share: each may have reserved only so much of it ahead, and waits in a line of its own with the rest. */

import type { LimiterClock } from "./rate-limiter.js";

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

/** Part of a second's permits that one client may have reserved. */
const RESERVED_PART = 10;

/** Calls of a client that wait: those from `first` on. */
interface Line {
	readonly calls: (() => void)[];
	first: number;
}

/** Calls that have gone are taken out of a line together: taking out the first of many moves all others. */
const LINE_PART = 1_024;

export class SharedBucket {
	private readonly bucket: TokenBucket;
	/** Permits that one client may have reserved and not used. */
	private readonly most: number;
	/** Permits that clients wait for. */
	private readonly reserved = new Map<string, number>();
	/** Calls that will reserve one, by client. */
	private readonly lines = new Map<string, Line>();

	/** @param mayWait false: no permit is taken that could not be used at once */
	constructor(
		perSecond: number,
		private readonly clock: LimiterClock,
		private readonly mayWait: boolean,
	) {
		this.bucket = new TokenBucket(perSecond, clock.now());
		this.most = Math.max(1, Math.ceil(perSecond / RESERVED_PART));
	}

	/** Takes a permit for a client. @returns true: it may be used at once; else resolves when it may be; false: there is none */
	take(client: string, now: number): boolean | Promise<void> {
		if (!this.mayWait) return this.bucket.reserve(now, false) === 0;
		const reserved = this.reserved.get(client) ?? 0;
		if (reserved >= this.most) return this.takeLater(client);
		const waitMs = this.bucket.reserve(now);
		if (waitMs === 0) return true;
		this.reserved.set(client, reserved + 1);
		return this.use(client, waitMs);
	}

	private takeLater(client: string): Promise<void> {
		return new Promise((resolve) => {
			const line = this.lines.get(client) ?? { calls: [], first: 0 };
			line.calls.push(resolve);
			this.lines.set(client, line);
		});
	}

	/** Waits for a permit; then the client's next call reserves one. */
	private async use(client: string, waitMs: number): Promise<void> {
		await this.clock.wait(waitMs);
		const left = (this.reserved.get(client) ?? 1) - 1;
		if (left > 0) this.reserved.set(client, left);
		else this.reserved.delete(client);
		this.goOn(client);
	}

	/** The next calls that wait, up to one that waits for its permit: as many as came meanwhile may be used at once. */
	private goOn(client: string): void {
		for (;;) {
			const line = this.lines.get(client);
			const next = line?.calls[line.first++];
			if (!line || !next) return;
			if (line.first === line.calls.length) this.lines.delete(client);
			else if (line.first === LINE_PART) {
				line.calls.splice(0, LINE_PART);
				line.first = 0;
			}
			const taken = this.take(client, this.clock.now());
			if (taken instanceof Promise) {
				void taken.then(next);
				return;
			}
			next();
		}
	}
}
