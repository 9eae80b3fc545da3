/** Replays the block log on start: blocks above the database's height, then the transactions still waiting. */

import { SignedBlock } from "../../protocol/block.js";
import { toKey } from "../../protocol/bytes.js";
import { SignedTransaction } from "../../protocol/transaction.js";
import type { BlockOrigin } from "../consensus/block-judgement.js";
import { ChainError, UnlinkedBlockError } from "../rules/errors.js";
import { LogDamagedError, type LogRecord } from "./block-log.js";

/** The chain as seen by a start. Nothing it does here is logged again. */
export interface RestoreTarget {
	/** Height of the database: blocks up to it are done. */
	readonly finalizedNumber: bigint;
	readonly headNumber: bigint;
	/** @throws {ChainError} */
	push(block: SignedBlock, origin: BlockOrigin): void;
	/** Removes a block of a side branch. */
	forget(id: Uint8Array): void;
	/** Drops what reverted blocks returned to the pool: the log has those transactions too, in the right order. */
	clearPool(): void;
	/** Whether a transaction is in a block or in the pool. */
	has(transaction: SignedTransaction): boolean;
	/** @throws {ChainError} */
	addTransaction(transaction: SignedTransaction): void;
}

/** Records from which blocks and transactions can be restored. @param typeOf how a block is to come back */
export function recordsOf(
	blocks: readonly SignedBlock[],
	pending: readonly { readonly transaction: SignedTransaction }[],
	typeOf: (block: SignedBlock) => LogRecord["type"],
): LogRecord[] {
	return [
		...blocks.map((block): LogRecord => ({ type: typeOf(block), payload: block.bytes })),
		...pending.map(({ transaction }): LogRecord => ({ type: "transaction", payload: transaction.bytes })),
	];
}

/**
 * Replays the records of the log. Blocks that were executed had been checked before their record was written.
 * @throws {LogDamagedError} if a block that was the head can't be reached again
 */
export function restoreRecords(target: RestoreTarget, records: readonly LogRecord[]): void {
	restoreBlocks(target, records);
	target.clearPool();
	restoreTransactions(target, waitingTransactions(records));
}

function restoreBlocks(target: RestoreTarget, records: readonly LogRecord[]): void {
	let highest = 0n;
	for (const { type, payload } of records) {
		if (type === "forgotten") target.forget(payload);
		if (type === "forgotten" || type === "transaction" || type === "dropped") continue;
		const block = SignedBlock.decode(payload);
		if (type !== "branch" && block.number > highest) highest = block.number;
		if (block.number <= target.finalizedNumber) continue;
		if (type === "branch") restoreBranch(target, block);
		else restoreExecuted(target, block, type === "own" ? "own" : "restored");
	}
	if (highest > target.headNumber) {
		throw new LogDamagedError(
			`the block log is damaged or doesn't belong to the database: it lacks what leads from block ${target.headNumber} to block ${highest}`,
		);
	}
}

/** A block that was executed once; its branch may have been forgotten since. */
function restoreExecuted(target: RestoreTarget, block: SignedBlock, origin: BlockOrigin): void {
	try {
		target.push(block, origin);
	} catch (error) {
		if (!(error instanceof ChainError)) throw error;
		if (error instanceof UnlinkedBlockError) return;
		const text = `block ${block.number} of the block log can't be applied: ${error.message}`;
		throw new LogDamagedError(text, { cause: error });
	}
}

/** A block that only joined a side branch; it may no longer connect, or may be as invalid as it was. */
function restoreBranch(target: RestoreTarget, block: SignedBlock): void {
	try {
		target.push(block, "restoredBranch");
	} catch (error) {
		if (!(error instanceof ChainError)) throw error;
	}
}

/** Transactions that entered the pool and were not dropped since, in order of arrival. */
function waitingTransactions(records: readonly LogRecord[]): SignedTransaction[] {
	const waiting = new Map<string, SignedTransaction>();
	for (const { type, payload } of records) {
		if (type === "dropped") waiting.delete(toKey(payload));
		if (type !== "transaction") continue;
		const transaction = SignedTransaction.decode(payload);
		const key = toKey(transaction.id);
		// One that arrived again takes its last position.
		waiting.delete(key);
		waiting.set(key, transaction);
	}
	return [...waiting.values()];
}

/** Failed ones are retried after the others: the pool's final order may have been different. */
function restoreTransactions(target: RestoreTarget, transactions: readonly SignedTransaction[]): void {
	let waiting = transactions;
	for (;;) {
		const failed = waiting.filter((transaction) => !restoreTransaction(target, transaction));
		if (failed.length === 0 || failed.length === waiting.length) return;
		waiting = failed;
	}
}

/** @returns false if a rule refuses it now */
function restoreTransaction(target: RestoreTarget, transaction: SignedTransaction): boolean {
	if (target.has(transaction)) return true;
	try {
		target.addTransaction(transaction);
		return true;
	} catch (error) {
		if (!(error instanceof ChainError)) throw error;
		return false;
	}
}
