/**
 * Queue of proofs waiting for threads. Proofs of blocks go before those of single transactions, since following the chain
 * depends on them. Only a few are handed to the threads at a time, so that a block doesn't wait behind clients' transactions.
 */

import type { SignedTransaction } from "../../protocol/transaction.js";
import type { ProofQuestion } from "./proof-questions.js";

/** Verifies proofs on other threads. */
export interface ProofThreads {
	/** Number of questions that keeps all threads busy. */
	readonly atOnce: number;
	/** Whether the proof is valid. @throws {Error} if that can't be determined here */
	check(question: ProofQuestion): Promise<boolean>;
	close(): Promise<void>;
}

/** Where a proof comes from: a block, or a transaction sent by a client. */
export type ProofLane = "block" | "transaction";

/**
 * Starts verifying the proofs of transactions ahead of their execution.
 * @returns resolves once execution will find the results; undefined if there is nothing to wait for
 */
export type PrepareProofs = (
	transactions: readonly SignedTransaction[],
	lane: ProofLane,
) => Promise<void> | undefined;

/** Maximum queued questions; beyond that, proofs are verified when execution needs them. */
const MAX_WAITING = 8_192;

interface Job {
	readonly key: string;
	readonly question: ProofQuestion;
	readonly ended: Promise<void>;
	readonly end: () => void;
	/** The lane it is queued in; a transaction's question moves to the block lane if a block asks it, too. */
	lane: ProofLane | undefined;
	isStarted: boolean;
}

export class ProofQueue {
	private readonly jobs = new Map<string, Job>();
	/** A job that has moved is in both lanes. */
	private readonly lanes: Readonly<Record<ProofLane, Job[]>> = { block: [], transaction: [] };
	private checking = 0;

	/** @param answered gets each answer, before those waiting for it resume */
	constructor(
		private readonly threads: ProofThreads,
		private readonly answered: (key: string, holds: boolean) => void,
	) {}

	/**
	 * Queues a question; concurrent requests for the same one share the answer.
	 * @returns resolves when it is answered or has failed; undefined if the queue is full
	 */
	ask(key: string, question: ProofQuestion, lane: ProofLane): Promise<void> | undefined {
		const job = this.jobs.get(key) ?? this.newJob(key, question);
		if (!job) return undefined;
		if (!job.isStarted && job.lane !== lane && job.lane !== "block") {
			job.lane = lane;
			this.lanes[lane].push(job);
			this.start();
		}
		return job.ended;
	}

	private newJob(key: string, question: ProofQuestion): Job | undefined {
		if (this.jobs.size >= MAX_WAITING) return undefined;
		let end: () => void = () => {};
		const ended = new Promise<void>((resolve) => {
			end = resolve;
		});
		const job: Job = { key, question, ended, end, lane: undefined, isStarted: false };
		this.jobs.set(key, job);
		return job;
	}

	private start(): void {
		while (this.checking < this.threads.atOnce) {
			const job = this.lanes.block.shift() ?? this.lanes.transaction.shift();
			if (!job) return;
			if (!job.isStarted) this.check(job);
		}
	}

	private check(job: Job): void {
		job.isStarted = true;
		this.checking++;
		this.threads
			.check(job.question)
			.then(
				(holds) => this.answered(job.key, holds),
				// The thread failed; execution will verify the proof itself.
				() => undefined,
			)
			.finally(() => {
				this.checking--;
				this.jobs.delete(job.key);
				job.end();
				this.start();
			});
	}

	close(): Promise<void> {
		return this.threads.close();
	}
}
