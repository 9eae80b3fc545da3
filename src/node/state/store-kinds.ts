/**
 * Classifies every store of the reference's data directory and of ours by its role (protocol/state-hash §2):
 * the one place that decides which stores must be equal on two nodes at the same block.
 */

export type StoreKind =
	/** The state: created by the blocks so far, and the basis for executing the next one. */
	| "state"
	/** Blocks, receipts and their indexes: the block id stands for all of them. */
	| "blocks"
	/** Extra data kept because of a node's configuration. */
	| "extras"
	/** Computed from the state. */
	| "derived"
	/** Witness votes sent outside blocks. */
	| "confirmations"
	/** Copies of other data. */
	| "caches"
	/** Local to one node. */
	| "local"
	/** Specific to this program. */
	| "own"
	/** Left over from older releases; no longer opened. */
	| "leftovers";

const KINDS: Readonly<Record<StoreKind, readonly string[]>> = {
	state: [
		...["properties", "account", "account-asset", "account-index", "accountid-index"],
		...["witness", "witness_schedule", "votes", "delegation", "proposal"],
		...["asset-issue", "asset-issue-v2", "exchange", "exchange-v2"],
		...["market_account", "market_order", "market_pair_to_price", "market_pair_price_to_order"],
		...["DelegatedResource", "DelegatedResourceAccountIndex"],
		...["contract", "abi", "code", "contract-state", "storage-row"],
		...["nullifier", "IncrementalMerkleTree", "tree-block-index"],
	],
	blocks: [
		...["block", "block-index", "trans", "transactionRetStore", "transactionHistoryStore"],
		...["recent-block", "recent-transaction"],
	],
	extras: ["section-bloom", "balance-trace", "account-trace"],
	derived: ["reward-vi"],
	confirmations: ["pbft-sign-data", "common-database"],
	caches: ["trans-cache", "tmp"],
	local: ["common", "accountTrie", "zkProof"],
	own: ["upgrade-votes"],
	leftovers: ["peers", "block_KDB", "utxo", "account-asset-issue", "IncrementalMerkleVoucher"],
};

const kindByStore = new Map<string, StoreKind>(
	Object.entries(KINDS).flatMap(([kind, names]) => names.map((name) => [name, kind as StoreKind])),
);

/** undefined: a store that no known release has */
export function kindOf(store: string): StoreKind | undefined {
	return kindByStore.get(store);
}

/** Names of the stores of some kinds. */
export function storesOf(...kinds: readonly StoreKind[]): readonly string[] {
	return kinds.flatMap((kind) => KINDS[kind]);
}

/** Stores that only index other data or aren't the network's: not part of recorded states (golden README). */
export const INDEX_STORES: ReadonlySet<string> = new Set(storesOf("blocks", "caches", "own"));
