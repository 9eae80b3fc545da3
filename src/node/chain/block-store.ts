/**
 * The only reader of stored blocks, transactions and receipts, in any view of the chain (protocol/blocks §6.3): by number, by
 * id, or by range. Also finds old receipts stored next to their transactions (protocol/adoption §3).
 */

import { SignedBlock } from "../../protocol/block.js";
import { asBuffer, be64, equalBytes, readBe64, toKey } from "../../protocol/bytes.js";
import {
	contentOfField,
	countField,
	elementOfField,
	elementsOfField,
	withoutFields,
} from "../../protocol/codec/scan.js";
import { ResourceReceipt, TransactionInfo, type TransactionRet } from "../../protocol/messages.js";
import { SignedTransaction } from "../../protocol/transaction.js";
import { type StoreDefinition, stores } from "../state/definition.js";
import type { StateView } from "../state/view.js";

/** The block id at a height on this view's branch. */
export function blockIdAt(state: StateView, number: bigint): Uint8Array | undefined {
	return number < 0n ? undefined : state.blockIndex.get(be64(number));
}

/** The encoded block at a height on this view's branch, as stored. */
export function encodedBlockAt(state: StateView, number: bigint): Uint8Array | undefined {
	const id = blockIdAt(state, number);
	return id && state.block.get(id);
}

/** The block at a height on this view's branch. */
export function blockByNumber(state: StateView, number: bigint): SignedBlock | undefined {
	const bytes = encodedBlockAt(state, number);
	return bytes && SignedBlock.decode(bytes);
}

/** A block of this view's branch by id; blocks of other branches are not found. */
export function blockById(state: StateView, id: Uint8Array): SignedBlock | undefined {
	const bytes = state.block.get(id);
	return bytes && SignedBlock.decode(bytes);
}

/** Per view, the head block as of the last call. */
const heads = new WeakMap<StateView, { readonly id: string; readonly block: SignedBlock }>();

/** The head block of the view; the same object for as long as it is the head. */
export function headBlock(state: StateView): SignedBlock | undefined {
	const id = toKey(state.properties.headId);
	const known = heads.get(state);
	if (known?.id === id) return known.block;
	const block = blockByNumber(state, state.properties.headNumber);
	if (block) heads.set(state, { id, block });
	return block;
}

/** A state that is looked up again each time, because blocks may arrive in between. */
export type LiveView = () => StateView;

/**
 * Blocks from `start` on, at most `count`, ascending; ends at the first height without a block. All are of
 * the branch that was current at the call, even if the head changes while they are read.
 */
export function blocksFrom(view: LiveView, start: bigint, count: bigint): Iterable<SignedBlock> {
	const state = view();
	const solid = state.properties.get("LATEST_SOLIDIFIED_BLOCK_NUM");
	const found: { readonly id: Uint8Array; readonly bytes: Uint8Array | undefined }[] = [];
	for (let number = start; number >= 0n && number < start + count; number++) {
		const id = blockIdAt(state, number);
		if (!id) break;
		// Blocks that can still be undone are in memory anyway.
		found.push({ id, bytes: number > solid ? state.block.get(id) : undefined });
	}
	return readBlocks(view, found);
}

function* readBlocks(
	view: LiveView,
	found: readonly { readonly id: Uint8Array; readonly bytes: Uint8Array | undefined }[],
): Generator<SignedBlock> {
	for (const { id, bytes } of found) {
		const kept = bytes ?? view().block.get(id);
		if (!kept) return;
		yield SignedBlock.decode(kept);
	}
}

/** Where a transaction is: the number of its block, or its bytes while it is pending. */
type TransactionPlace = { readonly block: bigint } | { readonly pending: Uint8Array };

/** Looks a transaction up by id. */
export function locateTransaction(state: StateView, id: Uint8Array): TransactionPlace | undefined {
	const value = state.transaction.get(id);
	if (!value) return undefined;
	return value.length === 8 ? { block: readBe64(asBuffer(value)) } : { pending: value };
}

