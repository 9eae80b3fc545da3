/** The summary of our chain with which blocks are asked for (protocol/peers §7.2). */

import type { BlockRef, LocalChain } from "../local-chain.js";
import { Reason } from "../wire/application-messages.js";
import { Misconduct } from "./misconduct.js";
import type { BlockQueue } from "./peer.js";

type SummaryChain = Pick<LocalChain, "head" | "lowestForkPoint" | "idAt" | "isOnChain" | "branchTo">;

/**
 * Ids of ever smaller distance, from the lowest height at which a branch may leave our chain up to the last block
 * that we expect from the peer.
 * @param bothHave the last block of which we know that both have it
 * @param toFetch blocks of the peer that we don't have yet, in order
 * @throws {Misconduct} SYNC_FAIL if that block is on a branch that we can't go back to
 */
export function summarize(chain: SummaryChain, bothHave: BlockRef, toFetch: BlockQueue): BlockRef[] {
	const { fork, noFork } = branchOf(chain, bothHave);
	const high = noFork + BigInt(fork.length);
	let low = chain.lowestForkPoint;
	if (low > noFork) throw failed(`block ${noFork} is below ${low}`);
	const top = high + BigInt(toFetch.length);
	const summary: BlockRef[] = [];
	while (low <= top) {
		summary.push(refAt(low));
		low += (top - low + 2n) / 2n;
	}
	return summary;

	function refAt(number: bigint): BlockRef {
		if (number > high) return toFetch.at(Number(number - high) - 1);
		if (number > noFork) return fork[Number(number - noFork) - 1] as BlockRef;
		const id = chain.idAt(number);
		if (!id) throw failed(`block ${number} is not stored`);
		return { id, number };
	}
}

/** The branch on which a block lies, and the height up to which it is the main chain. */
function branchOf(chain: SummaryChain, block: BlockRef): { fork: readonly BlockRef[]; noFork: bigint } {
	if (block.number === 0n) return { fork: [], noFork: chain.head.number };
	if (chain.isOnChain(block.id)) return { fork: [], noFork: block.number };
	const fork = chain.branchTo(block.id);
	const [first] = fork ?? [];
	if (!fork || !first) throw failed(`block ${block.number} is on no branch of this chain`);
	return { fork, noFork: first.number - 1n };
}

function failed(why: string): Misconduct {
	return new Misconduct(Reason.SYNC_FAIL, why);
}
