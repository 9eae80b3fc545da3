/** Limits of a trace: response size and time. */

/** A trace isn't possible; the message is for the client. */
export class TraceError extends Error {
	override readonly name = "TraceError";
}

/** Counts the bytes a trace collects, so that it ends before its response gets too large. */
export class TraceBudget {
	private left: number;

	/**
	 * @param bytes maximum size of the response; 0 or less: unlimited
	 * @param what what is collected; `advice` says how to reduce it
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

/** Time limit for the executions of one request. */
export class TraceClock {
	private usedMs = 0;

	/**
	 * @param limitMs Infinity: unlimited
	 * @param what what is executed; `limits` names the settings that limit it
	 */
	constructor(
		private readonly limitMs: number,
		private readonly what = "trace",
		private readonly limits = "node.jsonrpc.debugTimeoutMs, timeout",
	) {}

	/**
	 * Runs an execution, and adds up the time it takes.
	 * @param execute receives its deadline, in terms of `performance.now()`
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
