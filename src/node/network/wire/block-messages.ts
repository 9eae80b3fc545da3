/**
 * Reads messages that carry blocks and transactions: the decoding cost is checked first, since two million
 * bytes can hold a million empty transactions, each an object.
 */

import { BLOCK_HEADER_FIELD, BLOCK_TRANSACTIONS_FIELD, SignedBlock } from "../../../protocol/block.js";
import { MAX_DEPTH } from "../../../protocol/codec/budget.js";
import { BudgetError } from "../../../protocol/codec/reader.js";
import { contentOfField, countField } from "../../../protocol/codec/scan.js";
import { Block, BlockHeader, Transactions } from "../../../protocol/messages.js";
import { BLOCK_BUDGET } from "../../consensus/block-judgement.js";

/** Field numbers. */

/** The network refuses a transaction without a signature, and a signature has 65 bytes. */
const LEAST_TRANSACTION_BYTES = 65;

/**
 * A thousand transactions have about six messages and list elements each. One consisting of nothing else
 * breaks no network rule, so no peer is blamed; it is just not accepted before a block includes it.
 */
const TRANSACTIONS_BUDGET = { bytes: Number.POSITIVE_INFINITY, items: 100_000, depth: MAX_DEPTH };

/** Decodes only the header of a block, which is enough for its id. @throws {DecodeError} */
export function readBlockHeader(payload: Uint8Array): SignedBlock {
	const content = contentOfField(payload, BLOCK_HEADER_FIELD);
	return new SignedBlock(Block.create({ block_header: BlockHeader.decode(content, BLOCK_BUDGET) }));
}

/** Whether a block claims more transactions than its bytes can hold. @throws {DecodeError} */
export function hasImpossibleTransactions(payload: Uint8Array): boolean {
	return countField(payload, BLOCK_TRANSACTIONS_FIELD) * LEAST_TRANSACTION_BYTES > payload.length;
}

/** @throws {DecodeError} */
export function decodeBlock(payload: Uint8Array): SignedBlock {
	return SignedBlock.decode(payload, BLOCK_BUDGET);
}

/** Number of transactions in a TXS message. @throws {DecodeError} */
export function countTransactions(payload: Uint8Array): number {
	return countField(payload, BLOCK_TRANSACTIONS_FIELD);
}

/** @returns undefined if they are too many to decode @throws {DecodeError} */
export function decodeAskedTransactions(payload: Uint8Array): Transactions | undefined {
	try {
		return Transactions.decode(payload, TRANSACTIONS_BUDGET);
	} catch (error) {
		if (error instanceof BudgetError) return undefined;
		throw error;
	}
}
