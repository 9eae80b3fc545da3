/** What one trace may take: bytes of its answer, and time. */

/** Something that can't be traced; the message is for the caller. */
export class TraceError extends Error {
	override readonly name = "TraceError";
}

/** Counts what a trace gathers, so that it ends before its answer is too long to send. */
export class TraceBudget {
	private left: number;

	/**
	 * @param bytes that the answer may have; 0 or less: any number
	 * @param what is gathered, and what makes it shorter
	 */
	constructor(
		private readonly bytes: number,
		private readonly what = "trace",
		private readonly advice = ": another tracer, onlyTopCall, limit, disableStack or disableStorage make it shorter",
	) {
		this.left = bytes > 0 ? bytes : Number.POSITIVE_INFINITY;
	}

	/** @throws {TraceError} when there is no room left */
	take(bytes: number): void {
		this.left -= bytes;
		if (this.left >= 0) return;
		throw new TraceError(
			`the ${this.what} is longer than ${this.bytes} bytes (node.jsonrpc.maxResponseSize)${this.advice}`,
		);
	}
}

/** How long the executions of one request may take. */
export class TraceClock {
	private usedMs = 0;

	/**
	 * @param limitMs Infinity: as long as it takes
	 * @param what is executed, and what limits it
	 */
	constructor(
		private readonly limitMs: number,
		private readonly what = "trace",
		private readonly limits = "node.jsonrpc.debugTimeoutMs, timeout",
	) {}

	/**
	 * Executes something, and counts how long it took.
	 * @param execute is given the time of `performance.now()` at which it must end
	 * @throws {TraceError} if the time is over, before or afterwards
	 */
	run<T>(execute: (deadlineMs: number) => T): T {
		const started = performance.now();
		this.check();
		try {
			return execute(started + this.limitMs - this.usedMs);
		} finally {
			this.usedMs += performance.now() - started;
			this.check();
		}
	}

	private check(): void {
		if (this.usedMs < this.limitMs) return;
		throw new TraceError(
			`the ${this.what} takes longer than ${this.limitMs} ms (${this.limits}): nothing of it is kept`,
		);
	}
}
