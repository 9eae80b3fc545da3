/** Transaction checks that don't depend on the type: reference block, size, expiry, duplicates. */

import { refBlockOf } from "../../protocol/block.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { nextSlotTimeMs } from "../consensus/slots.js";
import type { ChainRules } from "../rules/chain-rules.js";
import {
	DuplicateTransactionError,
	TaposError,
	TooBigTransactionError,
	TransactionExpirationError,
} from "../rules/errors.js";
import type { StateView } from "../state/view.js";
import { blockIdAt } from "./block-store.js";

/** Maximum serialized size of a transaction, in bytes. */
const MAX_TRANSACTION_SIZE = 512_000;
/** Bytes reserved for the result that a block adds. */
const RESULT_ALLOWANCE = 128;
/** How far ahead of the head a transaction may expire. */
const MAX_EXPIRATION_MS = 86_400_000n;

/** Adds a block to the ring of recent blocks that transactions may reference. @param id of the block */
export function putRecentBlock(state: StateView, id: Uint8Array): void {
	const { refBlockBytes, refBlockHash } = refBlockOf(id);
	state.recentBlock.put(refBlockBytes, refBlockHash);
}

/** Checks that the transaction references a recent block of this branch (TaPoS). @throws {TaposError} */
export function checkReferenceBlock(state: StateView, transaction: SignedTransaction): void {
	const reference = transaction.raw?.ref_block_bytes ?? new Uint8Array(0);
	const hash = transaction.raw?.ref_block_hash ?? new Uint8Array(0);
	const recent = state.recentBlock.get(reference);
	if (recent && equalBytes(recent, hash)) return;
	const number = reference.length === 0 ? 0n : BigInt(`0x${toHex(reference)}`);
	const where = `solid block ${describeSolid(state)} head block ${describeHead(state)}`;
	if (!recent) {
		throw new TaposError(
			`Tapos failed, block not found, ref block ${BigInt.asIntN(64, number)}, ${toHex(hash)} , ${where}`,
		);
	}
	throw new TaposError(
		`Tapos failed, different block hash, ${BigInt.asIntN(64, number)}, ${toHex(hash)} , recent block ${toHex(recent)}, ${where}`,
	);
}

function describeHead(state: StateView): string {
	return `Num:${state.properties.headNumber},ID:${toHex(state.properties.headId)}`;
}

function describeSolid(state: StateView): string {
	const number = state.properties.get("LATEST_SOLIDIFIED_BLOCK_NUM");
	return `Num:${number},ID:${toHex(blockIdAt(state, number) ?? new Uint8Array(0))}`;
}

/**
 * Checks size and expiry (protocol/blocks §3.5).
 * @returns the transaction, without superfluous results
 * @throws {TooBigTransactionError | TransactionExpirationError}
 */
export function checkCommon(
	{ state, rules }: { readonly state: StateView; readonly rules: ChainRules },
	transaction: SignedTransaction,
	inBlock: boolean,
): SignedTransaction {
	const optimized = state.properties.on("CONSENSUS_LOGIC_OPTIMIZATION");
	let checked = transaction;
	if (!inBlock || optimized) {
		const contracts = transaction.raw?.contract.length ?? 0;
		if (transaction.message.ret.length > contracts) {
			checked = transaction.withResults(transaction.message.ret.slice(0, contracts));
		}
		const size = checked.sizeWithoutResults + RESULT_ALLOWANCE;
		if (size > MAX_TRANSACTION_SIZE) {
			throw new TooBigTransactionError(
				`Too big transaction with result, TxId ${checked.idHex}, the size is ${size} bytes, maxTxSize ${MAX_TRANSACTION_SIZE}`,
			);
		}
	}
	if (checked.size > MAX_TRANSACTION_SIZE) {
		throw new TooBigTransactionError(
			`Too big transaction, TxId ${checked.idHex}, the size is ${checked.size} bytes, maxTxSize ${MAX_TRANSACTION_SIZE}`,
		);
	}
	const expiration = checked.raw?.expiration ?? 0n;
	if (inBlock && optimized) {
		const next = nextSlotTimeMs(state, rules.development);
		if (expiration < next) {
			throw new TransactionExpirationError(
				`Transaction expiration time is ${expiration}, but next slot time is ${next}`,
			);
		}
	}
	const head = state.properties.headTimestampMs;
	if (expiration <= head || isForLaterHead(state, checked)) {
		throw new TransactionExpirationError(
			`Transaction expiration, transaction expiration time is ${expiration}, but headBlockTime is ${head}`,
		);
	}
	return checked;
}

/** Whether a transaction expires later than the head's time allows. */
export function isForLaterHead({ properties }: StateView, { raw }: SignedTransaction): boolean {
	return (raw?.expiration ?? 0n) > properties.headTimestampMs + MAX_EXPIRATION_MS;
}

/** @throws {DuplicateTransactionError} if the id is in the chain or in the pool */
export function checkDuplicate(state: StateView, transaction: SignedTransaction): void {
	if (state.transaction.has(transaction.id)) {
		throw new DuplicateTransactionError(`dup trans : ${transaction.idHex} `);
	}
}
