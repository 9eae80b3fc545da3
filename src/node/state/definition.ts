/**
 * The node's logical stores, with the reference's names, key bytes and values (protocol/blocks §6.1), so that
 * recorded entries compare one to one and a reference database can be adopted.
 *
 * The order is the order of the key prefixes on disk: append, never reorder.
 */

import { deflateSync, inflateSync } from "node:zlib";
import type { DecodeBudget } from "../../protocol/codec/budget.js";
import type { Message, MessageType } from "../../protocol/codec/descriptor.js";
import * as m from "../../protocol/messages.js";
import type { KeyOrder } from "./ordered-keys.js";
import { comparePriceKeys } from "./price-key.js";
import { propertyCodec } from "./property-table.js";

export interface ValueCodec<V> {
	/** @param key the entry's key, one UTF-16 unit a byte */
	encode(value: V, key: string): Uint8Array;
	/** @param budget absent: any, for what this program wrote itself */
	decode(bytes: Uint8Array, key: string, budget?: DecodeBudget): V;
}

export interface StoreDefinition<V> {
	/** Position in {@link storeDefinitions}; also the key prefix on disk. */
	readonly index: number;
	/** The store's name in the reference. */
	readonly name: string;
	readonly codec: ValueCodec<V>;
	/** Values are messages in memory, which take several times their encoded size. */
	readonly isMessage: boolean;
	/** Keys are kept in memory in order, so that rules can iterate. Only for stores that stay small. */
	readonly ordered: boolean;
	/** Key order of an ordered store, if not byte order. */
	readonly order?: KeyOrder;
}

/**
 * A store whose values stay encoded in memory: block data kept for queries. Decoded messages would be thousands of objects
 * per block that live until it is on disk, and garbage collection would keep copying them.
 */
export interface PackedDefinition<T extends Message> extends StoreDefinition<Uint8Array> {
	readonly packed: MessageType<T>;
}

const definitions: StoreDefinition<unknown>[] = [];
const messageCodecs = new Set<unknown>();

function define<V>(
	name: string,
	codec: ValueCodec<V>,
	ordered: boolean | KeyOrder = false,
): StoreDefinition<V> {
	const definition = {
		index: definitions.length,
		name,
		codec,
		isMessage: messageCodecs.has(codec),
		ordered: ordered !== false,
		...(typeof ordered === "function" ? { order: ordered } : {}),
	};
	definitions.push(definition as StoreDefinition<unknown>);
	return definition;
}

function message<T extends Message>(type: MessageType<T>): ValueCodec<Readonly<T>> {
	const codec: ValueCodec<Readonly<T>> = {
		encode: (value) => type.encode(value),
		decode: (bytes, _key, budget) => type.decode(bytes, budget),
	};
	messageCodecs.add(codec);
	return codec;
}

function definePacked<T extends Message>(name: string, packed: MessageType<T>): PackedDefinition<T> {
	const definition = { ...define(name, raw), packed };
	definitions[definition.index] = definition as StoreDefinition<unknown>;
	return definition;
}

const raw: ValueCodec<Uint8Array> = { encode: (value) => value, decode: (bytes) => bytes };

/** For short values: zlib's default buffers would cost more than the work itself. */
const SHORT = { chunkSize: 1024, memLevel: 1, windowBits: 9 };
/** Maximum uncompressed size of such a value: a log index row has at most 256 bytes. */
const MAX_INFLATED_BYTES = 4096;

/** Short byte strings, compressed on disk. */
const deflated: ValueCodec<Uint8Array> = {
	encode: (value) => deflateSync(value, SHORT),
	decode: (bytes) => inflateSync(bytes, { chunkSize: SHORT.chunkSize, maxOutputLength: MAX_INFLATED_BYTES }),
};

export const stores = {
	properties: define("properties", propertyCodec),
	account: define("account", message(m.Account)),
	accountIndex: define("account-index", raw),
	accountIdIndex: define("accountid-index", raw),
	witness: define("witness", message(m.Witness), true),
	witnessSchedule: define("witness_schedule", raw),
	votes: define("votes", message(m.Votes), true),
	delegation: define("delegation", raw),
	rewardVi: define("reward-vi", raw),
	proposal: define("proposal", message(m.Proposal), true),
	assetIssue: define("asset-issue", message(m.AssetIssueContract), true),
	assetIssueV2: define("asset-issue-v2", message(m.AssetIssueContract), true),
	exchange: define("exchange", message(m.Exchange), true),
	exchangeV2: define("exchange-v2", message(m.Exchange), true),
	marketAccount: define("market_account", message(m.MarketAccountOrder)),
	marketOrder: define("market_order", message(m.MarketOrder)),
	marketPairToPrice: define("market_pair_to_price", raw, true),
	marketPairPriceToOrder: define(
		"market_pair_price_to_order",
		message(m.MarketOrderIdList),
		comparePriceKeys,
	),
	delegatedResource: define("DelegatedResource", message(m.DelegatedResource)),
	delegatedResourceAccountIndex: define(
		"DelegatedResourceAccountIndex",
		message(m.DelegatedResourceAccountIndex),
	),
	contract: define("contract", message(m.SmartContract)),
	abi: define("abi", message(m.SmartContractABI)),
	code: define("code", raw),
	contractState: define("contract-state", message(m.ContractState)),
	storageRow: define("storage-row", raw),
	block: define("block", raw),
	blockIndex: define("block-index", raw),
	transaction: define("trans", raw),
	transactionResult: definePacked("transactionRetStore", m.TransactionRet),
	recentBlock: define("recent-block", raw),
	sectionBloom: define("section-bloom", deflated),
	balanceTrace: definePacked("balance-trace", m.BlockBalanceTrace),
	accountTrace: define("account-trace", message(m.AccountTrace)),
	nullifier: define("nullifier", raw),
	merkleTree: define("IncrementalMerkleTree", raw),
	treeBlockIndex: define("tree-block-index", raw),
	/** Ours: votes for block versions that the configured release doesn't count (protocol/consensus §6.3). */
	upgradeVotes: define("upgrade-votes", raw),
	/**
	 * Receipts written by releases before mid-2019, one row per transaction: adopted, never written (protocol/adoption §3).
	 */
	transactionHistory: define("transactionHistoryStore", message(m.TransactionInfo)),
} as const;

/** Every store, by index. */
export const storeDefinitions: readonly StoreDefinition<unknown>[] = definitions;

export const STORE_COUNT = storeDefinitions.length;
