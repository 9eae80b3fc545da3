/**
 * Work in the background that others never wait for: short pieces, each followed by a rest nine times as long, and an end between
 * any two of them.
 */

/** Entries that leave a database in one batch. */
export const BATCH_ENTRIES = 1_500;
/** Milliseconds of one piece of work. */
export const PIECE_MS = 4;
/** Rest after each piece of work, as a multiple of its time. */
const REST = 9;

export interface Pace {
	/** Milliseconds of a clock that only goes forward. */
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
	/** Ends the rest that is under way. */
	private wake: () => void = () => {};

	constructor(private readonly pace: Pace) {}

	/** All that is due. @throws {Stopped} where it has to end before */
	protected abstract work(): Promise<void>;

	/** Does what is due, unless that is going on already. @throws what keeps it from going on */
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

	/** Stops within a piece of work. What is left or half done is found again after the next start. */
	async stop(): Promise<void> {
		this.isStopped = true;
		this.wake();
		// Whoever called run is notified of a failure.
		await this.running?.catch(() => {});
	}

	/** Rests after a piece of work. @param started when it began, by the clock @throws {Stopped} */
	protected async rest(started: number): Promise<void> {
		const work = this.pace.now() - started;
		if (this.isStopped) throw new Stopped("stopped");
		// No race with a promise that lives as long as the node: it would keep something of every rest.
		await new Promise<void>((resolve, reject) => {
			this.wake = resolve;
			this.pace.pause(work * REST).then(resolve, reject);
		});
		if (this.isStopped) throw new Stopped("stopped");
	}
}
