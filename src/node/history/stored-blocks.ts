/** The blocks and receipts that the index is made of. */

import type { SignedBlock } from "../../protocol/block.js";
import { transactionInfosOf } from "../chain/block-store.js";
import type { StateView } from "../state/view.js";
import { rowsOfBlock } from "./block-rows.js";
import type { HistoryRow } from "./rows.js";

/** The chain as the index knows it. */
export interface IndexedChain {
	/** The head state, for receipts. Must not be kept across an await. */
	readonly state: StateView;
	/** A block of the chain by height; undefined: it isn't stored. */
	block(number: number): SignedBlock | undefined;
	readonly headNumber: number;
	/** Blocks below this are none of the index: on a fork they are another node's. */
	readonly lowestNumber: number;
	/** Height up to which nothing can be undone and the database has everything. */
	readonly storedNumber: number;
	/** Whether the receipts of new blocks are stored. */
	readonly hasReceipts: boolean;
	/** Brings what can't be undone to the database. */
	flush(): Promise<void>;
}

interface BlockRowsFound {
	readonly idHex: string;
	readonly rows: readonly HistoryRow[];
}

/** The rows of a stored block; undefined: it isn't stored. */
export function storedRows(chain: IndexedChain, number: number): BlockRowsFound | undefined {
	const block = chain.block(number);
	if (!block) return undefined;
	return { idHex: block.idHex, rows: rowsOfBlock(block, transactionInfosOf(chain.state, block)) };
}
