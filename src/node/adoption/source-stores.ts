/** The stores of a reference node, by what becomes of them (protocol/adoption §1). */

import { type StoreDefinition, storeDefinitions, stores } from "../state/definition.js";

/** Made anew from others, and one that is only ours. */
const OWN: ReadonlySet<number> = new Set([stores.rewardVi.index, stores.upgradeVotes.index]);

/** Our stores whose entries come from the source's of the same name, in the order of our keys. */
export const adoptedStores: readonly StoreDefinition<unknown>[] = storeDefinitions.filter(
	({ index }) => !OWN.has(index),
);

/** Without these there is no state to go on from. */
export const REQUIRED: readonly string[] = [
	"properties",
	"account",
	"block",
	"block-index",
	"witness",
	"witness_schedule",
	"storage-row",
];

export const RECEIPTS = "transactionRetStore";
/** Receipts of releases before mid-2019, a row a transaction. */
const OLD_RECEIPTS = "transactionHistoryStore";

/** What votes of witnesses confirmed, of chains that have such votes. */
export const VOTES = "pbft-sign-data";
export const CONFIRMED = "common-database";

/** Stores that data can lack without a word about it. */
export const OPTIONAL: ReadonlySet<string> = new Set([
	...[RECEIPTS, OLD_RECEIPTS, "recent-transaction", VOTES, CONFIRMED],
]);

/** All that are read. */
export const READ_STORES: readonly string[] = [
	...adoptedStores.map(({ name }) => name),
	...["account-asset", "recent-transaction", VOTES, CONFIRMED],
];

/** Derived, local to a node, or caches; and what older releases left over. */
export const LEFT_OUT: ReadonlySet<string> = new Set([
	...["reward-vi", "common", "accountTrie", "zkProof", "trans-cache"],
	...["peers", "block_KDB", "utxo", "account-asset-issue", "IncrementalMerkleVoucher"],
]);
