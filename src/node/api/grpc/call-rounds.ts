/**
 * How many calls begin before the event loop comes round. One read of a connection holds more than a thousand calls that
 * are opened and reset at once, which no limit on open calls sees, and nothing else runs until all of them have begun.
 */

/** Calls that may begin in one round, over all connections. */
const MAX_IN_ROUND = 1_000;

/** The calls that one connection began. */
export interface RoundCount {
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
