/** Worker threads that digest blocks and verify signatures ahead of their execution. */

import { Worker } from "node:worker_threads";
import { bundledScript } from "../../diagnostics/bundled-script.js";
import { addressPrefix } from "../../protocol/address.js";
import type { SignedBlock } from "../../protocol/block.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { PostQuantumAnswer, PostQuantumQuestion } from "./batch.js";
import { applyDigest, type BlockDigest } from "./block-digest.js";
import { PostQuantumQueue } from "./post-quantum-queue.js";

/** Post-quantum signatures per message; whatever queues behind one waits some milliseconds for each. */
const POST_QUANTUM_BATCH = 8;
/** Blocks with fewer transactions are digested during execution, since a message would cost more. */
const WORTH_A_MESSAGE = 8;

/** A block to be digested, as sent to a thread. */
export interface BlockQuestion {
	readonly id: number;
	readonly block: Uint8Array;
	readonly addressPrefix: number;
}

interface BlockAnswer {
	readonly id: number;
	readonly digest: BlockDigest;
}

/** A worker thread ended unexpectedly. */
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

	/** Digests a block, including its signers, and stores the results in it. */
	async digest(block: SignedBlock): Promise<void> {
		if (block.transactions.length < WORTH_A_MESSAGE || this.workers.length === 0) return;
		const copy = new Uint8Array(block.received ?? block.bytes);
		const message = { addressPrefix: addressPrefix(), block: copy };
		const answer = (await this.post(message, [copy.buffer])) as BlockAnswer;
		applyDigest(block, answer.digest);
	}

	/** Verifies the post-quantum signatures of Nile transactions and stores the verdicts in them. */
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

/** URL of the worker script in the bundle; undefined when running from source. */
export const workerScript = (): URL | undefined => bundledScript("node/signatures/recover.worker.js");

/** Number of transactions in a block from which threads are worth their memory. */
const WORTH_A_THREAD = 8;

/** Transactions per thread whose post-quantum signatures are verified at the same time; blocks are interleaved. */
const MAX_VERIFIED_AHEAD = 2;

/** Signature threads started on demand: most nodes are in sync and need none. */
export class LazySignaturePool {
	private pool: Promise<SignaturePool> | undefined;
	private readonly queue: PostQuantumQueue;

	/** @param script the bundled worker; undefined: no threads */
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
	 * Digests a block and recovers its signers, on threads if worthwhile.
	 * @param slow whether to verify its post-quantum signatures, too
	 */
	async digest(block: SignedBlock, slow = false): Promise<void> {
		const { transactions } = block;
		if (!this.pool && !slow && transactions.length < WORTH_A_THREAD) return;
		const pool = await this.started();
		if (!pool) return;
		await Promise.all([pool.digest(block), slow ? pool.verifyPostQuantum(transactions) : undefined]);
	}

	/** Verifies the post-quantum signatures of a transaction sent by a client: few at a time, with sources taking turns. */
	verify(transaction: SignedTransaction, source: string): Promise<void> {
		return this.script && this.threads > 0 ? this.queue.check(transaction, source) : Promise.resolve();
	}

	async close(): Promise<void> {
		await (await this.pool?.catch(() => undefined))?.close();
	}
}

/** A transaction's post-quantum entries; none if they don't decode, which rejects it later. */
function readableEntries(transaction: SignedTransaction): SignedTransaction["postQuantum"] {
	try {
		return transaction.postQuantum;
	} catch (error) {
		if (error instanceof DecodeError) return [];
		throw error;
	}
}
