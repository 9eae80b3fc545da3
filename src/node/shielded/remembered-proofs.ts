/**
 * Proofs whose results are remembered: a proof is checked once, whether the pool or a block asks first, and ahead of execution on
 * worker threads where there are any. Signatures and values are checked each time; they cost a tenth.
 */

import type { SignedTransaction } from "../../protocol/transaction.js";
import { Recent } from "../memory/recent.js";
import {
	outputQuestion,
	type ProofQuestion,
	questionKey,
	questionsOf,
	spendQuestion,
} from "./proof-questions.js";
import type { ShieldedBalance, ShieldedOutput, ShieldedProofs, ShieldedSpend } from "./proofs.js";
import type { SaplingVerifier } from "./verifier.js";

/** Results that are remembered: some thousand transactions, less than 1 MB. */
const REMEMBERED = 8_192;
/** Proofs that may wait for threads; more are checked where they are asked for. */
const MOST_WAITING = 256;

/** Checks proofs elsewhere. */
export interface ProofThreads {
	/** @returns for each question whether it holds */
	check(questions: readonly ProofQuestion[]): Promise<readonly boolean[]>;
	close(): Promise<void>;
}

export class RememberedProofs implements ShieldedProofs {
	private readonly results = new Recent<boolean>(REMEMBERED, Number.POSITIVE_INFINITY, () => 0);
	private readonly waiting = new Map<string, Promise<void>>();

	/** @param threads undefined: proofs are checked on the calling thread when they are asked for */
	constructor(
		private readonly verifier: SaplingVerifier,
		private readonly threads: ProofThreads | undefined,
	) {}

	holdsSpend(spend: ShieldedSpend, signHash: Uint8Array): boolean {
		return (
			this.verifier.isAuthorized(spend, signHash) &&
			this.remembered(spendQuestion(spend), () => this.verifier.provesSpend(spend))
		);
	}

	holdsOutput(output: ShieldedOutput): boolean {
		return this.remembered(outputQuestion(output), () => this.verifier.holdsOutput(output));
	}

	holdsBalance(balance: ShieldedBalance, signHash: Uint8Array): boolean {
		return this.verifier.holdsBalance(balance, signHash);
	}

	merkleHash(level: number, left: Uint8Array, right: Uint8Array): Uint8Array {
		return this.verifier.merkleHash(level, left, right);
	}

	private remembered(question: ProofQuestion, check: () => boolean): boolean {
		const key = questionKey(question);
		const known = this.results.get(key);
		if (known !== undefined) return known;
		const holds = check();
		this.results.put(key, holds);
		return holds;
	}

	/**
	 * Checks the proofs of transactions on threads, so that executing them finds the results. Where that isn't possible they are checked
	 * when they are asked for.
	 */
	async prepare(transactions: readonly SignedTransaction[]): Promise<void> {
		const { threads } = this;
		if (!threads) return;
		const asked = new Map<string, ProofQuestion>();
		const others: Promise<void>[] = [];
		for (const question of transactions.flatMap(questionsOf)) {
			const key = questionKey(question);
			const other = this.waiting.get(key);
			if (other) others.push(other);
			else if (this.results.get(key) === undefined && this.waiting.size + asked.size < MOST_WAITING) {
				asked.set(key, question);
			}
		}
		if (asked.size > 0) others.push(this.ask(threads, asked));
		await Promise.all(others);
	}

	private ask(threads: ProofThreads, asked: ReadonlyMap<string, ProofQuestion>): Promise<void> {
		const done = threads
			.check([...asked.values()])
			.then(
				(results) => {
					for (const [i, key] of [...asked.keys()].entries()) this.results.put(key, results[i] as boolean);
				},
				// A thread that failed: whoever executes the transactions checks their proofs.
				() => undefined,
			)
			.finally(() => {
				for (const key of asked.keys()) this.waiting.delete(key);
			});
		for (const key of asked.keys()) this.waiting.set(key, done);
		return done;
	}

	async close(): Promise<void> {
		await this.threads?.close();
	}
}
