/**
 * Every store that a data directory of the network's node, or of ours, can have, by what it is to the state of the chain
 * (protocol/state-hash §2): the one place that says which of them two nodes at the same block have alike.
 */

export type StoreKind =
	/** The state: what the blocks up to this one have made, and the next one is executed on. */
	| "state"
	/** Blocks, their receipts and what finds them: the id of the block stands for all of them. */
	| "blocks"
	/** What a node's configuration makes it keep beside the state. */
	| "extras"
	/** Computed from the state. */
	| "derived"
	/** Votes that witnesses sent beside the blocks. */
	| "confirmations"
	/** Copies of what is elsewhere. */
	| "caches"
	/** Of one node. */
	| "local"
	/** Of this program's. */
	| "own"
	/** Left over by older releases; not opened any more. */
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

/** The names of the stores of some kinds. */
export function storesOf(...kinds: readonly StoreKind[]): readonly string[] {
	return kinds.flatMap((kind) => KINDS[kind]);
}

/** Stores that only index other data, and what isn't the network's: not part of recorded states (golden README). */
export const INDEX_STORES: ReadonlySet<string> = new Set(storesOf("blocks", "caches", "own"));
