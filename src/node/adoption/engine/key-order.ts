/** The two key orders of a reference node's stores (protocol/reference-stores §1). */

import { comparePriceKeys, PAIR_KEY_LENGTH } from "../../state/price-key.js";
import { FormatError } from "./byte-reader.js";

export interface TableKeyOrder {
	/** Its name in the manifest. */
	readonly name: string;
	/** Whether it is byte order: only then are index keys reliable. */
	readonly isByBytes: boolean;
	/** Negative if the first key comes before the second. Keys are the first bytes of the buffers. */
	compare(a: Uint8Array, aLength: number, b: Uint8Array, bLength: number): number;
}

/** The only store in price order. */
export const PRICE_STORE = "market_pair_price_to_order";
export const PRICE_KEY_LENGTH = PAIR_KEY_LENGTH + 16;

function compareBytes(a: Uint8Array, aLength: number, b: Uint8Array, bLength: number): number {
	const common = aLength < bLength ? aLength : bLength;
	for (let i = 0; i < common; i++) {
		const difference = (a[i] as number) - (b[i] as number);
		if (difference !== 0) return difference;
	}
	return aLength - bLength;
}

function priceKey(key: Uint8Array, length: number): string {
	if (length !== PRICE_KEY_LENGTH) throw new FormatError(`has a key of ${length} bytes among prices`);
	return Buffer.from(key.buffer, key.byteOffset, length).toString("latin1");
}

const BYTEWISE: TableKeyOrder = {
	name: "leveldb.BytewiseComparator",
	isByBytes: true,
	compare: compareBytes,
};
const BY_PRICE: TableKeyOrder = {
	name: "MarketOrderPriceComparator",
	isByBytes: false,
	compare: (a, aLength, b, bLength) => comparePriceKeys(priceKey(a, aLength), priceKey(b, bLength)),
};

/** The order of a store by name: a young RocksDB store doesn't record it. */
export function orderOf(store: string): TableKeyOrder {
	return store === PRICE_STORE ? BY_PRICE : BYTEWISE;
}

// A source of entries in order: a chain of tables, or the logs.

export interface EntrySource {
	/** Of two entries with the same key and sequence number, the one with the lower rank is newer. */
	readonly rank: number;
	/** Buffer whose first `keyLength` bytes are the current key. */
	readonly key: Uint8Array;
	readonly keyLength: number;
	readonly sequence: number;
	/** Whether the current entry is a deletion. */
	readonly isDeletion: boolean;
	/** Value of the current entry; valid until the next step. */
	value(): Uint8Array;
	/** Advances to the next entry: by key, then newest first. @returns false at the end */
	next(): boolean;
	close(): void;
}

/** Entry types written by reference nodes. */
export const DELETION = 0;
export const VALUE = 1;
export const SINGLE_DELETION = 7;

/** Describes other entry types, for the message that refuses them. */
export function refusedType(type: number): string {
	if (type === 2 || type === 6) return "a merge operand";
	if (type === 14 || type === 15) return "a deletion of a range";
	if (type === 17) return "a value in a blob file";
	return `of type ${type}`;
}
