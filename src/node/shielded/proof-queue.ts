/**
 * Proofs that wait for threads. Those of blocks come before those of single transactions: whoever follows the chain waits for
 * them. Only a few are with the threads at a time, so that a block doesn't wait behind what others sent.
 */

import type { SignedTransaction } from "../../protocol/transaction.js";
import type { ProofQuestion } from "./proof-questions.js";

/** Checks proofs elsewhere. */
export interface ProofThreads {
	/** How many questions keep the threads busy. */
	readonly atOnce: number;
	/** Whether the proof holds. @throws {Error} if that can't be told here */
	check(question: ProofQuestion): Promise<boolean>;
	close(): Promise<void>;
}

/** Whose proof it is: of a block, or of a transaction that a client sends. */
export type ProofLane = "block" | "transaction";

/**
 * Begins checking the proofs of transactions ahead of their execution.
 * @returns what ends when execution will find the results; undefined if there is nothing to wait for
 */
export type PrepareProofs = (
	transactions: readonly SignedTransaction[],
	lane: ProofLane,
) => Promise<void> | undefined;

/** Questions that may wait; beyond them proofs are checked where they are asked for. */
const MAX_WAITING = 8_192;

interface Job {
	readonly key: string;
	readonly question: ProofQuestion;
	readonly ended: Promise<void>;
	readonly end: () => void;
	/** The lane where it waits; a block's question that a transaction asked before changes its lane. */
	lane: ProofLane | undefined;
	isStarted: boolean;
}

export class ProofQueue {
	private readonly jobs = new Map<string, Job>();
	/** A job that has changed its lane is in both. */
	private readonly lanes: Readonly<Record<ProofLane, Job[]>> = { block: [], transaction: [] };
	private checking = 0;

	/** @param answered gets each answer, before whoever waits for it goes on */
	constructor(
		private readonly threads: ProofThreads,
		private readonly answered: (key: string, holds: boolean) => void,
	) {}

	/**
	 * Asks a question, once however often it is asked before the answer is there.
	 * @returns what ends when it is answered, or can't be; undefined if too many wait
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
				// A thread that failed: whoever executes the transaction checks its proofs.
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
