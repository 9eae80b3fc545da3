/**
 * Verifying post-quantum signatures of single transactions on the signature threads, before the chain is asked to take them. One
 * signature takes as long as forty recoveries of secp256k1, so that whoever may send some could keep blocks waiting: few are
 * verified at a time, and those who sent them take turns.
 */

import type { SignedTransaction } from "../../protocol/transaction.js";
import { FairQueue } from "../scheduling/fair-queue.js";

interface Waiting {
	readonly transaction: SignedTransaction;
	readonly done: () => void;
}

export class PostQuantumQueue {
	private readonly waiting = new FairQueue<string, Waiting>();
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
	 * @returns what resolves when the verdicts are in the transaction, or can't be had: the chain verifies itself then
	 */
	check(transaction: SignedTransaction, source: string): Promise<void> {
		return new Promise((done) => {
			this.waiting.push(source, { transaction, done });
			this.start();
		});
	}

	private start(): void {
		while (this.running < this.maxRunning) {
			const [, next] = this.waiting.next() ?? [];
			if (!next) return;
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
