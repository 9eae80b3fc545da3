/**
 * Verifies post-quantum signatures of single transactions on the signature threads before they enter the
 * chain's checks. One takes as long as forty secp256k1 recoveries, so senders could delay blocks: few are
 * verified at a time, and senders take turns.
 */

import type { SignedTransaction } from "../../protocol/transaction.js";
import { FairQueue } from "../scheduling/fair-queue.js";

/**
 * Maximum bytes of queued transactions, in total and per source. A transaction stays queued even if its client disconnects.
 */
const MAX_UNVERIFIED_BYTES = 16 << 20;
const MAX_UNVERIFIED_BYTES_OF_SOURCE = 4 << 20;

/** The queue is full. */
export class VerificationBusyError extends Error {
	override readonly name = "VerificationBusyError";
	/** Exception class name shown to API clients. */
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
	/** Queued bytes by source. */
	private readonly bytes = new Map<string, number>();
	private totalBytes = 0;
	private running = 0;

	/**
	 * @param verify verifies a transaction's signatures and stores the verdicts in it
	 * @param maxRunning number of transactions verified at a time
	 */
	constructor(
		private readonly verify: (transaction: SignedTransaction) => Promise<void>,
		private readonly maxRunning: number,
	) {}

	/**
	 * @param source who sent it; sources take turns
	 * @throws {VerificationBusyError} asynchronously, where it may not wait
	 * @returns resolves when the verdicts are stored or verification failed, in which case the chain verifies itself
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
