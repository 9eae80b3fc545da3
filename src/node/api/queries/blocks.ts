/** Finding blocks and transactions in one view of the chain (protocol/blocks §6.3). */

import { SignedBlock } from "../../../protocol/block.js";
import { be64, equalBytes, fromHex, readBe64, toHex, toKey } from "../../../protocol/bytes.js";
import { contentOfField, elementsOfField } from "../../../protocol/codec/scan.js";
import { parseInt64 } from "../../../protocol/int64.js";
import { type BlockReq, TransactionInfo, type TransactionRet } from "../../../protocol/messages.js";
import { SignedTransaction } from "../../../protocol/transaction.js";
import { locateTransaction } from "../../chain/transaction-checks.js";
import type { StateView } from "../../state/view.js";
import type { ApiContext } from "../context.js";
import { encodedReceipts, INFOS_FIELD } from "./encoded-receipts.js";

/** Fewer blocks than this can be asked for by {@link latestBlocks}. */
const LATEST_LIMIT = 100n;
/** Most blocks of one {@link blocksBetween}. */
const RANGE_LIMIT = 100n;

/** A text that names no block by id or number. */
export class BlockIdError extends Error {
	override readonly name = "IllegalArgumentException";
}

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

/** The newest block that each view was last asked for. */
const heads = new WeakMap<StateView, { readonly id: string; readonly block: SignedBlock }>();

/** The newest block of the view; the same object as long as it is the newest. */
export function headBlock(state: StateView): SignedBlock | undefined {
	const id = toKey(state.properties.headId);
	const known = heads.get(state);
	if (known?.id === id) return known.block;
	const block = blockByNumber(state, state.properties.headNumber);
	if (block) heads.set(state, { id, block });
	return block;
}

/**
 * The block that a text names: a number, or an id of 64 hexadecimal digits; empty: the newest. Undefined if this view
 * has no such block.
 * @throws {BlockIdError}
 */
export function blockByIdOrNumber(state: StateView, text: string): SignedBlock | undefined {
	if (text === "") return headBlock(state);
	const head = state.properties.headNumber;
	const number = parseInt64(text);
	if (number !== undefined) {
		if (number < 0n) throw new BlockIdError("num must be non-positive number.");
		return number > head ? undefined : blockByNumber(state, number);
	}
	const id = /^[0-9a-fA-F]{64}$/.test(text) ? fromHex(text) : undefined;
	const named = id ? readBe64(id) : -1n;
	if (!id || named < 0n || named > head) throw new BlockIdError("id must be legal block hash.");
	return blockById(state, id);
}

/** Half of what clients give a transaction to live when they build it on the newest header by themselves. */
const OLDEST_REFERENCE_MS = 30_000n;

/**
 * What `getblock` is asked for. The newest header alone is what client libraries build transactions on, counting their
 * life from its time: a development chain makes a new block first where its head is old (protocol/development-chain §3).
 * @throws {BlockIdError}
 */
export function requestedBlock(
	{ node, server, state }: Pick<ApiContext, "node" | "server" | "state">,
	{ id_or_num, detail }: Pick<BlockReq, "id_or_num" | "detail">,
): SignedBlock | undefined {
	if (id_or_num === "" && !detail && server === "full") node.catchUp(OLDEST_REFERENCE_MS);
	return blockByIdOrNumber(state, id_or_num);
}

/** Where a state is looked at again and again, because blocks may come meanwhile. */
type LiveView = () => StateView;

/** The newest blocks, ascending; undefined unless 1 to 99 are asked for. Each is read when it is its turn. */
export function latestBlocks(view: LiveView, count: bigint): Iterable<SignedBlock> | undefined {
	if (count <= 0n || count >= LATEST_LIMIT) return undefined;
	const first = view().properties.headNumber - count + 1n;
	return blocksFrom(view, first < 0n ? 0n : first, count);
}

/**
 * Blocks from `start` up to, but not including, `end`; undefined unless 1 to 100 are asked for. Each is read when it is
 * its turn.
 */
export function blocksBetween(view: LiveView, start: bigint, end: bigint): Iterable<SignedBlock> | undefined {
	if (end <= 0n || end <= start || end - start > RANGE_LIMIT) return undefined;
	return blocksFrom(view, start, end - start);
}

/**
 * Blocks from `start` on, at most `count`, ascending; ends at the first height without a block. They are those of the
 * current branch, also if the head changes while they are read.
 */
function blocksFrom(view: LiveView, start: bigint, count: bigint): Iterable<SignedBlock> {
	const state = view();
	const solid = state.properties.get("LATEST_SOLIDIFIED_BLOCK_NUM");
	const found: { readonly id: Uint8Array; readonly bytes: Uint8Array | undefined }[] = [];
	for (let number = start; number >= 0n && number < start + count; number++) {
		const id = state.blockIndex.get(be64(number));
		if (!id) break;
		// What can still be undone is in memory anyway.
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

/** A transaction by its id: of a block, or pending. */
export function transactionById(state: StateView, id: Uint8Array): SignedTransaction | undefined {
	const place = locateTransaction(state, id);
	if (!place) return undefined;
	if ("pending" in place) return SignedTransaction.decode(place.pending);
	const wanted = toHex(id);
	return blockByNumber(state, place.block)?.transactions.find((transaction) => transaction.idHex === wanted);
}

/** The receipt of a transaction; undefined while it is pending. Those of the block's other transactions are not decoded for it. */
export function transactionInfoById(state: StateView, id: Uint8Array): Readonly<TransactionInfo> | undefined {
	const place = locateTransaction(state, id);
	const info = place && "block" in place ? storedReceipt(state, place.block, id) : undefined;
	return info ?? state.transactionHistory.get(id);
}

/** What somebody reads at this moment, by the block's id, or by that of a transaction behind it. */
type BeingRead = Map<string, WeakRef<object>>;

/** Many who ask a view for the same receipts share what was decoded. */
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
	const id = state.blockIndex.get(be64(number));
	const read = () => state.transactionResult.get(be64(number));
	return id ? shared(state, toKey(id), read) : read();
}

/** Number of the field of a receipt. */
const ID_FIELD = 1;

/** One stored receipt of a block. */
function storedReceipt(
	state: StateView,
	number: bigint,
	id: Uint8Array,
): Readonly<TransactionInfo> | undefined {
	const block = state.blockIndex.get(be64(number));
	return shared(state, `${block ? toKey(block) : ""}${toKey(id)}`, () => {
		const bytes = encodedReceipts(state, number);
		for (const info of bytes ? elementsOfField(bytes, INFOS_FIELD) : []) {
			if (equalBytes(contentOfField(info, ID_FIELD), id)) return TransactionInfo.decode(info);
		}
		return undefined;
	});
}

/** The receipts of a block's transactions, in their order; of an old block those that there are (protocol/adoption §3). */
export function transactionInfosOfBlock(
	state: StateView,
	number: bigint,
): readonly Readonly<TransactionInfo>[] {
	const kept = storedReceipts(state, number);
	if (kept) return kept.transactioninfo;
	const old = blockByNumber(state, number)?.transactions.map(({ id }) => state.transactionHistory.get(id));
	return old?.filter((info) => info !== undefined) ?? [];
}
