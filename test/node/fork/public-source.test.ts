import { afterEach, describe, expect, it } from "vitest";
import { findJsonRpc, guardsOf } from "../../../src/node/fork/fork-founding.js";
import { PublicSource } from "../../../src/node/fork/public-source.js";
import { RequestError, type Requests } from "../../../src/node/fork/requests.js";
import { delegationKeyV1, delegationKeyV2 } from "../../../src/node/resources/delegated-resource.js";
import { type StoreDefinition, stores } from "../../../src/node/state/definition.js";
import { be32, be64, concatBytes, fromHex, toHex, toKey } from "../../../src/protocol/bytes.js";
import { jsonLibrary } from "../../../src/protocol/json/json-library.js";
import { blockJson } from "../../../src/protocol/json/transaction-json.js";
import {
	Account,
	DelegatedResource,
	DelegatedResourceAccountIndex,
	Exchange,
} from "../../../src/protocol/messages.js";
import { openSmall, produceMany } from "../chain/small-chain.js";

const BASE = "http://127.0.0.1:8090";
const GENESIS = "00".repeat(31).concat("07");
const ANN = fromHex(`41${"0a".repeat(20)}`);
const BEN = fromHex(`41${"0b".repeat(20)}`);

/** Another node, by its answers: to a path, or to a path and a body. */
function requestsTo(answers: Readonly<Record<string, string>>): Requests & { readonly asked: string[] } {
	const asked: string[] = [];
	const now = (url: string, body: string): string => {
		asked.push(url);
		const answer = answers[url + body] ?? answers[url];
		if (answer === undefined) throw new RequestError("status 405");
		return answer;
	};
	return { asked, now, later: async (url, body) => now(url, body), close: async () => {} };
}

let source: PublicSource | undefined;
afterEach(() => source?.close());

function sourceWith(answers: Readonly<Record<string, string>>): PublicSource {
	const paths = Object.entries(answers).map(([path, answer]) => [`${BASE}/wallet/${path}`, answer]);
	const place = { url: BASE, number: 5n, genesisTimestampMs: 0n };
	source = new PublicSource(requestsTo(Object.fromEntries(paths)), place);
	return source;
}

function read(
	from: PublicSource,
	store: { readonly index: number },
	key: Uint8Array,
): Uint8Array | undefined {
	return from.entries([{ store: store as StoreDefinition<unknown>, key: toKey(key) }])[0];
}

const delegated = (unlocked: number, locked: number): string =>
	JSON.stringify({
		delegatedResource: [
			{ from: toHex(ANN), to: toHex(BEN), frozen_balance_for_energy: unlocked },
			{
				from: toHex(ANN),
				to: toHex(BEN),
				frozen_balance_for_bandwidth: locked,
				expire_time_for_bandwidth: 1_700_000_000_000,
			},
		],
	});

describe("what public queries tell of stakes", () => {
	it("has both records of a delegation, and no third", () => {
		const from = sourceWith({ getdelegatedresourcev2: delegated(5, 7), getdelegatedresource: "{}" });
		const record = (key: Uint8Array) => {
			const bytes = read(from, stores.delegatedResource, key);
			return bytes && DelegatedResource.decode(bytes);
		};
		expect(record(delegationKeyV2(ANN, BEN, false))?.frozen_balance_for_energy).toBe(5n);
		expect(record(delegationKeyV2(ANN, BEN, true))?.frozen_balance_for_bandwidth).toBe(7n);
		expect(record(delegationKeyV1(ANN, BEN))).toBeUndefined();
	});

	it("lists who delegates to whom, in the source's order", async () => {
		const list = JSON.stringify({ account: toHex(ANN), toAccounts: [toHex(BEN), toHex(ANN)] });
		const from = sourceWith({ getdelegatedresourceaccountindexv2: list });
		const prefix = toKey(concatBytes(Uint8Array.of(3), ANN));
		const index = stores.delegatedResourceAccountIndex as StoreDefinition<unknown>;
		const keys = await from.keysWith(index, prefix);
		expect(keys).toEqual([BEN, ANN].map((one) => prefix + toKey(one)));
		const entries = from.entries(keys.map((key) => ({ store: index, key })));
		expect(
			entries.map((bytes) => DelegatedResourceAccountIndex.decode(bytes as Uint8Array).timestamp),
		).toEqual([1n, 2n]);
		expect(await from.keysWith(stores.storageRow as StoreDefinition<unknown>, prefix)).toEqual([]);
	});

	it("has the brokerage of a witness from now on, and refuses what is none", () => {
		const setting = new TextEncoder().encode(`-1-${toHex(ANN)}-brokerage`);
		const past = new TextEncoder().encode(`7-${toHex(ANN)}-brokerage`);
		const from = sourceWith({ getBrokerage: '{"brokerage": 13}' });
		expect(read(from, stores.delegation, setting)).toEqual(be32(13));
		expect(read(from, stores.delegation, past)).toBeUndefined();
		for (const wrong of ["{}", '{"brokerage": 101}', '{"brokerage": "13"}']) {
			source?.close();
			expect(() => read(sourceWith({ getBrokerage: wrong }), stores.delegation, setting)).toThrow(
				"a brokerage is no percentage",
			);
		}
	});

	it("lets a voter withdraw what the source says, and asks only for voters", async () => {
		const open = await openSmall();
		produceMany(open, 5);
		const style = { visible: false, dialect: "deployed", library: jsonLibrary, longsAsText: false } as const;
		const answers = {
			getblockbynum: blockJson(open.chain.head, style),
			getReward: '{"reward":9007199254740993}',
		};
		const allowanceOf = (votes: readonly object[]) => {
			const getaccount = JSON.stringify({ address: toHex(ANN), votes, allowance: 3 });
			source?.close();
			const bytes = read(sourceWith({ ...answers, getaccount }), stores.account, ANN) as Uint8Array;
			return Account.decode(bytes).allowance;
		};
		expect(allowanceOf([{ vote_address: toHex(BEN), vote_count: 1 }])).toBe(9_007_199_254_740_993n);
		expect(allowanceOf([])).toBe(3n);
		await open.close();
	});

	it("has exchange pairs by number", async () => {
		const exchanges = [{ exchange_id: 2, creator_address: toHex(ANN), first_token_id: "5f" }];
		const from = sourceWith({ listexchanges: JSON.stringify({ exchanges }) });
		expect(await from.keys(stores.exchangeV2 as StoreDefinition<unknown>)).toEqual([toKey(be64(2n))]);
		const bytes = read(from, stores.exchangeV2, be64(2n)) as Uint8Array;
		expect(toHex(Exchange.decode(bytes).creator_address)).toBe(toHex(ANN));
		expect(read(from, stores.exchangeV2, be64(3n))).toBeUndefined();
	});
});