/** A transaction by id, in a block or pending. */
export function transactionById(state: StateView, id: Uint8Array): SignedTransaction | undefined {
	const place = locateTransaction(state, id);
	if (!place) return undefined;
	if ("pending" in place) return SignedTransaction.decode(place.pending);
	const block = blockByNumber(state, place.block);
	return block?.transactions.find((transaction) => equalBytes(transaction.id, id));
}

/** Field number of the list in a block's receipts, and of members within each receipt. */
export const INFOS_FIELD = 3;
const ID_FIELD = 1;
const RESOURCES_FIELD = 7;
const LOGS_FIELD = 8;
const INTERNALS_FIELD = 17;

const packedReceipts = stores.transactionResult as StoreDefinition<Uint8Array>;

/** The encoded receipts of a block, for queries that decode only one of them. */
export function encodedReceipts(state: StateView, number: bigint): Uint8Array | undefined {
	return state.backend.get(packedReceipts, toKey(be64(number)));
}

/** Above this stored size, the receipts of a block are decoded one at a time, and only within the memory budget. */
const FEW_RECEIPTS_BYTES = 64 << 10;
/** Bytes of memory per stored byte, for receipts once decoded and serialized: a log of 24 bytes takes 600. */
const RECEIPT_MEMORY = 16;

/** Memory in bytes that reading a block's receipts takes; undefined if negligible. */
export function receiptsCost(state: StateView, number: bigint): number | undefined {
	const { length = 0 } = encodedReceipts(state, number) ?? [];
	return length > FEW_RECEIPTS_BYTES ? length * RECEIPT_MEMORY : undefined;
}

/**
 * The receipts of a block of which one is needed; for a large block, the list holds only that one.
 * @param position of its transaction
 */
export function receiptsAround(
	state: StateView,
	number: bigint,
	position: number,
): readonly Readonly<TransactionInfo>[] {
	const bytes = encodedReceipts(state, number);
	if (!bytes || bytes.length <= FEW_RECEIPTS_BYTES) return transactionInfosOfBlock(state, number);
	const infos: Readonly<TransactionInfo>[] = [];
	infos.length = countField(bytes, INFOS_FIELD);
	const info = elementOfField(bytes, INFOS_FIELD, position);
	if (info) infos[position] = TransactionInfo.decode(info);
	return infos;
}

/** Number of stored receipts of a block. */
export function countReceipts(state: StateView, number: bigint): number {
	const bytes = encodedReceipts(state, number);
	return bytes ? countField(bytes, INFOS_FIELD) : transactionInfosOfBlock(state, number).length;
}

/** The receipts of a block's transactions, in order; for a large block each is decoded only when it is consumed. */
export function* receiptsInTurn(
	state: StateView,
	number: bigint,
): Generator<Readonly<TransactionInfo>, void> {
	const bytes = encodedReceipts(state, number);
	if (!bytes || bytes.length <= FEW_RECEIPTS_BYTES) {
		yield* transactionInfosOfBlock(state, number);
		return;
	}
	for (const info of elementsOfField(bytes, INFOS_FIELD)) yield TransactionInfo.decode(info);
}

/** The receipts of a block, in order; those of a large block without logs and internal transactions, which would take seconds to decode. */
export function* briefReceipts(state: StateView, number: bigint): Generator<Readonly<TransactionInfo>, void> {
	const bytes = encodedReceipts(state, number);
	if (!bytes || bytes.length <= FEW_RECEIPTS_BYTES) {
		yield* transactionInfosOfBlock(state, number);
		return;
	}
	for (const info of elementsOfField(bytes, INFOS_FIELD))
		yield TransactionInfo.decode(withoutFields(info, [LOGS_FIELD, INTERNALS_FIELD]));
}

/** What a receipt adds to sums over its block. */
interface ReceiptSums {
	readonly id: Uint8Array;
	readonly energy: bigint;
	readonly logs: number;
}

