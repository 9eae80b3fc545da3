/**
 * What events have of internal transactions, and receipts don't: the input of calls and the code of creations, and all that the
 * configuration leaves out of receipts (`vm.saveInternalTx`). It is kept as long as the receipt of the moment of execution is, only
 * in a process that publishes events, data up to a number of bytes: a call with a megabyte of the same memory costs next to nothing.
 */

import { EMPTY } from "../../protocol/bytes.js";
import type { InternalTransaction, TransactionInfo } from "../../protocol/messages.js";
import type { BlockScope } from "./execution.js";

/** Bytes that are kept of a transaction, and of a block. */
const MAX_TRANSACTION_CALL_DATA = 1 << 20;
const MAX_BLOCK_CALL_DATA = 4 << 20;

type InternalList = readonly Readonly<InternalTransaction>[];

/** Data, or how many bytes were not kept. */
export type CallData = Uint8Array | number;

let isKept = false;
const dataOf = new WeakMap<Readonly<InternalTransaction>, CallData>();
/** By the list that a receipt has. */
const completeOf = new WeakMap<InternalList, InternalList>();
const leftOf = new WeakMap<BlockScope, { bytes: number }>();

/** From now on it is kept. */
export function keepInternalCallData(): void {
	isKept = true;
}

/** Copies the data of one transaction's internal calls, since it may change after the call. */
export class CallDataCopies {
	private left = MAX_TRANSACTION_CALL_DATA;

	constructor(private readonly block: { bytes: number }) {}

	/** @returns undefined: there is nothing to keep */
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
 * For one transaction; undefined: nothing is kept, as of what is only tried.
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

/** Empty where there was none, or nothing is kept in this process; a number: so many bytes were too many to be kept. */
export const internalCallData = (internal: Readonly<InternalTransaction>): CallData =>
	dataOf.get(internal) ?? EMPTY;

/** @param stored the receipt's own list, of one transaction alone */
export function setCompleteInternal(stored: InternalList, complete: InternalList): void {
	completeOf.set(stored, complete);
}

/** All internal transactions, where they are known; else those that the receipt has. */
export const completeInternal = ({ internal_transactions }: Readonly<TransactionInfo>): InternalList =>
	completeOf.get(internal_transactions) ?? internal_transactions;
