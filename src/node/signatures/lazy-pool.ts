/** Worker threads for signatures that begin when there is work for them: most nodes are in step and need none. */

import type { SignedTransaction } from "../../protocol/transaction.js";
import { SignaturePool } from "./pool.js";

/** Transactions of a block from which threads are worth their memory. */
const WORTH_A_THREAD = 8;

export class LazySignaturePool {
	private pool: Promise<SignaturePool> | undefined;

	/** @param script the bundled worker; undefined: there are no threads */
	constructor(
		private readonly script: URL | undefined,
		private readonly threads: number,
	) {}

	/** Recovers the signers of transactions, on threads if that pays. */
	async recover(transactions: readonly SignedTransaction[]): Promise<void> {
		if (!this.script || this.threads < 1) return;
		if (!this.pool && transactions.length < WORTH_A_THREAD) return;
		this.pool ??= SignaturePool.start(this.script, this.threads);
		await (await this.pool).recover(transactions);
	}

	async close(): Promise<void> {
		await (await this.pool?.catch(() => undefined))?.close();
	}
}
