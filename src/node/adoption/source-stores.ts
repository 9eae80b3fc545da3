/** The stores of a reference node, by how they are handled (protocol/adoption §1). */

import { type StoreDefinition, storeDefinitions, stores } from "../state/definition.js";
import { storesOf } from "../state/store-kinds.js";

/** One that is derived from others, and one that only we have. */
const OWN: ReadonlySet<number> = new Set([stores.rewardVi.index, stores.upgradeVotes.index]);

/** Our stores that are filled from the source's store of the same name, in our key order. */
export const adoptedStores: readonly StoreDefinition<unknown>[] = storeDefinitions.filter(
	({ index }) => !OWN.has(index),
);

/** Blocks, receipts and their indexes: no rule reads any but the newest. */
export const BLOCK_STORES: readonly string[] = [
	...[stores.block, stores.blockIndex, stores.transactionResult].map(({ name }) => name),
	...[stores.transaction, stores.transactionHistory].map(({ name }) => name),
];

export const RECEIPTS = "transactionRetStore";
/** Receipts of releases before mid-2019, one row per transaction. */
const OLD_RECEIPTS = "transactionHistoryStore";

/** Blocks confirmed by witness votes, on chains that have such votes. */
export const VOTES = "pbft-sign-data";
export const CONFIRMED = "common-database";

/** Stores missing from lite data, or from nodes without the features that write them. */
const OPTIONAL: ReadonlySet<string> = new Set([
	...[RECEIPTS, OLD_RECEIPTS, VOTES, CONFIRMED],
	...[stores.balanceTrace.name, stores.accountTrace.name],
]);

/** All stores that are read. */
export const READ_STORES: readonly string[] = [
	...adoptedStores.map(({ name }) => name),
	...["account-asset", "recent-transaction", VOTES, CONFIRMED],
];

/** Created by every release from 4.8.0 on, empty or not: a missing one was lost, and must not be taken for empty. */
export const REQUIRED: readonly string[] = READ_STORES.filter((name) => !OPTIONAL.has(name));

/** Derived, node-local or cached data, and leftovers of older releases. */
export const LEFT_OUT: ReadonlySet<string> = new Set(storesOf("derived", "local", "caches", "leftovers"));
