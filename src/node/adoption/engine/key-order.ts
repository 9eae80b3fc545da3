/** The two orders that stores of a reference node have (protocol/reference-stores §1). */

import { comparePriceKeys, PAIR_KEY_LENGTH } from "../../state/price-key.js";
import { FormatError } from "./byte-reader.js";

export interface TableKeyOrder {
	/** What a manifest calls it. */
	readonly name: string;
	/** Whether it is the order of bytes: only then can the keys of an index be relied on. */
	readonly isByBytes: boolean;
	/** Below 0 if the first key comes before the second. The keys are the first bytes of buffers. */
	compare(a: Uint8Array, aLength: number, b: Uint8Array, bLength: number): number;
}

/** The only store in the order of prices. */
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

/** The order of a store by its name: a young store of RocksDB doesn't record it. */
export function orderOf(store: string): TableKeyOrder {
	return store === PRICE_STORE ? BY_PRICE : BYTEWISE;
}

// Something that has entries in order: a chain of tables, or the logs.

export interface EntrySource {
	/** Which of two entries with the same key and sequence number is newer: the one with the lower rank. */
	readonly rank: number;
	/** Buffer whose first `keyLength` bytes are the key of the present entry. */
	readonly key: Uint8Array;
	readonly keyLength: number;
	readonly sequence: number;
	/** Whether the present entry says that there is none. */
	readonly isDeletion: boolean;
	/** Value of the present entry; valid until the next step. */
	value(): Uint8Array;
	/** Goes to the first entry, then the next: by key, of one key the newest first. @returns false at the end */
	next(): boolean;
	close(): void;
}

/** Types of entries that reference nodes write. */
export const DELETION = 0;
export const VALUE = 1;
export const SINGLE_DELETION = 7;

/** What other types of entries are, for the message that refuses them. */
export function refusedType(type: number): string {
	if (type === 2 || type === 6) return "a merge operand";
	if (type === 14 || type === 15) return "a deletion of a range";
	if (type === 17) return "a value in a blob file";
	return `of type ${type}`;
}
