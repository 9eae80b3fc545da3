/**
 * Validates the header of a block that a peer announced or pushed, before it is relayed (protocol/peers
 * §8.4). Results about the block itself, its Merkle root and its signer, are stored with the block: when it
 * joins the chain (`block-judgement.ts`), only what depends on its position is left to check.
 */

import { numberOfBlockId, type SignedBlock } from "../../protocol/block.js";
import { equalBytes } from "../../protocol/bytes.js";
import { admissionOf } from "../rules/admission.js";
import type { ChainRules } from "../rules/chain-rules.js";
import { ChainError } from "../rules/errors.js";
import type { StateView } from "../state/view.js";
import { checkHeaderSignature, checkMerkleRoot } from "./block-judgement.js";
import { activeWitnesses } from "./slots.js";

/** How far ahead of our clock a new block may be, in milliseconds. */
const MAX_AHEAD_MS = 1000n;

/** Whether a header is valid by itself, in the head state. */
export type HeaderVerdict =
	| { readonly kind: "good" | "unknownWitness" | "inactiveWitness" }
	/** The Merkle root, which is checked first, or the witness's signature is wrong. */
	| { readonly kind: "badRoot" | "badSignature"; readonly error: ChainError };

type AnnouncedVerdict =
	| HeaderVerdict
	/** Its time is too far ahead of our clock. */
	| { readonly kind: "early" }
	/** Its parent is not known. */
	| { readonly kind: "unlinked" }
	/** It is below the head. */
	| { readonly kind: "low" };

/** What this needs of the chain a block is announced to. */
interface AnnouncedTo {
	readonly head: { readonly number: bigint };
	announcedHeader(block: SignedBlock): HeaderVerdict;
	/** Whether a block is on the main chain or on a branch linked to it. */
	isKnown(id: Uint8Array): boolean;
}

/**
 * The first problem with a block, in the network's order.
 * @param isWaiting whether a block waits to be taken into the chain
 */
export function judgeAnnounced(
	chain: AnnouncedTo,
	block: SignedBlock,
	wallClockMs: number,
	isWaiting: (id: Uint8Array) => boolean,
): AnnouncedVerdict {
	if (block.timestampMs - BigInt(Math.trunc(wallClockMs)) > MAX_AHEAD_MS) return { kind: "early" };
	const verdict = chain.announcedHeader(block);
	if (verdict.kind !== "good") return verdict;
	const isLinked =
		block.number === numberOfBlockId(block.parentId) + 1n &&
		(chain.isKnown(block.parentId) || isWaiting(block.parentId));
	if (!isLinked) return { kind: "unlinked" };
	return block.number < chain.head.number ? { kind: "low" } : { kind: "good" };
}

/** Validates Merkle root, witness and signature in the head state. */
export function judgeAnnouncedHeader(
	state: StateView,
	rules: Pick<ChainRules, "release" | "network">,
	block: SignedBlock,
): HeaderVerdict {
	if (admissionOf(rules).checksAnnouncedRoot) {
		const error = refusalOf(() => checkMerkleRoot(block, rules.release));
		if (error) return { kind: "badRoot", error };
	}
	if (state.properties.on("ALLOW_MULTI_SIGN") && !state.account.has(block.witness))
		return { kind: "unknownWitness" };
	const error = refusalOf(() => checkHeaderSignature(state, rules, block));
	if (error) return { kind: "badSignature", error };
	const isActive = activeWitnesses(state).some((witness) => equalBytes(witness, block.witness));
	return { kind: isActive ? "good" : "inactiveWitness" };
}

/** The rule that a check found broken; undefined if it passed. */
function refusalOf(check: () => void): ChainError | undefined {
	try {
		check();
		return undefined;
	} catch (error) {
		if (error instanceof ChainError) return error;
		throw error;
	}
}
