/** Worker threads that digest blocks and verify signatures ahead of their execution. */

import { Worker } from "node:worker_threads";
import { addressPrefix } from "../../protocol/address.js";
import type { SignedBlock } from "../../protocol/block.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { PostQuantumAnswer, PostQuantumQuestion } from "./batch.js";
import { applyDigest, type BlockDigest } from "./block-digest.js";

/** Post-quantum signatures in a message: what waits behind one waits some milliseconds each. */
const POST_QUANTUM_BATCH = 8;
/** Blocks with fewer transactions are digested where they are executed: a message would cost more. */
const WORTH_A_MESSAGE = 8;

/** A block as the pool sends it to be digested. */
export interface BlockQuestion {
	readonly id: number;
	readonly block: Uint8Array;
	readonly addressPrefix: number;
}

interface BlockAnswer {
	readonly id: number;
	readonly digest: BlockDigest;
}

/** A worker thread ended by itself. */
export class WorkerFailedError extends Error {
	override readonly name = "WorkerFailedError";
}

export class SignaturePool {
	private readonly workers: Worker[] = [];
	private readonly waiting = new Map<
		number,
		{ done: (answer: BlockAnswer | PostQuantumAnswer) => void; fail: (e: Error) => void }
	>();
	private nextId = 0;
	private nextWorker = 0;
	private failure: Error | undefined;
	private closing = false;

	/**
	 * Starts worker threads.
	 * @param script the bundled worker; recover.worker.ts
	 */
	static async start(script: URL, threads: number): Promise<SignaturePool> {
		const pool = new SignaturePool();
		await Promise.all(Array.from({ length: threads }, () => pool.addWorker(script)));
		return pool;
	}

	private addWorker(script: URL): Promise<void> {
		const worker = new Worker(script);
		// An idle pool must not keep the process alive.
		worker.unref();
		this.workers.push(worker);
		return new Promise((resolve, reject) => {
			worker.on("message", (message: BlockAnswer | PostQuantumAnswer | { ready: string }) => {
				if ("ready" in message) resolve();
				else this.answered(message);
			});
			worker.on("error", (error) => {
				reject(error);
				this.fail(new WorkerFailedError(`a signature thread failed: ${error.message}`, { cause: error }));
			});
			worker.on("exit", (code) => {
				if (this.closing) return;
				const error = new WorkerFailedError(`a signature thread ended with code ${code}`);
				reject(error);
				if (!this.failure) this.fail(error);
			});
		});
	}

	private answered(answer: BlockAnswer | PostQuantumAnswer): void {
		const entry = this.waiting.get(answer.id);
		this.waiting.delete(answer.id);
		entry?.done(answer);
	}

	private fail(error: Error): void {
		this.failure = error;
		for (const { fail } of this.waiting.values()) fail(error);
		this.waiting.clear();
	}

	/** Works out what follows from a block's bytes, its signers among it, and leaves it in the block. */
	async digest(block: SignedBlock): Promise<void> {
		if (block.transactions.length < WORTH_A_MESSAGE || this.workers.length === 0) return;
		const copy = new Uint8Array(block.received ?? block.bytes);
		const message = { addressPrefix: addressPrefix(), block: copy };
		const answer = (await this.post(message, [copy.buffer])) as BlockAnswer;
		applyDigest(block, answer.digest);
	}

	/** Verifies the post-quantum signatures of transactions of Nile and leaves the verdicts in them. */
	async verifyPostQuantum(transactions: readonly SignedTransaction[]): Promise<void> {
		const questions: (PostQuantumQuestion & { readonly done: (verdict: boolean) => void })[] = [];
		for (const transaction of transactions) {
			for (const [index, { scheme, public_key, signature }] of readableEntries(transaction).entries()) {
				if (transaction.postQuantumVerdicts?.[index] !== undefined) continue;
				const done = (verdict: boolean) => transaction.addPostQuantumVerdict(index, verdict);
				questions.push({ message: transaction.id, entry: { scheme, public_key, signature }, done });
			}
		}
		const batches: Promise<void>[] = [];
		for (let from = 0; from < questions.length; from += POST_QUANTUM_BATCH) {
			const batch = questions.slice(from, from + POST_QUANTUM_BATCH);
			const postQuantum = batch.map(({ message, entry }) => ({ message, entry }));
			batches.push(
				this.post({ postQuantum }, []).then((answer) => {
					for (const [i, verdict] of (answer as PostQuantumAnswer).verdicts.entries())
						batch[i]?.done(verdict);
				}),
			);
		}
		await Promise.all(batches);
	}

	private post(
		content: object,
		transferred: readonly ArrayBuffer[],
	): Promise<BlockAnswer | PostQuantumAnswer> {
		if (this.failure) return Promise.reject(this.failure);
		const id = this.nextId++;
		const worker = this.workers[this.nextWorker++ % this.workers.length] as Worker;
		return new Promise((done, fail) => {
			this.waiting.set(id, { done, fail });
			worker.postMessage({ id, ...content }, [...transferred]);
		});
	}

	async close(): Promise<void> {
		this.closing = true;
		await Promise.all(this.workers.map((worker) => worker.terminate()));
	}
}

/** The entries of a transaction; none if they can't be read, which refuses it later. */
function readableEntries(transaction: SignedTransaction): SignedTransaction["postQuantum"] {
	try {
		return transaction.postQuantum;
	} catch (error) {
		if (error instanceof DecodeError) return [];
		throw error;
	}
}