describe("the JSON-RPC of a public source", () => {
	const good = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { hash: `0x${GENESIS}` } });
	const other = good.replace(GENESIS, "11".repeat(32));
	const find = (answers: Readonly<Record<string, string>>, given?: string) =>
		findJsonRpc(requestsTo(answers), BASE, given, GENESIS);

	it("is found beside the HTTP interface, on the usual port, or where it is said to be", async () => {
		for (const url of [`${BASE}/jsonrpc`, "http://127.0.0.1:8545/jsonrpc"]) {
			expect(await find({ [url]: good })).toEqual({ url });
		}
		expect(await find({ "http://10.1.1.1:7/x": good }, "http://10.1.1.1:7/x")).toEqual({
			url: "http://10.1.1.1:7/x",
		});
	});

	it("is shifted as the HTTP interface is, and gets no credentials of another port", async () => {
		const url = "http://127.0.0.1:9545/jsonrpc";
		const requests = requestsTo({ [url]: good });
		expect(await findJsonRpc(requests, "http://u:secret@127.0.0.1:9090/key", undefined, GENESIS)).toEqual({
			url,
		});
		expect(requests.asked.filter((one) => /secret|key/.test(one))).toEqual([
			"http://u:secret@127.0.0.1:9090/key/jsonrpc",
		]);
	});

	it("is not that of another chain: the start says in one sentence what is missing", async () => {
		const { url, warning } = await find({ "http://127.0.0.1:8545/jsonrpc": other });
		expect(url).toBeUndefined();
		expect(warning).toBe(
			"no JSON-RPC of the chain is at http://127.0.0.1:8090, http://127.0.0.1:8545: storage of contracts can't be read until --fork-jsonrpc-url names it",
		);
	});

	it.each([
		["http://127.0.0.1:1/jsonrpc", "has another genesis block"],
		["http://127.0.0.1:2/jsonrpc", "status 405"],
		["nowhere", "is not an address"],
		["ftp://127.0.0.1/", "is not an address"],
	])("at %s is refused", async (given, text) => {
		await expect(find({ "http://127.0.0.1:1/jsonrpc": other }, given)).rejects.toThrow(text);
	});
});

describe("witnesses of the genesis of a public source", () => {
	const list = JSON.stringify({ witnesses: [{ address: toHex(ANN) }, { address: toHex(BEN) }] });
	const withdraw = (owner: Uint8Array) =>
		`${BASE}/wallet/withdrawbalance${JSON.stringify({ owner_address: toHex(owner) })}`;

	it("are those that may not withdraw", async () => {
		const refusal = `{"Error":"class X : Account[${toHex(BEN)}] is a guard representative and is not allowed to withdraw Balance"}`;
		const requests = requestsTo({
			[`${BASE}/wallet/listwitnesses`]: list,
			[withdraw(ANN)]: '{"Error":"class X : witnessAccount does not have any reward"}',
			[withdraw(BEN)]: refusal,
		});
		expect(await guardsOf(requests, BASE)).toEqual([toHex(BEN)]);
	});

	it.each([
		["it doesn't build transactions", { [`${BASE}/wallet/listwitnesses`]: list }],
		["it has no list", {}],
		["its list can't be read", { [`${BASE}/wallet/listwitnesses`]: '{"witnesses":7}' }],
	])("aren't known where %s", async (_, answers) => {
		expect(await guardsOf(requestsTo(answers), BASE)).toBeUndefined();
	});
});
