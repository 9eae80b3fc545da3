/** Converts a network node's query responses into store entries (protocol/development-chain §7.3). */

import { ADDRESS_LENGTH } from "../../protocol/address.js";
import { SignedBlock } from "../../protocol/block.js";
import { be32, be64, fromHex, fromKey, toHex, toKey, utf8 } from "../../protocol/bytes.js";
import type { Message, MessageType } from "../../protocol/codec/descriptor.js";
import { decodeFields } from "../../protocol/json/field-decoder.js";
import { hashedLibrary } from "../../protocol/json/older/hashed-library.js";
import {
	Account,
	AccountAccountResource,
	Block,
	BlockHeader,
	DelegatedResource,
	DelegatedResourceAccountIndex,
	DelegatedResourceList,
	Exchange,
	ExchangeList,
	Transaction,
	TransactionRaw,
	TransactionResult,
} from "../../protocol/messages.js";
import { checkMerkleRoot } from "../consensus/block-judgement.js";
import { NEWEST_RELEASE } from "../rules/release.js";
import { isAnswerObject } from "./source-client.js";

/** Whether a response means "not found". PERF: a single pattern for everything would take quadratic time on blanks. */
export const isNothing = (text: string): boolean => /^(\{\s*\}|null|\[\s*\])?$/.test(text.trim());

/**
 * A message from a response in either spelling, with hexadecimal addresses.
 * @throws {Error} if it can't be read
 */
export function messageIn<T extends Message>(type: MessageType<T>, text: string): T {
	return decodeFields(type, text, false, hashedLibrary);
}

/**
 * An account; undefined if there is none. Its resource usage and the time it refers to are those of the source's head.
 * @param slot of the fork's first state
 */
export function accountIn(text: string, slot: bigint): Account | undefined {
	if (isNothing(text)) return undefined;
	const account = messageIn(Account, text);
	// The only bytes field shown as text.
	const answer: unknown = JSON.parse(text);
	const issued = isAnswerObject(answer) ? answer["asset_issued_ID"] : undefined;
	if (typeof issued === "string") account.asset_issued_ID = utf8(issued);
	account.latest_consume_time = slot;
	account.latest_consume_free_time = slot;
	if (account.account_resource) {
		const resource = AccountAccountResource.copy(account.account_resource);
		resource.latest_consume_time_for_energy = slot;
		account.account_resource = resource;
	}
	account.frozenV2 = account.frozenV2.filter(({ amount }) => amount !== 0n);
	return account;
}

/** An amount in sun from a response: it may have more digits than a JSON number preserves. @throws {Error} */
function amountOf(text: string, member: RegExp): bigint {
	const [, digits] = new RegExp(`"(?:${member.source})"\\s*:\\s*(\\d{1,19})\\s*[,}]`).exec(text) ?? [];
	if (digits === undefined) throw new Error("there is no amount");
	return BigInt(digits);
}

/** What an account may withdraw, including unsettled votes. @throws {Error} */
export const rewardIn = (text: string): bigint => amountOf(text, /reward/);

/** Total burnt since fees are burnt. @throws {Error} */
export const burntOf = (text: string): bigint => amountOf(text, /burnTrxAmount|burnCoinAmount/);

/** A block; undefined if there is none. @throws {Error} if it doesn't match its header */
export function blockOf(text: string): SignedBlock | undefined {
	if (isNothing(text)) return undefined;
	const block: unknown = JSON.parse(text);
	if (!isAnswerObject(block) || !isAnswerObject(block["block_header"])) throw new Error("there is no header");
	const transactions = Array.isArray(block["transactions"]) ? block["transactions"] : [];
	const signed = new SignedBlock(
		Block.create({
			block_header: messageIn(BlockHeader, JSON.stringify(block["block_header"])),
			transactions: transactions.map(transactionOf),
		}),
	);
	if (signed.idHex !== block["blockID"]) throw new Error("its id is another one");
	// Nodes build the genesis block themselves and only agree on its id.
	if (signed.number > 0n) checkMerkleRoot(signed, NEWEST_RELEASE);
	return SignedBlock.decode(signed.bytes);
}

function transactionOf(value: unknown): Transaction {
	const { raw_data_hex: raw, signature, ret } = isAnswerObject(value) ? value : {};
	if (typeof raw !== "string") throw new Error("a transaction has no bytes");
	const texts = (list: unknown): string[] =>
		(Array.isArray(list) ? list : []).filter((one): one is string => typeof one === "string");
	return Transaction.create({
		raw_data: TransactionRaw.decode(fromHex(raw)),
		signature: texts(signature).map(fromHex),
		ret: (Array.isArray(ret) ? ret : []).map((one) => messageIn(TransactionResult, JSON.stringify(one))),
	});
}

/** A query of {@link PublicReading}: path at the HTTP interface, or that of the JSON-RPC, and body. */
export interface Asked {
	readonly path: string;
	readonly body: unknown;
}

/** Reads an entry by public queries: each yield is a query, resumed with the text of its response. */
export type PublicReading<T> = Generator<Asked, T, string>;

