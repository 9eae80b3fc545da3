/** The stores of a reference node, by what becomes of them (protocol/adoption §1). */

import { type StoreDefinition, storeDefinitions, stores } from "../state/definition.js";
import { storesOf } from "../state/store-kinds.js";

/** Made anew from others, and one that is only ours. */
const OWN: ReadonlySet<number> = new Set([stores.rewardVi.index, stores.upgradeVotes.index]);

/** Our stores whose entries come from the source's of the same name, in the order of our keys. */
export const adoptedStores: readonly StoreDefinition<unknown>[] = storeDefinitions.filter(
	({ index }) => !OWN.has(index),
);

/** Blocks, receipts and what finds them: no rule looks behind the newest of these. */
export const BLOCK_STORES: readonly string[] = [
	...[stores.block, stores.blockIndex, stores.transactionResult].map(({ name }) => name),
	...[stores.transaction, stores.transactionHistory].map(({ name }) => name),
];

export const RECEIPTS = "transactionRetStore";
/** Receipts of releases before mid-2019, a row a transaction. */
const OLD_RECEIPTS = "transactionHistoryStore";

/** What votes of witnesses confirmed, of chains that have such votes. */
export const VOTES = "pbft-sign-data";
export const CONFIRMED = "common-database";

/** Stores that lite data lack, or those of a node without the features that write them. */
const OPTIONAL: ReadonlySet<string> = new Set([
	...[RECEIPTS, OLD_RECEIPTS, VOTES, CONFIRMED],
	...[stores.balanceTrace.name, stores.accountTrace.name],
]);

/** All that are read. */
export const READ_STORES: readonly string[] = [
	...adoptedStores.map(({ name }) => name),
	...["account-asset", "recent-transaction", VOTES, CONFIRMED],
];

/** Every release from 4.8.0 on makes these, empty or not: one that is missing was lost, and would be taken for empty. */
export const REQUIRED: readonly string[] = READ_STORES.filter((name) => !OPTIONAL.has(name));

/** Derived, local to a node, or caches; and what older releases left over. */
export const LEFT_OUT: ReadonlySet<string> = new Set(storesOf("derived", "local", "caches", "leftovers"));
