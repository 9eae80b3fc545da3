/**
 * Entries of which no history is kept, since they tell by themselves whether they were there after a block: what a block
 * leaves behind under its number or id, once and for good.
 */

import { be64, fromKey, readBe64, toKey } from "../../protocol/bytes.js";
import { MAX_INT64 } from "../../protocol/int64.js";
import { type StoreDefinition, stores } from "./definition.js";

/** Reads the base. */
type Read = <V>(store: StoreDefinition<V>, key: string) => V | undefined;

/** What an entry was after a block, by what the base has. */
type Former = (read: Read, key: string, number: bigint) => unknown;

/** Of a store whose keys begin with the number of a block. */
const byKey =
	<V>(store: StoreDefinition<V>): Former =>
	(read, key, number) =>
		key.length >= 8 && readBe64(fromKey(key.slice(0, 8))) > number ? undefined : read(store, key);

/** The index of transactions holds the numbers of their blocks; in the base, nothing is pending. */
const transactionAt: Former = (read, key, number) => {
	const value = read(stores.transaction, key);
	return value?.length === 8 && readBe64(value) > number ? undefined : value;
};

/** Blocks that the ring of recent ones holds, and the bytes of an id that it has of each. */
const RING = 65_536n;
const [HASH_FROM, HASH_END] = [8, 16];

/** The ring of recent blocks, as the ids of blocks tell it. */
const recentBlockAt: Former = (read, key, number) => {
	if (key.length !== 2) return undefined;
	const place = BigInt(key.charCodeAt(0) * 256 + key.charCodeAt(1));
	const block = number - ((number - place) & (RING - 1n));
	if (block < 0n) return undefined;
	const id = read(stores.blockIndex, toKey(be64(block)));
	return id?.subarray(HASH_FROM, HASH_END);
};

/** An account's balance of a block has its number at the end of its key, inverted. */
const accountTraceAt: Former = (read, key, number) =>
	(readBe64(fromKey(key.slice(-8))) ^ MAX_INT64) > number ? undefined : read(stores.accountTrace, key);

/** Indexes of blocks, which hold what later blocks added to them: no rule reads them, and readers look into the blocks. */
const asItIs =
	<V>(store: StoreDefinition<V>): Former =>
	(read, key) =>
		read(store, key);

const FORMER: readonly (readonly [{ readonly index: number }, Former])[] = [
	[stores.block, byKey(stores.block)],
	[stores.blockIndex, byKey(stores.blockIndex)],
	[stores.transactionResult, byKey(stores.transactionResult)],
	[stores.treeBlockIndex, byKey(stores.treeBlockIndex)],
	[stores.transaction, transactionAt],
	[stores.recentBlock, recentBlockAt],
	[stores.transactionHistory, asItIs(stores.transactionHistory)],
	[stores.sectionBloom, asItIs(stores.sectionBloom)],
	[stores.balanceTrace, byKey(stores.balanceTrace)],
	[stores.accountTrace, accountTraceAt],
];

const byIndex: readonly (Former | undefined)[] = FORMER.reduce<(Former | undefined)[]>(
	(all, [{ index }, former]) => {
		all[index] = former;
		return all;
	},
	[],
);

/** Whether changes of a store's entries are recorded. @param index of the store */
export const isRecorded = (index: number): boolean => byIndex[index] === undefined;

/** What an entry was after a block, of a store whose changes aren't recorded. */
export function formerByItself<V>(
	read: Read,
	store: StoreDefinition<V>,
	key: string,
	number: bigint,
): V | undefined {
	return byIndex[store.index]?.(read, key, number) as V | undefined;
}
