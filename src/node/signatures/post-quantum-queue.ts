/**
 * Verifying post-quantum signatures of single transactions on the signature threads, before the chain is asked to take them. One
 * signature takes as long as forty recoveries of secp256k1, so that whoever may send some could keep blocks waiting: few are
 * verified at a time, and those who sent them take turns.
 */

import type { SignedTransaction } from "../../protocol/transaction.js";
import { FairQueue } from "../scheduling/fair-queue.js";

/** Bytes of transactions that may wait, of all sources and of one: a client that left doesn't take its transaction along. */
const MAX_UNVERIFIED_BYTES = 16 << 20;
const MAX_UNVERIFIED_BYTES_OF_SOURCE = 4 << 20;

/** So much waits that nothing more is verified now. */
export class VerificationBusyError extends Error {
	override readonly name = "VerificationBusyError";
	/** As clients of queries read it. */
	readonly className = "RejectedExecutionException";

	constructor() {
		super("too many post-quantum signatures wait to be verified");
	}
}

interface Waiting {
	readonly transaction: SignedTransaction;
	readonly done: () => void;
}

export class PostQuantumQueue {
	private readonly waiting = new FairQueue<string, Waiting>();
	/** Bytes that wait, by source. */
	private readonly bytes = new Map<string, number>();
	private totalBytes = 0;
	private running = 0;

	/**
	 * @param verify finds out about a transaction's signatures and leaves the verdicts in it
	 * @param maxRunning transactions that are verified at a time
	 */
	constructor(
		private readonly verify: (transaction: SignedTransaction) => Promise<void>,
		private readonly maxRunning: number,
	) {}

	/**
	 * @param source who sent it: sources take turns
	 * @throws {VerificationBusyError} asynchronously, where it may not wait
	 * @returns what resolves when the verdicts are in the transaction, or can't be had: the chain verifies itself then
	 */
	check(transaction: SignedTransaction, source: string): Promise<void> {
		const { length } = transaction.bytes;
		const own = (this.bytes.get(source) ?? 0) + length;
		const isFull = own > MAX_UNVERIFIED_BYTES_OF_SOURCE || this.totalBytes + length > MAX_UNVERIFIED_BYTES;
		if (this.bytes.has(source) && isFull) return Promise.reject(new VerificationBusyError());
		this.totalBytes += length;
		this.bytes.set(source, own);
		return new Promise((done) => {
			this.waiting.push(source, { transaction, done });
			this.start();
		});
	}

	private forget(source: string, length: number): void {
		this.totalBytes -= length;
		const left = (this.bytes.get(source) ?? 0) - length;
		if (left > 0) this.bytes.set(source, left);
		else this.bytes.delete(source);
	}

	private start(): void {
		while (this.running < this.maxRunning) {
			const [source, next] = this.waiting.next() ?? [];
			if (!next || source === undefined) return;
			this.forget(source, next.transaction.bytes.length);
			this.running++;
			const end = () => {
				this.running--;
				next.done();
				this.start();
			};
			this.verify(next.transaction).then(end, end);
		}
	}
}
