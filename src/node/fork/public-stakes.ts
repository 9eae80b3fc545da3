/** Delegations, brokerages and exchange pairs as public queries tell them, in the form of the stores that hold them. */

import { ADDRESS_LENGTH } from "../../protocol/address.js";
import { be32, be64, fromKey, toHex, toKey } from "../../protocol/bytes.js";
import {
	DelegatedResource,
	DelegatedResourceAccountIndex,
	DelegatedResourceList,
	Exchange,
	ExchangeList,
} from "../../protocol/messages.js";
import { ask, isNothing, messageIn, type PublicReading } from "./public-answers.js";
import { isAnswerObject } from "./source-client.js";

type Found = PublicReading<Uint8Array | undefined>;

/** First byte of the keys of what is locked, of generation 2; what can be taken back at any time has 1. */
const LOCKED = 2;

/** What each first byte of an index entry stands for: the query, and the list of its answer. */
const INDEXES = new Map<number, { readonly path: string; readonly list: "toAccounts" | "fromAccounts" }>([
	[1, { path: "getdelegatedresourceaccountindex", list: "toAccounts" }],
	[2, { path: "getdelegatedresourceaccountindex", list: "fromAccounts" }],
	[3, { path: "getdelegatedresourceaccountindexv2", list: "toAccounts" }],
	[4, { path: "getdelegatedresourceaccountindexv2", list: "fromAccounts" }],
]);

const hexOf = (key: string, from: number): string => toHex(fromKey(key.slice(from, from + ADDRESS_LENGTH)));

/** What one account delegates to another. A record of generation 2 is locked if any of its resources has an end. */
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

/** An entry of the index of who delegates to whom; its time is its place in the list, which has the order of times. */
export function* delegationIndex(key: string): Found {
	if (key.length !== 2 * ADDRESS_LENGTH + 1) return undefined;
	const partner = key.slice(1 + ADDRESS_LENGTH);
	const at = (yield* partners(key)).findIndex((one) => toKey(one) === partner);
	if (at < 0) return undefined;
	return DelegatedResourceAccountIndex.encode(
		DelegatedResourceAccountIndex.create({ account: fromKey(partner), timestamp: BigInt(at + 1) }),
	);
}

/** Keys of an account's entries of the index. @param prefix first byte and address */
export function* delegationIndexKeys(prefix: string): PublicReading<readonly string[]> {
	if (prefix.length !== 1 + ADDRESS_LENGTH) return [];
	return (yield* partners(prefix)).map((one) => prefix + toKey(one));
}

/** What a witness keeps of its rewards, from now on; no other row of the bookkeeping by cycles. */
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

/** The number of the newest pair. */
export function* newestExchange(): PublicReading<bigint> {
	return (yield* exchanges()).reduce((most, { exchange_id: id }) => (id > most ? id : most), 0n);
}