/** Path that stands for the JSON-RPC, which may have its own address. */
export const JSON_RPC = "/jsonrpc";

/** Queries an endpoint of the network's HTTP interface. */
export function* ask(path: string, body: unknown): PublicReading<string> {
	return yield { path: `/wallet/${path}`, body };
}

/** Calls the JSON-RPC. */
export function* askRpc(method: string, params: readonly unknown[]): PublicReading<string> {
	return yield { path: JSON_RPC, body: { jsonrpc: "2.0", id: 1, method, params } };
}

type Found = PublicReading<Uint8Array | undefined>;

/** First key byte of locked delegations, generation 2; 1 for those revocable at any time. */
const LOCKED = 2;

/** Query and result list for each first byte of an index entry. */
const INDEXES = new Map<number, { readonly path: string; readonly list: "toAccounts" | "fromAccounts" }>([
	[1, { path: "getdelegatedresourceaccountindex", list: "toAccounts" }],
	[2, { path: "getdelegatedresourceaccountindex", list: "fromAccounts" }],
	[3, { path: "getdelegatedresourceaccountindexv2", list: "toAccounts" }],
	[4, { path: "getdelegatedresourceaccountindexv2", list: "fromAccounts" }],
]);

const hexOf = (key: string, from: number): string => toHex(fromKey(key.slice(from, from + ADDRESS_LENGTH)));

/** The delegation between two accounts. A Stake 2.0 record is locked if any resource has an end time. */
export function* publicDelegation(key: string): Found {
	const isV2 = key.length === 2 * ADDRESS_LENGTH + 1;
	if (!isV2 && key.length !== 2 * ADDRESS_LENGTH) return undefined;
	const start = isV2 ? 1 : 0;
	const pair = { fromAddress: hexOf(key, start), toAddress: hexOf(key, start + ADDRESS_LENGTH) };
	const text = yield* ask(isV2 ? "getdelegatedresourcev2" : "getdelegatedresource", pair);
	if (isNothing(text)) return undefined;
	const records = messageIn(DelegatedResourceList, text).delegatedResource;
	if (!isV2) return records[0] && DelegatedResource.encode(records[0]);
	const isLocked = (one: Readonly<DelegatedResource>): boolean =>
		one.expire_time_for_bandwidth !== 0n || one.expire_time_for_energy !== 0n;
	const found = records.find((one) => isLocked(one) === (key.charCodeAt(0) === LOCKED));
	return found && DelegatedResource.encode(found);
}

function* partners(key: string): PublicReading<readonly Uint8Array[]> {
	const index = INDEXES.get(key.charCodeAt(0));
	if (!index) return [];
	const text = yield* ask(index.path, { value: hexOf(key, 1) });
	return isNothing(text) ? [] : messageIn(DelegatedResourceAccountIndex, text)[index.list];
}

/** An entry of the delegation index; its time is its position in the list, which is in time order. */
export function* delegationIndex(key: string): Found {
	if (key.length !== 2 * ADDRESS_LENGTH + 1) return undefined;
	const partner = key.slice(1 + ADDRESS_LENGTH);
	const at = (yield* partners(key)).findIndex((one) => toKey(one) === partner);
	if (at < 0) return undefined;
	return DelegatedResourceAccountIndex.encode(
		DelegatedResourceAccountIndex.create({ account: fromKey(partner), timestamp: BigInt(at + 1) }),
	);
}

/** Keys of an account's index entries. @param prefix first byte and address */
export function* delegationIndexKeys(prefix: string): PublicReading<readonly string[]> {
	if (prefix.length !== 1 + ADDRESS_LENGTH) return [];
	return (yield* partners(prefix)).map((one) => prefix + toKey(one));
}

/** A witness's brokerage from now on; no other rows of the per-cycle bookkeeping. */
export function* brokerage(key: string): Found {
	const [, address] = /^-1-([0-9a-f]{42})-brokerage$/.exec(key) ?? [];
	if (address === undefined) return undefined;
	const answer: unknown = JSON.parse(yield* ask("getBrokerage", { address }));
	const percent = isAnswerObject(answer) ? answer["brokerage"] : undefined;
	if (typeof percent !== "number" || !Number.isInteger(percent) || percent < 0 || percent > 100)
		throw new Error("a brokerage is no percentage");
	return be32(percent);
}

function* exchanges(): PublicReading<readonly Readonly<Exchange>[]> {
	const text = yield* ask("listexchanges", {});
	return isNothing(text) ? [] : messageIn(ExchangeList, text).exchanges;
}

export function* exchangePair(key: string): Found {
	const found = (yield* exchanges()).find((one) => toKey(be64(one.exchange_id)) === key);
	return found && Exchange.encode(found);
}

export function* exchangeKeys(): PublicReading<readonly string[]> {
	return (yield* exchanges()).map((one) => toKey(be64(one.exchange_id)));
}

/** Number of the newest pair. */
export function* newestExchange(): PublicReading<bigint> {
	return (yield* exchanges()).reduce((most, { exchange_id: id }) => (id > most ? id : most), 0n);
}
