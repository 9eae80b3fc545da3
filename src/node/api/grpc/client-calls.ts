/**
 * What one connection of gRPC keeps in this process: calls that are open, answers that it hasn't taken. Windows of HTTP/2
 * are in the client's hands: one that stays closed leaves every answer here.
 */

/** Calls that may begin in one round, over all connections. */
const MAX_IN_ROUND = 1_000;

/** The calls that one connection began. */
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

	/** Counts a call of a connection. @returns whether the round has room for it */
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

/** Answers of a connection that are being made at a time. */
const MAX_MAKING = 16;
/** With so many bytes unsent no further answer is made for a connection. */
const MAX_UNSENT = 1 << 20;
/** Calls that a connection may have open. */
export const MAX_CALLS = 100;
/**
 * Calls that a connection may begin before the event loop comes round. A client that waits for answers can't begin more
 * than it may have open, and as many again for those that it gave up meanwhile.
 */
export const MAX_BEGUN = 2 * MAX_CALLS;
/** A client that takes less than this in {@link STALLED_MS} while answers wait for it has stopped reading. */
const LEAST_PROGRESS = 64 << 10;
const STALLED_MS = 30_000;

/** What all connections of a server hold together. */
export class CallTotals {
	/** Calls that are open. */
	open = 0;
	/** Bytes of answers that haven't left. */
	unsent = 0;

	constructor(readonly rounds = new CallRounds()) {}
}

export class ClientCalls {
	/** Calls whose message has come, and which are not answered. */
	calls = 0;
	/** Streams of reflection and health that are open. */
	streams = 0;
	/** Whether any call was answered. */
	hasAsked = false;
	/** When it connected, or was answered last. */
	lastMs = performance.now();
	/** Calls that have begun and not closed. */
	private openCalls = 0;
	private refusedCalls = 0;
	private readonly begun: RoundCount = { round: 0, inRound: 0 };
	private resets = { sinceMs: Number.NEGATIVE_INFINITY, count: 0 };
	private making = 0;
	private unsentBytes = 0;
	private readonly line: (() => void)[] = [];
	/** How much was written when, as far as it went on. */
	private progress: { readonly written: number; readonly sinceMs: number } | undefined;

	constructor(private readonly totals: CallTotals) {}

	/** Calls that are open. */
	get open(): number {
		return this.openCalls;
	}

	/** Whether it opens calls again and again that it was told not to open, or resets them as fast as it opens them. */
	get insists(): boolean {
		return this.refusedCalls > MAX_CALLS || this.begun.inRound > MAX_BEGUN;
	}

	/** Bytes of answers that haven't left. */
	get unsent(): number {
		return this.unsentBytes;
	}

	/** A call begins. @returns what is to be called when it has closed; undefined: there are too many */
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

	/** The client has reset a call. @returns how many it has reset in the window that is open */
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

	/** An answer is made, and waits to be sent. @returns what is to be called, once or more often, when it is gone */
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
