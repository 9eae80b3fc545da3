/**
 * Background work that never delays others: short pieces, each followed by a rest nine times as long,
 * stoppable between any two of them.
 */

/** Entries deleted from a database per batch. */
export const BATCH_ENTRIES = 1_500;
/** Milliseconds per piece of work. */
export const PIECE_MS = 4;
/** Rest after each piece of work, as a multiple of its duration. */
const REST = 9;

export interface Pace {
	/** Milliseconds of a monotonic clock. */
	readonly now: () => number;
	/** Waits, without keeping the process alive. */
	readonly pause: (ms: number) => Promise<void>;
}

/** The work was stopped. */
export class Stopped extends Error {
	override readonly name = "Stopped";
}

export abstract class PacedWork {
	private running: Promise<void> | undefined;
	private isStopped = false;
	/** Ends the current rest. */
	private wake: () => void = () => {};

	constructor(private readonly pace: Pace) {}

	/** Does everything that is due. @throws {Stopped} where it has to end before */
	protected abstract work(): Promise<void>;

	/** Does what is due, unless already running. @throws what keeps it from going on */
	run(): Promise<void> {
		this.running ??= this.work()
			.catch((error: unknown) => {
				if (!(error instanceof Stopped)) throw error;
			})
			.finally(() => {
				this.running = undefined;
			});
		return this.running;
	}

	/** Stops within one piece of work. Unfinished work is found again on the next start. */
	async stop(): Promise<void> {
		this.isStopped = true;
		this.wake();
		// The caller of run gets the failure.
		await this.running?.catch(() => {});
	}

	/** Rests after a piece of work. @param started when it began, by the clock @throws {Stopped} */
	protected async rest(started: number): Promise<void> {
		const work = this.pace.now() - started;
		if (this.isStopped) throw new Stopped("stopped");
		// Not a race with a promise that lives as long as the node: that would leak a little with every rest.
		await new Promise<void>((resolve, reject) => {
			this.wake = resolve;
			this.pace.pause(work * REST).then(resolve, reject);
		});
		if (this.isStopped) throw new Stopped("stopped");
	}
}
