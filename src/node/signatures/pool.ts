/** Recovering the signers of transactions on worker threads, ahead of their execution. */

import { Worker } from "node:worker_threads";
import { addressPrefix } from "../../protocol/address.js";
import { SIGNATURE_LENGTH, SignatureError } from "../../protocol/signature.js";
import { SignatureSizeError, type SignedTransaction } from "../../protocol/transaction.js";
import { type BatchAnswer, QUESTION_LENGTH, readAnswer, writeQuestion } from "./batch.js";

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
		{ done: (answer: BatchAnswer) => void; fail: (e: Error) => void }
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
			worker.on("message", (message: BatchAnswer | { ready: string }) => {
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

	private answered(answer: BatchAnswer): void {
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
		const answer = await this.post(packed);
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

	private post(questions: Uint8Array): Promise<BatchAnswer> {
		const id = this.nextId++;
		const worker = this.workers[this.nextWorker++ % this.workers.length] as Worker;
		return new Promise((done, fail) => {
			this.waiting.set(id, { done, fail });
			const message = { id, addressPrefix: addressPrefix(), questions };
			worker.postMessage(message, [questions.buffer as ArrayBuffer]);
		});
	}

	async close(): Promise<void> {
		this.closing = true;
		await Promise.all(this.workers.map((worker) => worker.terminate()));
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
