/** Worker threads for signatures that begin when there is work for them: most nodes are in step and need none. */

import { bundledScript } from "../../diagnostics/bundled-script.js";
import type { SignedBlock } from "../../protocol/block.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { SignaturePool } from "./pool.js";
import { PostQuantumQueue } from "./post-quantum-queue.js";

// Where the bundled worker is.

/** The worker's script in the bundle that this code runs from; undefined when it runs from source. */
export const workerScript = (): URL | undefined => bundledScript("node/signatures/recover.worker.js");

/** Transactions of a block from which threads are worth their memory. */
const WORTH_A_THREAD = 8;

/** Transactions of which post-quantum signatures are verified at a time for each thread; blocks come in between. */
const MAX_VERIFIED_AHEAD = 2;

export class LazySignaturePool {
	private pool: Promise<SignaturePool> | undefined;
	private readonly queue: PostQuantumQueue;

	/** @param script the bundled worker; undefined: there are no threads */
	constructor(
		private readonly script: URL | undefined,
		private readonly threads: number,
	) {
		const verify = async (transaction: SignedTransaction) =>
			(await this.started())?.verifyPostQuantum([transaction]);
		this.queue = new PostQuantumQueue(verify, MAX_VERIFIED_AHEAD * Math.max(1, threads));
	}

	private started(): Promise<SignaturePool> | undefined {
		if (this.script && this.threads > 0) this.pool ??= SignaturePool.start(this.script, this.threads);
		return this.pool;
	}

	/**
	 * Digests a block and recovers its signers, on threads if that pays.
	 * @param slow verifies its post-quantum signatures, too
	 */
	async digest(block: SignedBlock, slow = false): Promise<void> {
		const { transactions } = block;
		if (!this.pool && !slow && transactions.length < WORTH_A_THREAD) return;
		const pool = await this.started();
		if (!pool) return;
		await Promise.all([pool.digest(block), slow ? pool.verifyPostQuantum(transactions) : undefined]);
	}

	/** Verifies the post-quantum signatures of a transaction that was sent: few at a time, those of each source in turn. */
	verify(transaction: SignedTransaction, source: string): Promise<void> {
		return this.script && this.threads > 0 ? this.queue.check(transaction, source) : Promise.resolve();
	}

	async close(): Promise<void> {
		await (await this.pool?.catch(() => undefined))?.close();
	}
}
