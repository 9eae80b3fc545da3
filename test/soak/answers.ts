/** Records what a node answered before it was killed, and checks that a later one still has it. */

import type { OpenChain } from "../../src/node/chain/open-chain.js";
import { fromHex, toHex } from "../../src/protocol/bytes.js";

/** Something that was answered is lost. */
export class LostError extends Error {
	override readonly name = "LostError";
}

/** All answers since the chain began. */
export interface Answers {
	/** Ids of accepted transactions. */
	readonly transactions: Set<string>;
	/** Ids of returned blocks, by number. */
	readonly blocks: Map<number, string>;
}

export function noAnswers(): Answers {
	return { transactions: new Set(), blocks: new Map() };
}

/** @throws {LostError} if the chain lacks a recorded transaction or block */
export function checkAnswers({ chain }: OpenChain, answers: Answers): void {
	const { state } = chain;
	for (const id of answers.transactions) {
		if (!state.transaction.has(fromHex(id)))
			throw new LostError(`transaction ${id} was accepted and is gone`);
	}
	for (const [number, id] of answers.blocks) {
		const stored = chain.blockByNumber(BigInt(number));
		if (stored === undefined || toHex(stored.id) !== id) {
			throw new LostError(
				`block ${number} was ${id} and is ${stored === undefined ? "gone" : toHex(stored.id)}`,
			);
		}
	}
}
