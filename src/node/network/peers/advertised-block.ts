/** Judging a block that a peer announced or pushed, before it is passed on and applied (protocol/peers §8.4). */

import { numberOfBlockId } from "../../../protocol/block.js";
import type { HeaderVerdict, LocalChain } from "../local-chain.js";
import type { SignedBlock } from "../wire/application-messages.js";

/** How far ahead of our clock a new block may be. */
const MAX_AHEAD_MS = 1000n;

type AdvertisedVerdict =
	| HeaderVerdict
	/** Its time is too far ahead of our clock. */
	| { readonly kind: "early" }
	/** Its parent is not known. */
	| { readonly kind: "unlinked" }
	/** It is below the head. */
	| { readonly kind: "low" };

/**
 * The first thing that is wrong with a block, in the network's order.
 * @param isWaiting whether a block waits to be applied
 */
export function judgeAdvertised(
	chain: Pick<LocalChain, "judgeHeader" | "isKnown" | "head">,
	block: SignedBlock,
	wallClockMs: number,
	isWaiting: (id: Uint8Array) => boolean,
): AdvertisedVerdict {
	if (block.timestampMs - BigInt(Math.trunc(wallClockMs)) > MAX_AHEAD_MS) return { kind: "early" };
	const verdict = chain.judgeHeader(block);
	if (verdict.kind !== "good") return verdict;
	const isLinked =
		block.number === numberOfBlockId(block.parentId) + 1n &&
		(chain.isKnown(block.parentId) || isWaiting(block.parentId));
	if (!isLinked) return { kind: "unlinked" };
	return block.number < chain.head.number ? { kind: "low" } : { kind: "good" };
}
