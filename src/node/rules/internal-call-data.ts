/**
 * Data of internal transactions that events have and receipts lack: call input, creation code, and whatever
 * the configuration omits (`vm.saveInternalTx`). Kept with execution receipts, only in processes that publish
 * events, up to a limit: passing a megabyte of the same memory costs a caller almost nothing.
 */

import { EMPTY } from "../../protocol/bytes.js";
import type { InternalTransaction, TransactionInfo } from "../../protocol/messages.js";
import type { BlockScope } from "./execution.js";

/** Bytes kept per transaction and per block. */
const MAX_TRANSACTION_CALL_DATA = 1 << 20;
const MAX_BLOCK_CALL_DATA = 4 << 20;

type InternalList = readonly Readonly<InternalTransaction>[];

/** The data, or its length if it wasn't kept. */
export type CallData = Uint8Array | number;

let isKept = false;
const dataOf = new WeakMap<Readonly<InternalTransaction>, CallData>();
/** By the receipt's own list. */
const completeOf = new WeakMap<InternalList, InternalList>();
const leftOf = new WeakMap<BlockScope, { bytes: number }>();

/** Enables keeping call data. */
export function keepInternalCallData(): void {
	isKept = true;
}

/** Copies the data of one transaction's internal calls, since memory may change after a call. */
export class CallDataCopies {
	private left = MAX_TRANSACTION_CALL_DATA;

	constructor(private readonly block: { bytes: number }) {}

	/** @returns undefined if the data is empty */
	copy(data: Uint8Array): CallData | undefined {
		const { length } = data;
		if (length === 0) return undefined;
		if (length > this.left || length > this.block.bytes) return length;
		this.left -= length;
		this.block.bytes -= length;
		return Uint8Array.from(data);
	}
}

/**
 * Copies for one transaction; undefined if nothing is kept, as for trial executions.
 * @param block the same object for all transactions of a block
 */
export function callDataCopies(block: BlockScope | undefined): CallDataCopies | undefined {
	if (!isKept || !block?.signed) return undefined;
	let left = leftOf.get(block);
	if (!left) {
		left = { bytes: MAX_BLOCK_CALL_DATA };
		leftOf.set(block, left);
	}
	return new CallDataCopies(left);
}

export function setInternalCallData(internal: Readonly<InternalTransaction>, data: CallData): void {
	dataOf.set(internal, data);
}

/** Empty if there was none or this process keeps none; a number is the length of data that was too long. */
export const internalCallData = (internal: Readonly<InternalTransaction>): CallData =>
	dataOf.get(internal) ?? EMPTY;

/** @param stored the receipt's own list, unique to a transaction */
export function setCompleteInternal(stored: InternalList, complete: InternalList): void {
	completeOf.set(stored, complete);
}

/** All internal transactions if known, else those in the receipt. */
export const completeInternal = ({ internal_transactions }: Readonly<TransactionInfo>): InternalList =>
	completeOf.get(internal_transactions) ?? internal_transactions;
