/** Reads what rows point to from blocks and receipts, without decoding the rest of the block. */

import { BLOCK_HEADER_FIELD, BLOCK_TRANSACTIONS_FIELD } from "../../../protocol/block.js";
import { equalBytes, toKey } from "../../../protocol/bytes.js";
import { elementOfField } from "../../../protocol/codec/scan.js";
import { BlockHeader, TransactionInfo } from "../../../protocol/messages.js";
import { SignedTransaction } from "../../../protocol/transaction.js";
import { blockIdAt, encodedBlockAt, encodedReceipts, INFOS_FIELD } from "../../chain/block-store.js";
import type { Place } from "../../history/rows.js";
import { Recent } from "../../memory/recent.js";
import type { StateView } from "../../state/view.js";

/** Bytes of blocks and receipts read per answer, after which its page ends. */
const MAX_BYTES = 64 << 20;
/** Blocks whose times are remembered: searches by time begin at the same few thousand. */
const KEPT_TIMES = 8_192;

/** The data at a position in the chain. */
export interface StoredBody {
	readonly transaction: SignedTransaction;
	/** Undefined if receipts aren't stored. */
	readonly info: TransactionInfo | undefined;
	readonly height: number;
	readonly timeMs: number;
}

interface ReadBlock {
	readonly height: number;
	readonly bytes: Uint8Array | undefined;
	readonly infos: Uint8Array | undefined;
	readonly timeMs: number;
}

export class StoredBodies {
	private last: ReadBlock | undefined;
	private lastInfo: TransactionInfo | undefined;
	private bytesRead = 0;

	/** @param view the head state at each moment */
	constructor(private readonly view: () => StateView) {}

	/** Whether the read budget is used up. */
	get isExhausted(): boolean {
		return this.bytesRead > MAX_BYTES;
	}

	/**
	 * The data at a position.
	 * @returns undefined if it is gone: its block was pruned, or reorged away
	 * @param mark begin of the transaction's id
	 */
	at({ height, position }: Place, mark: Uint8Array): StoredBody | undefined {
		const { bytes, infos, timeMs } = this.block(height);
		const encoded = bytes && elementOfField(bytes, BLOCK_TRANSACTIONS_FIELD, position);
		if (!encoded) return undefined;
		const transaction = SignedTransaction.decode(encoded);
		if (!equalBytes(transaction.id.subarray(0, mark.length), mark)) return undefined;
		return { transaction, info: this.infoOf(transaction, infos, position), height, timeMs };
	}

	/** Caches the last receipt: one with many logs is slow to decode, and rows of a transaction are consecutive. */
	private infoOf(
		{ id }: SignedTransaction,
		infos: Uint8Array | undefined,
		position: number,
	): TransactionInfo | undefined {
		if (this.lastInfo && equalBytes(this.lastInfo.id, id)) return this.lastInfo;
		const encoded = infos && elementOfField(infos, INFOS_FIELD, position);
		const info = encoded && TransactionInfo.decode(encoded);
		this.lastInfo = info && equalBytes(info.id, id) ? info : this.view().transactionHistory.get(id);
		return this.lastInfo;
	}

	private block(height: number): ReadBlock {
		if (this.last?.height === height) return this.last;
		const state = this.view();
		const bytes = encodedBlockAt(state, BigInt(height));
		const infos = bytes && encodedReceipts(state, BigInt(height));
		this.bytesRead += (bytes?.length ?? 0) + (infos?.length ?? 0);
		const timeMs = bytes ? timeIn(bytes) : 0;
		this.last = { height, bytes, infos, timeMs };
		return this.last;
	}
}

/** By block id, so that they hold on every branch and chain. */
const times = new Recent<number>(KEPT_TIMES, Number.POSITIVE_INFINITY, () => 0);

/** Timestamp of a block in milliseconds; undefined if it isn't stored. PERF: reads the block, unless its time is remembered. */
export function timeOfBlock(state: StateView, height: number): number | undefined {
	const id = blockIdAt(state, BigInt(height));
	if (!id) return undefined;
	const key = toKey(id);
	let timeMs = times.get(key);
	if (timeMs === undefined) {
		const bytes = state.block.get(id);
		if (!bytes) return undefined;
		timeMs = timeIn(bytes);
	}
	times.renew(key, timeMs);
	return timeMs;
}

function timeIn(block: Uint8Array): number {
	const header = elementOfField(block, BLOCK_HEADER_FIELD, 0);
	return header ? Number(BlockHeader.decode(header).raw_data?.timestamp ?? 0n) : 0;
}
