/** Looks up precompiled contracts by address word. */

import type { Gates } from "../gates.js";
import type { Word } from "../word.js";
import { blake2f } from "./blake2f.js";
import { bn128Add, bn128Multiply, bn128Pairing } from "./bn128.js";
import { doubleSha256, ecrecover, identity, realRipemd160, sha256Hash } from "./hashing.js";
import { modexp } from "./modexp.js";
import { p256Verify } from "./p256.js";
import { pointEvaluation } from "./point-evaluation.js";
import { postQuantumPrecompiles } from "./post-quantum.js";
import type { Precompile } from "./precompile.js";
import * as resources from "./resource-queries.js";
import { merkleHash, verifyBurnProof, verifyMintProof, verifyTransferProof } from "./shielded.js";
import { batchValidateSign, validateMultiSign } from "./signatures.js";
import * as votes from "./vote-queries.js";

export const precompiles: readonly Precompile[] = [
	ecrecover,
	sha256Hash,
	doubleSha256,
	identity,
	modexp,
	bn128Add,
	bn128Multiply,
	bn128Pairing,
	batchValidateSign,
	validateMultiSign,
	p256Verify,
	realRipemd160,
	blake2f,
	pointEvaluation,
	...postQuantumPrecompiles,
	verifyMintProof,
	verifyTransferProof,
	verifyBurnProof,
	merkleHash,
	votes.rewardBalance,
	votes.isSrCandidate,
	votes.voteCount,
	votes.usedVoteCount,
	votes.receivedVoteCount,
	votes.totalVoteCount,
	resources.getChainParameter,
	resources.availableUnfreezeV2Size,
	resources.unfreezableBalanceV2,
	resources.expireUnfreezeBalanceV2,
	resources.delegatableResource,
	resources.resourceV2,
	resources.checkUnDelegateResource,
	resources.resourceUsageQuery,
	resources.totalResource,
	resources.totalDelegatedResource,
	resources.totalAcquiredResource,
];

const byWord = new Map<Word, Precompile>(precompiles.map((precompile) => [precompile.word, precompile]));

/** The precompiled contract at a word, if the rules enable it; all 32 bytes of the word count. */
export function findPrecompile(gates: Gates, word: Word): Precompile | undefined {
	const found = byWord.get(word);
	return found && (!found.gate || gates[found.gate]) ? found : undefined;
}
