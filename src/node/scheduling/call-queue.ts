/**
 * Long executions that must not delay others: they share the event loop's time slices, so that block slots,
 * peers and other requests run in between.
 */

import { NamedError } from "../../protocol/json/exceptions.js";
import { SLICE_MS } from "./time-slice.js";

/**
 * Pause after a slice that used up its time. A server accepts one connection per round of the event loop:
 * without short rounds, a client would wait for as many executions as there are connections ahead of it.
 */
const PAUSE_MS = 10;
/** A pause that ends this much late doesn't count: other work blocked the thread, and others have been waiting since. */
const LATE_MS = 50;

/** The node itself as a client, with its pending transactions: it runs between any two of the others. */
export const OWN_CLIENT = "own";

export class CallQueue {
	/** Waiting tasks by client; clients in the order of their turns. */
	private readonly waiting = new Map<string, (() => void)[]>();
	/** Whether the last task was the node's own. */
	private isOwnLast = false;
	private usedMs = 0;
	private scheduled = false;

	/** @param nowMs milliseconds of a clock that only goes forward */
	constructor(private readonly nowMs: () => number = () => performance.now()) {}

	/**
	 * Runs a calculation: now if the slice has time left, else in a later one. Clients take turns (round
	 * robin), each with its calculations in order of arrival.
	 * @param isAbandoned says, when it is its turn, whether its client has gone
	 * @param client its address; empty: it isn't known
	 * @throws {NamedError} CancellationException if it was abandoned
	 */
	run<T>(calculate: () => T, isAbandoned?: () => boolean, client = ""): Promise<T> {
		return new Promise((resolve) => resolve(this.begin(calculate, isAbandoned, client)));
	}

	/**
	 * Like {@link run}, without a promise if nothing has to be awaited.
	 * @throws then what the calculation throws, too
	 */
	begin<T>(calculate: () => T, isAbandoned?: () => boolean, client = ""): T | Promise<T> {
		if (this.waiting.size > 0 || this.usedMs >= SLICE_MS) {
			return new Promise((resolve, reject) => {
				this.wait(client, () => {
					try {
						resolve(this.measured(calculate, isAbandoned));
					} catch (error) {
						reject(error);
					}
				});
				this.schedule();
			});
		}
		try {
			return this.measured(calculate, isAbandoned);
		} finally {
			this.schedule();
		}
	}

	private measured<T>(calculate: () => T, isAbandoned: (() => boolean) | undefined): T {
		if (isAbandoned?.()) throw new NamedError("CancellationException", "the client has left");
		const started = this.nowMs();
		try {
			return calculate();
		} finally {
			this.usedMs += this.nowMs() - started;
		}
	}

	private wait(client: string, task: () => void): void {
		const line = this.waiting.get(client);
		if (line) line.push(task);
		else this.waiting.set(client, [task]);
	}

	/** The first task of the client whose turn it is; the client then goes to the back. */
	private next(): (() => void) | undefined {
		const { waiting } = this;
		const [first, second] = waiting.keys();
		const isOwn = waiting.has(OWN_CLIENT) && (!this.isOwnLast || waiting.size === 1);
		const client = isOwn ? OWN_CLIENT : first === OWN_CLIENT ? second : first;
		const line = client === undefined ? undefined : waiting.get(client);
		if (client === undefined || !line) return undefined;
		this.isOwnLast = isOwn;
		const task = line.shift();
		this.waiting.delete(client);
		if (line.length > 0) this.waiting.set(client, line);
		return task;
	}

	private schedule(): void {
		if (this.scheduled) return;
		this.scheduled = true;
		if (this.usedMs < SLICE_MS) setImmediate(() => this.runSlice());
		else this.pause();
	}

	private pause(): void {
		const due = this.nowMs() + PAUSE_MS;
		setTimeout(() => {
			if (this.nowMs() - due > LATE_MS) this.pause();
			else this.runSlice();
		}, PAUSE_MS);
	}

	private runSlice(): void {
		this.scheduled = false;
		this.usedMs = 0;
		while (this.usedMs < SLICE_MS) {
			const task = this.next();
			if (!task) break;
			task();
		}
		if (this.usedMs > 0) this.schedule();
	}
}

/**
 * Executions for clients, calls and transactions: one queue per process, as there is one event loop. An
 * execution takes no longer than the chain's time limit for a transaction.
 */
export const executions = new CallQueue();
