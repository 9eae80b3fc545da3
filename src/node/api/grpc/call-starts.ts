/**
 * Calls begin a few in each round of the event loop, one of each connection in turn: the library's part of a call takes several times
 * what reading it takes, and one round may read a hundred calls of every connection.
 */

/** Calls that begin in one round, over all connections. */
export const MAX_STARTS = 32;

export class CallStarts {
	/** What waits, by connection; connections in the order in which they come next. */
	private readonly waiting = new Map<object, Set<() => void>>();
	private inRound = 0;
	private isScheduled = false;

	/** @param inNextRound calls a function once all that has been read by now is done */
	constructor(private readonly inNextRound: (next: () => void) => void = setImmediate) {}

	/**
	 * Begins a call: now, or in a later round.
	 * @param begin must not throw
	 * @returns takes a call that waits out of the line: one that its client gives up must hold nothing; undefined: it has begun
	 */
	start(connection: object, begin: () => void): (() => void) | undefined {
		this.schedule();
		if (this.waiting.size === 0 && this.inRound < MAX_STARTS) {
			this.inRound++;
			begin();
			return undefined;
		}
		const line = this.waiting.get(connection) ?? new Set();
		this.waiting.set(connection, line.add(begin));
		return () => {
			if (line.delete(begin) && line.size === 0) this.waiting.delete(connection);
		};
	}

	private schedule(): void {
		if (this.isScheduled) return;
		this.isScheduled = true;
		this.inNextRound(this.round);
	}

	private readonly round = (): void => {
		this.isScheduled = false;
		this.inRound = 0;
		const { waiting } = this;
		if (waiting.size > 0) this.schedule();
		for (const [connection, line] of waiting) {
			if (this.inRound >= MAX_STARTS) break;
			this.inRound++;
			const [begin] = line;
			waiting.delete(connection);
			if (begin) line.delete(begin);
			if (line.size > 0) waiting.set(connection, line);
			begin?.();
		}
	};
}
