/**
 * Entries that need no history because they show by themselves whether they existed after a block: what a
 * block writes once under its number or id.
 */

import { be64, fromKey, readBe64, toKey } from "../../protocol/bytes.js";
import { MAX_INT64 } from "../../protocol/int64.js";
import { type StoreDefinition, stores } from "./definition.js";

/** Reads the base. */
type Read = <V>(store: StoreDefinition<V>, key: string) => V | undefined;

/** An entry's value after a block, derived from the base. */
type Former = (read: Read, key: string, number: bigint) => unknown;

/** For a store whose keys begin with a block number. */
const byKey =
	<V>(store: StoreDefinition<V>): Former =>
	(read, key, number) =>
		key.length >= 8 && readBe64(fromKey(key.slice(0, 8))) > number ? undefined : read(store, key);

/** The transaction index holds block numbers; in the base, nothing is pending. */
const transactionAt: Former = (read, key, number) => {
	const value = read(stores.transaction, key);
	return value?.length === 8 && readBe64(value) > number ? undefined : value;
};

/** Size of the recent-block ring, and the byte range of a block id that it stores. */
const RING = 65_536n;
const [HASH_FROM, HASH_END] = [8, 16];

/** The recent-block ring, derived from block ids. */
const recentBlockAt: Former = (read, key, number) => {
	if (key.length !== 2) return undefined;
	const place = BigInt(key.charCodeAt(0) * 256 + key.charCodeAt(1));
	const block = number - ((number - place) & (RING - 1n));
	if (block < 0n) return undefined;
	const id = read(stores.blockIndex, toKey(be64(block)));
	return id?.subarray(HASH_FROM, HASH_END);
};

/** Keys of account balance traces end with the inverted block number. */
const accountTraceAt: Former = (read, key, number) =>
	(readBe64(fromKey(key.slice(-8))) ^ MAX_INT64) > number ? undefined : read(stores.accountTrace, key);

/** Block indexes, which include what later blocks added: no rule reads them, and readers check the blocks. */
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

/** Whether changes of a store are recorded. @param index of the store */
export const isRecorded = (index: number): boolean => byIndex[index] === undefined;

/** An entry's value after a block, for a store whose changes aren't recorded. */
export function formerByItself<V>(
	read: Read,
	store: StoreDefinition<V>,
	key: string,
	number: bigint,
): V | undefined {
	return byIndex[store.index]?.(read, key, number) as V | undefined;
}
