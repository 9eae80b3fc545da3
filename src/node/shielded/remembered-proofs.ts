/**
 * Caches proof results, so that each proof is verified once, whether the pool or a block needs it first; ahead of execution
 * on worker threads, if there are any. Signatures and balances are verified each time; they cost a tenth.
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
import { type ProofLane, ProofQueue, type ProofThreads } from "./proof-queue.js";
import { type ProofKeys, proofWorkerScript, WorkerProofThreads } from "./proof-threads.js";
import type { BindingBalance, ShieldedOutput, ShieldedProofs, ShieldedSpend } from "./proofs.js";
import type { SaplingVerifier } from "./verifier.js";

/** Cached results: more than pending blocks can ask for; a few MB. */
const REMEMBERED = 16_384;
/** Maximum proofs of a block verified ahead: more than a block produced within its slot can have. */
const MAX_OF_A_BLOCK = 256;

export class RememberedProofs implements ShieldedProofs {
	private readonly results = new Recent<boolean>(REMEMBERED, Number.POSITIVE_INFINITY, () => 0);
	private readonly queue: ProofQueue | undefined;

	/** @param threads undefined: proofs are verified on the calling thread when needed */
	constructor(
		private readonly verifier: SaplingVerifier,
		threads: ProofThreads | undefined,
	) {
		this.queue = threads && new ProofQueue(threads, (key, holds) => this.results.put(key, holds));
	}

	holdsSpend(spend: ShieldedSpend, signHash: Uint8Array): boolean {
		return (
			this.verifier.isAuthorized(spend, signHash) &&
			this.remembered(spendQuestion(spend), () => this.verifier.provesSpend(spend))
		);
	}

	holdsOutput(output: ShieldedOutput): boolean {
		return this.remembered(outputQuestion(output), () => this.verifier.holdsOutput(output));
	}

	holdsBalance(balance: BindingBalance, signHash: Uint8Array): boolean {
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
	 * Verifies the proofs of transactions on threads, so that execution finds the results. Whatever can't be
	 * verified there is verified when needed.
	 * @returns undefined if there is nothing to wait for
	 */
	prepare(transactions: readonly SignedTransaction[], lane: ProofLane): Promise<void> | undefined {
		const { queue } = this;
		if (!queue) return undefined;
		const waits: Promise<void>[] = [];
		for (const question of transactions.flatMap(questionsOf)) {
			if (waits.length >= MAX_OF_A_BLOCK) break;
			const key = questionKey(question);
			const answer = this.results.has(key) ? undefined : queue.ask(key, question, lane);
			if (answer) waits.push(answer);
		}
		return waits.length > 0 ? Promise.all(waits).then(() => undefined) : undefined;
	}

	async close(): Promise<void> {
		await this.queue?.close();
	}
}

/**
 * Creates a caching verifier, which verifies ahead on worker threads if there are any.
 * @param verifier verifies on the calling thread
 * @param keys for the threads
 * @param threads 0: none
 */
export function checkedAhead(verifier: SaplingVerifier, keys: ProofKeys, threads: number): RememberedProofs {
	const script = proofWorkerScript();
	const workers = script && threads > 0 ? new WorkerProofThreads(script, keys, threads) : undefined;
	return new RememberedProofs(verifier, workers);
}
