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
import { type ProofLane, ProofQueue, type ProofThreads } from "./proof-queue.js";
import { type ProofKeys, proofWorkerScript, WorkerProofThreads } from "./proof-threads.js";
import type { BindingBalance, ShieldedOutput, ShieldedProofs, ShieldedSpend } from "./proofs.js";
import type { SaplingVerifier } from "./verifier.js";

/** Results that are remembered: more than blocks that wait can ask for, a few MB. */
const REMEMBERED = 16_384;
/** Of a block's proofs so many are checked ahead: more than one that was made in its time can have. */
const MAX_OF_A_BLOCK = 256;

export class RememberedProofs implements ShieldedProofs {
	private readonly results = new Recent<boolean>(REMEMBERED, Number.POSITIVE_INFINITY, () => 0);
	private readonly queue: ProofQueue | undefined;

	/** @param threads undefined: proofs are checked on the calling thread when they are asked for */
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
	 * Checks the proofs of transactions on threads, so that executing them finds the results. Where that isn't possible they are checked
	 * when they are asked for.
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
 * What checks proofs: on worker threads ahead of execution where there are any, and results are remembered.
 * @param verifier checks on the calling thread
 * @param keys for the threads
 * @param threads 0: none
 */
export function checkedAhead(verifier: SaplingVerifier, keys: ProofKeys, threads: number): RememberedProofs {
	const script = proofWorkerScript();
	const workers = script && threads > 0 ? new WorkerProofThreads(script, keys, threads) : undefined;
	return new RememberedProofs(verifier, workers);
}
