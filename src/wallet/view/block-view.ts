/** A block as printed by commands; its id and transactions are computed from its bytes. */

import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { isRecord } from "../json.js";
import type { BlockReference } from "../node/chain-query.js";
import { transactionFrom, viewTransaction } from "../transaction/transaction-view.js";
import type { View } from "./message-view.js";

interface BlockView extends Readonly<Record<string, unknown>> {
	readonly transactions: readonly Record<string, View | undefined>[] | undefined;
}

/** @param header whether to leave out the transactions */
export async function viewBlock(block: BlockReference, header: boolean): Promise<BlockView> {
	const raw = block.header.raw_data;
	const { transactions } = block.answer;
	const list = Array.isArray(transactions) ? transactions.filter(isRecord) : [];
	return {
		number: block.number,
		blockID: toHex(block.id),
		timestamp: block.timestampMs,
		parentHash: toHex(raw?.parentHash ?? new Uint8Array(0)),
		witness: raw && raw.witness_address.length > 0 ? toBase58Check(raw.witness_address) : undefined,
		version: raw?.version,
		txTrieRoot: toHex(raw?.txTrieRoot ?? new Uint8Array(0)),
		transactionCount: list.length,
		transactions: header
			? undefined
			: await Promise.all(list.map((item) => viewTransaction(transactionFrom(item)))),
	};
}