/** Sums of a block's receipts, in order; those of a large block are counted, as decoding all its logs would take seconds. */
export function* receiptSums(state: StateView, number: bigint): Generator<ReceiptSums, void> {
	const bytes = encodedReceipts(state, number);
	if (!bytes || bytes.length <= FEW_RECEIPTS_BYTES) {
		for (const { id, receipt, log } of transactionInfosOfBlock(state, number))
			yield { id, energy: receipt?.energy_usage_total ?? 0n, logs: log.length };
		return;
	}
	for (const info of elementsOfField(bytes, INFOS_FIELD)) {
		const { energy_usage_total: energy } = ResourceReceipt.decode(contentOfField(info, RESOURCES_FIELD));
		yield { id: contentOfField(info, ID_FIELD), energy, logs: countField(info, LOGS_FIELD) };
	}
}

/** The receipt of a transaction; undefined while it is pending. Does not decode the block's other receipts. */
export function transactionInfoById(state: StateView, id: Uint8Array): Readonly<TransactionInfo> | undefined {
	const place = locateTransaction(state, id);
	const info = place && "block" in place ? storedReceipt(state, place.block, id) : undefined;
	return info ?? state.transactionHistory.get(id);
}

/** The receipts of a block's transactions, in order; for an old block, those that exist. */
export function transactionInfosOfBlock(
	state: StateView,
	number: bigint,
): readonly Readonly<TransactionInfo>[] {
	const kept = storedReceipts(state, number);
	if (kept) return kept.transactioninfo;
	const block = blockByNumber(state, number);
	return block ? oldReceipts(state, block) : [];
}

/** The same for a block that is already decoded. */
export function transactionInfosOf(
	state: StateView,
	block: SignedBlock,
): readonly Readonly<TransactionInfo>[] {
	if (block.transactions.length === 0) return [];
	return storedReceipts(state, block.number)?.transactioninfo ?? oldReceipts(state, block);
}

/** Receipts written by releases that stored each one separately. */
function oldReceipts(state: StateView, { transactions }: SignedBlock): readonly Readonly<TransactionInfo>[] {
	return transactions.map(({ id }) => state.transactionHistory.get(id)).filter((info) => info !== undefined);
}

/** Reads in progress, by block id, or by the id of a transaction in it. */
type BeingRead = Map<string, WeakRef<object>>;

/** Concurrent queries for the same receipts of a view share the decoded result. */
const beingRead = new WeakMap<StateView, BeingRead>();
const MAX_READ = 64;

function shared<T extends object>(state: StateView, key: string, read: () => T | undefined): T | undefined {
	const all: BeingRead = beingRead.get(state) ?? new Map();
	const known = all.get(key)?.deref();
	if (known) return known as T;
	const found = read();
	if (!found) return undefined;
	all.delete(key);
	all.set(key, new WeakRef(found));
	for (const oldest of all.keys()) {
		if (all.size <= MAX_READ) break;
		all.delete(oldest);
	}
	beingRead.set(state, all);
	return found;
}

/** The stored receipts of a block. */
function storedReceipts(state: StateView, number: bigint): Readonly<TransactionRet> | undefined {
	const id = blockIdAt(state, number);
	const read = () => state.transactionResult.get(be64(number));
	return id ? shared(state, toKey(id), read) : read();
}

/** One stored receipt of a block. */
function storedReceipt(
	state: StateView,
	number: bigint,
	id: Uint8Array,
): Readonly<TransactionInfo> | undefined {
	const block = blockIdAt(state, number);
	return shared(state, `${block ? toKey(block) : ""}${toKey(id)}`, () => {
		const bytes = encodedReceipts(state, number);
		for (const info of bytes ? elementsOfField(bytes, INFOS_FIELD) : []) {
			if (equalBytes(contentOfField(info, ID_FIELD), id)) return TransactionInfo.decode(info);
		}
		return undefined;
	});
}
