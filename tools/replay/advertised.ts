/** Offers recorded blocks as announced by a peer, and returns refusals in the reference's words. */

import type { OpenChain } from "../../src/node/chain/open-chain.js";
import { judgeAnnounced } from "../../src/node/consensus/announced-block.js";
import { NodeChain } from "../../src/node/network/node-chain.js";
import { Misconduct } from "../../src/node/network/peers/misconduct.js";
import { filterMessage, filterTransactions } from "../../src/node/network/peers/proto-filter.js";
import { decodeBlock } from "../../src/node/network/wire/block-messages.js";
import { ChainError, MerkleRootError, RuntimeRuleError } from "../../src/node/rules/errors.js";
import type { SignedBlock } from "../../src/protocol/block.js";
import { Block } from "../../src/protocol/messages.js";
import { SignatureError } from "../../src/protocol/signature.js";

/**
 * Offers a block.
 * @param describe the reference's text for errors of block application
 * @returns why it is refused; undefined if accepted or already known
 * @throws {DecodeError}
 */
export function offerAdvertised(
	open: OpenChain,
	bytes: Uint8Array,
	nowMs: bigint,
	describe: (error: unknown) => string,
): string | undefined {
	const chain = new NodeChain({ open, pool: undefined, report: () => {} });
	try {
		const decoded = decodeBlock(bytes);
		if (chain.filtersUnknownFields) {
			filterMessage(Block, decoded.message, bytes.length, open.rules.network);
			filterTransactions(decoded.transactions);
		}
		const block = decoded.withoutUnknownFields(open.rules.network === "nile");
		const verdict = judgeAnnounced(chain, block, Number(nowMs), () => false);
		switch (verdict.kind) {
			case "early":
				return `P2pException: time:${nowMs},block time:${block.timestampMs}`;
			case "badRoot":
				return verdict.error instanceof MerkleRootError
					? `P2pException: ${verdict.error.message}`
					: describe(verdict.error);
			case "badSignature":
				return `P2pException: ${signatureText(verdict.error, block, open.rules)}`;
			case "inactiveWitness":
				return "not a scheduled witness";
			case "unlinked":
				return "unlinked";
			case "unknownWitness":
			case "low":
				return verdict.kind;
			case "good":
		}
		open.chain.push(block, "peer");
		return undefined;
	} catch (error) {
		if (error instanceof Misconduct) return "P2pException: protobuf inconsistent";
		const isChecked = error instanceof ChainError && !(error instanceof RuntimeRuleError);
		return isChecked ? `P2pException: org.tron.core.exception.${describe(error)}` : describe(error);
	} finally {
		chain.close();
	}
}

/** The reference's text for an invalid witness signature: its runtime's error if that is too short. */
function signatureText(error: ChainError, { header }: SignedBlock, { network }: OpenChain["rules"]): string {
	const { length } = header.witness_signature;
	const isShort = network === "nile" ? length > 0 && length < 32 && !header.$unknown : length < 32;
	if (isShort)
		return `java.lang.ArrayIndexOutOfBoundsException: arraycopy: length ${length - 32} is negative`;
	const isVerdict = network === "nile" && error.message !== "valid signature failed.";
	if (!isVerdict && !(error.cause instanceof SignatureError)) return error.message;
	return `org.tron.core.exception.ValidateSignatureException: ${error.message}`;
}
