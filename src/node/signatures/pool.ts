/** Recovering the signers of transactions on worker threads, ahead of their execution. */

import { Worker } from "node:worker_threads";
import { addressPrefix } from "../../protocol/address.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { SIGNATURE_LENGTH, SignatureError } from "../../protocol/signature.js";
import { SignatureSizeError, type SignedTransaction } from "../../protocol/transaction.js";
import {
	type BatchAnswer,
	type PostQuantumAnswer,
	type PostQuantumQuestion,
	QUESTION_LENGTH,
	readAnswer,
	writeQuestion,
} from "./batch.js";

/** Post-quantum signatures in a message: what waits behind one waits some milliseconds each. */
const POST_QUANTUM_BATCH = 8;
/** Signatures below this number are recovered where they are: a message would cost more. */
const WORTH_A_MESSAGE = 8;

interface Question {
	readonly transaction: SignedTransaction;
	readonly index: number;
}

/** A worker thread ended by itself. */
export class WorkerFailedError extends Error {
	override readonly name = "WorkerFailedError";
}

export class SignaturePool {
	private readonly workers: Worker[] = [];
	private readonly waiting = new Map<
		number,
		{ done: (answer: BatchAnswer | PostQuantumAnswer) => void; fail: (e: Error) => void }
	>();
	private nextId = 0;
	private nextWorker = 0;
	private failure: Error | undefined;
	private closing = false;

	/**
	 * Starts worker threads.
	 * @param script the bundled worker; see {@link answerBatch} for what it does
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
			worker.on("message", (message: BatchAnswer | PostQuantumAnswer | { ready: string }) => {
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

	private answered(answer: BatchAnswer | PostQuantumAnswer): void {
		const entry = this.waiting.get(answer.id);
		this.waiting.delete(answer.id);
		entry?.done(answer);
	}

	private fail(error: Error): void {
		this.failure = error;
		for (const { fail } of this.waiting.values()) fail(error);
		this.waiting.clear();
	}

	/** Recovers all signatures of some transactions and leaves the signers in them. */
	async recover(transactions: readonly SignedTransaction[]): Promise<void> {
		const questions = transactions.flatMap((transaction): Question[] =>
			transaction.signers ? [] : transaction.message.signature.map((_, index) => ({ transaction, index })),
		);
		if (questions.length < WORTH_A_MESSAGE || this.workers.length === 0) return;
		const share = Math.ceil(questions.length / this.workers.length);
		const parts: Promise<void>[] = [];
		for (let from = 0; from < questions.length; from += share) {
			parts.push(this.ask(questions.slice(from, from + share)));
		}
		await Promise.all(parts);
	}

	private async ask(questions: readonly Question[]): Promise<void> {
		if (this.failure) throw this.failure;
		const whole = questions.filter(
			({ transaction, index }) => signatureAt(transaction, index).length >= SIGNATURE_LENGTH,
		);
		const packed = new Uint8Array(whole.length * QUESTION_LENGTH);
		for (const [at, { transaction, index }] of whole.entries()) {
			writeQuestion(packed, at, transaction.id, signatureAt(transaction, index));
		}
		const message = { addressPrefix: addressPrefix(), questions: packed };
		const answer = (await this.post(message, [packed.buffer as ArrayBuffer])) as BatchAnswer;
		const failed = new Map(answer.errors.map(({ index, message }) => [index, message]));
		for (const [at, question] of whole.entries()) {
			const address = readAnswer(answer.answers, at);
			setSigner(question, address ?? new SignatureError(failed.get(at) ?? ""));
		}
		for (const question of questions) {
			const { length } = signatureAt(question.transaction, question.index);
			if (length < SIGNATURE_LENGTH)
				setSigner(question, new SignatureSizeError(`Signature size is ${length}`));
		}
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
	): Promise<BatchAnswer | PostQuantumAnswer> {
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

function signatureAt(transaction: SignedTransaction, index: number): Uint8Array {
	return transaction.message.signature[index] as Uint8Array;
}

function setSigner({ transaction, index }: Question, signer: Uint8Array | SignatureError): void {
	const signers = [...(transaction.signers ?? [])];
	signers[index] = signer;
	transaction.signers = signers;
}
