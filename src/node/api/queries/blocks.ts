/** Finding blocks and transactions in one view of the chain (sheet 02 §9.4). */

import { SignedBlock } from "../../../protocol/block.js";
import { be64, readBe64, toHex } from "../../../protocol/bytes.js";
import type { TransactionInfo } from "../../../protocol/messages.js";
import { SignedTransaction } from "../../../protocol/transaction.js";
import type { StateView } from "../../state/view.js";

/** The block of a height on this view's branch. */
export function blockByNumber(state: StateView, number: bigint): SignedBlock | undefined {
	if (number < 0n) return undefined;
	const id = state.blockIndex.get(be64(number));
	return id && blockById(state, id);
}

/** A block of this view's branch by its id; blocks of other branches are not shown. */
export function blockById(state: StateView, id: Uint8Array): SignedBlock | undefined {
	const bytes = state.block.get(id);
	return bytes && SignedBlock.decode(bytes);
}

/** The newest block of the view. */
export function headBlock(state: StateView): SignedBlock | undefined {
	return blockByNumber(state, state.properties.headNumber);
}

/** Blocks from `start` on, at most `count`, ascending; ends at the first height without a block. */
export function blocksFrom(state: StateView, start: bigint, count: bigint): SignedBlock[] {
	const blocks: SignedBlock[] = [];
	for (let number = start; number < start + count; number++) {
		const block = blockByNumber(state, number);
		if (!block) break;
		blocks.push(block);
	}
	return blocks;
}

/** A transaction by its id: of a block, or pending. */
export function transactionById(state: StateView, id: Uint8Array): SignedTransaction | undefined {
	const value = state.transaction.get(id);
	if (!value) return undefined;
	// A place in the chain is a block number; what is longer is a pending transaction.
	if (value.length !== 8) return SignedTransaction.decode(value);
	const wanted = toHex(id);
	return blockByNumber(state, readBe64(value))?.transactions.find(
		(transaction) => transaction.idHex === wanted,
	);
}

/** What became of a transaction; undefined while it is pending. */
export function transactionInfoById(state: StateView, id: Uint8Array): Readonly<TransactionInfo> | undefined {
	const value = state.transaction.get(id);
	if (value?.length !== 8) return undefined;
	const wanted = toHex(id);
	return state.transactionResult.get(value)?.transactioninfo.find((info) => toHex(info.id) === wanted);
}

/** The informations of a block's transactions, in their order. */
export function transactionInfosOfBlock(
	state: StateView,
	number: bigint,
): readonly Readonly<TransactionInfo>[] {
	return state.transactionResult.get(be64(number))?.transactioninfo ?? [];
}
