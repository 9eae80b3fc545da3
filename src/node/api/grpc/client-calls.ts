/**
 * What one gRPC connection holds in this process: open calls and unread answers. The client controls the
 * HTTP/2 windows: if one stays closed, every answer accumulates here.
 */

/** Calls that may start per event loop round, over all connections. */
const MAX_IN_ROUND = 1_000;

/** Calls started by one connection in a round. */
interface RoundCount {
	round: number;
	inRound: number;
}

export class CallRounds {
	private round = 0;
	private inRound = 0;
	private isCounting = false;

	/** @param afterRound calls a function once all that has been read by now is done */
	constructor(private readonly afterRound: (next: () => void) => void = setImmediate) {}

	/** Counts a call by a connection. @returns whether the round has room for it */
	count(connection: RoundCount): boolean {
		if (!this.isCounting) {
			this.isCounting = true;
			this.afterRound(() => {
				this.isCounting = false;
				this.round++;
				this.inRound = 0;
			});
		}
		if (connection.round !== this.round) {
			connection.round = this.round;
			connection.inRound = 0;
		}
		connection.inRound++;
		this.inRound++;
		return this.inRound <= MAX_IN_ROUND;
	}
}

/** Answers a connection may have in progress at once. */
const MAX_MAKING = 16;
/** Unsent bytes above which no further answer is made for a connection. */
const MAX_UNSENT = 1 << 20;
/** Maximum open calls per connection. */
export const MAX_CALLS = 100;
/**
 * Calls a connection may start per event loop round. A client that waits for answers can't start more than
 * its open-call limit, plus as many again to replace cancelled ones.
 */
export const MAX_BEGUN = 2 * MAX_CALLS;
/** A client that reads less than this within {@link STALLED_MS} while answers are waiting counts as stalled. */
const LEAST_PROGRESS = 64 << 10;
const STALLED_MS = 30_000;

/** Totals over all connections of a server. */
export class CallTotals {
	/** Open calls. */
	open = 0;
	/** Unsent bytes of answers. */
	unsent = 0;

	constructor(readonly rounds = new CallRounds()) {}
}

export class ClientCalls {
	/** Calls whose message has arrived but that are not yet answered. */
	calls = 0;
	/** Open reflection and health streams. */
	streams = 0;
	/** Whether any call has been answered. */
	hasAsked = false;
	/** Time of connecting or of the last answer. */
	lastMs = performance.now();
	/** Calls started and not yet closed. */
	private openCalls = 0;
	private refusedCalls = 0;
	private readonly begun: RoundCount = { round: 0, inRound: 0 };
	private resets = { sinceMs: Number.NEGATIVE_INFINITY, count: 0 };
	private making = 0;
	private unsentBytes = 0;
	private readonly line: (() => void)[] = [];
	/** Bytes written at the last noticeable progress, and when that was. */
	private progress: { readonly written: number; readonly sinceMs: number } | undefined;

	constructor(private readonly totals: CallTotals) {}

	/** Open calls. */
	get open(): number {
		return this.openCalls;
	}

	/** Whether it keeps opening calls after being refused, or resets them as fast as it opens them. */
	get insists(): boolean {
		return this.refusedCalls > MAX_CALLS || this.begun.inRound > MAX_BEGUN;
	}

	/** Unsent bytes of answers. */
	get unsent(): number {
		return this.unsentBytes;
	}

	/** Starts a call. @returns to be called when it closes; undefined if there are too many */
	begin(): (() => void) | undefined {
		if (!this.totals.rounds.count(this.begun)) return undefined;
		if (this.openCalls >= MAX_CALLS) {
			this.refusedCalls++;
			return undefined;
		}
		this.openCalls++;
		this.totals.open++;
		return () => {
			this.openCalls--;
			this.totals.open--;
		};
	}

	/** Counts a call reset by the client. @returns the number of resets in the current window */
	reset(nowMs: number, windowMs: number): number {
		if (nowMs - this.resets.sinceMs > windowMs) this.resets = { sinceMs: nowMs, count: 0 };
		return ++this.resets.count;
	}

	/** Resolves when an answer may be made; {@link made} must follow. @returns whether it had to wait */
	async turn(): Promise<boolean> {
		if (this.hasRoom()) {
			this.making++;
			return false;
		}
		await new Promise<void>((resolve) => this.line.push(resolve));
		return true;
	}

	/**
	 * An answer is ready and waiting to be sent.
	 * @returns to be called once it is gone; repeated calls are harmless
	 */
	made(bytes: number): () => void {
		this.making--;
		this.unsentBytes += bytes;
		this.totals.unsent += bytes;
		let isGone = false;
		this.goOn();
		return () => {
			if (isGone) return;
			isGone = true;
			this.unsentBytes -= bytes;
			this.totals.unsent -= bytes;
			this.goOn();
		};
	}

	private hasRoom(): boolean {
		return this.making < MAX_MAKING && this.unsentBytes < MAX_UNSENT;
	}

	private goOn(): void {
		while (this.line.length > 0 && this.hasRoom()) {
			this.making++;
			this.line.shift()?.();
		}
	}

	/** Whether the client has stopped reading. @param written bytes that it was sent in all */
	hasStalled(written: number, nowMs: number): boolean {
		if (this.unsentBytes === 0) {
			this.progress = undefined;
			return false;
		}
		if (!this.progress || written - this.progress.written >= LEAST_PROGRESS) {
			this.progress = { written, sinceMs: nowMs };
		}
		return nowMs - this.progress.sinceMs > STALLED_MS;
	}
}
