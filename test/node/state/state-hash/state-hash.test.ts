import { readFileSync } from "node:fs";
import { blake3 } from "@noble/hashes/blake3.js";
import { describe, expect, it } from "vitest";
import { storeDefinitions } from "../../../../src/node/state/definition.js";
import { hashedStores } from "../../../../src/node/state/state-hash/hashed-entries.js";
import { StateHash } from "../../../../src/node/state/state-hash/state-hash.js";
import { kindOf, type StoreKind, storesOf } from "../../../../src/node/state/store-kinds.js";
import { be64, concatBytes, toHex, utf8 } from "../../../../src/protocol/bytes.js";
import { DecodeError } from "../../../../src/protocol/codec/reader.js";
import { Account, Proposal, Vote } from "../../../../src/protocol/messages.js";

const PAGE = readFileSync("docs/protocol/state-hash.md", "utf8");
const ADDRESS = Uint8Array.from({ length: 21 }, (_, i) => 0x41 + i);
const COPY = utf8("3-41aabb-account-vote");
const SWITCH = utf8("ALLOW_ASSET_OPTIMIZATION");

type Entry = readonly [store: string, key: Uint8Array, value: Uint8Array];

function hashOf(...entries: readonly Entry[]): string {
	const hash = new StateHash();
	for (const entry of entries) hash.add(...entry);
	return toHex(hash.value().hash);
}

const record = (fields: Partial<Account>): Uint8Array =>
	Account.encode(Account.create({ address: ADDRESS, balance: 7n, ...fields }));
const account = (fields: Partial<Account>): Entry => ["account", ADDRESS, record(fields)];
const balance = (token: string, amount: bigint): Entry => [
	"account-asset",
	concatBytes(ADDRESS, utf8(token)),
	be64(amount),
];

describe("the hash of a state", () => {
	it("is what the page says, by another BLAKE3", () => {
		const entry = concatBytes(Uint8Array.of(4), utf8("code"), Uint8Array.of(0, 0, 0, 21), ADDRESS, utf8("x"));
		const sum = blake3(entry, { dkLen: 2048 });
		const hash = new StateHash();
		hash.add("code", ADDRESS, utf8("x"));
		const { hash: whole, entries, stores } = hash.value();
		expect(entries).toBe(1);
		expect(toHex(whole)).toBe(toHex(blake3(concatBytes(utf8("coin state hash 1"), sum))));
		const own = blake3(concatBytes(utf8("coin state hash 1"), Uint8Array.of(4), utf8("code"), sum));
		expect([...stores].map(([name, one]) => [name, one.entries, toHex(one.hash)])).toEqual([
			["code", 1, toHex(own)],
		]);
	});

	it("differs with the store, the key and the value of an entry", () => {
		const all = [
			hashOf(),
			hashOf(["code", utf8("a"), utf8("b")]),
			hashOf(["abi", utf8("a"), utf8("b")]),
			hashOf(["code", utf8("ab"), utf8("")]),
			hashOf(["code", utf8(""), utf8("ab")]),
			hashOf(["code", utf8("a"), utf8("b")], ["code", utf8("b"), utf8("a")]),
		];
		expect(new Set(all).size).toBe(all.length);
	});

	it("comes back when an entry goes that has come", () => {
		const hash = new StateHash();
		hash.add(...account({ assetV2: new Map([["1000001", 5n]]) }));
		const before = hash.value();
		const late = account({ balance: 8n, assetV2: new Map([["1000002", 6n]]), asset: new Map([["A", 6n]]) });
		hash.add(...late);
		hash.add("properties", SWITCH, be64(1n));
		expect(hash.value().hash).not.toEqual(before.hash);
		hash.remove("properties", SWITCH, be64(1n));
		hash.remove(...late);
		expect(hash.value()).toEqual(before);
	});

	it("refuses a store that does not belong to it, and a record that can't be read", () => {
		const hash = new StateHash();
		expect(() => hash.add("trans", ADDRESS, be64(1n))).toThrow(/trans does not belong/);
		for (const broken of [[0x0a, 5, 1], [0xff], [0x0b], [8], [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]]) {
			expect(() => hash.add("account", ADDRESS, Uint8Array.from(broken))).toThrow(DecodeError);
		}
	});
});

describe("the balances of tokens", () => {
	const [one, two] = [
		["1000001", 5n],
		["1000002", 6n],
	] as const;

	it("count the same in the record and apart from it, marked or not, in any order, with zeros or without", () => {
		const expected = hashOf(account({ assetV2: new Map([one, two]) }));
		expect(hashOf(account({ assetV2: new Map([two, ["1000003", 0n], one]) }))).toBe(expected);
		expect(hashOf(account({ asset_optimized: true }), balance(...one), balance(...two))).toBe(expected);
		expect(hashOf(account({ assetV2: new Map([one]) }), balance(...two), balance("1000009", 0n))).toBe(
			expected,
		);
		expect(hashOf(account({ assetV2: new Map([one, ["1000002", 7n]]) }))).not.toBe(expected);
		expect(hashOf(account({ assetV2: new Map([one]) }))).not.toBe(expected);
	});

	it("by name count until the network gives them up", () => {
		const [named, none] = [account({ asset: new Map([["A", 5n]]) }), account({})];
		expect(hashOf(named)).not.toBe(hashOf(none));
		const on: Entry = ["properties", SWITCH, be64(1n)];
		expect(hashOf(named, on)).toBe(hashOf(none, on));
		expect(hashOf(on, named)).toBe(hashOf(none, on));
		const off: Entry = ["properties", SWITCH, be64(0n)];
		expect(hashOf(named, off)).not.toBe(hashOf(none, off));
	});

	it("don't count in the copies of accounts, whose votes do", () => {
		const copy = (fields: Partial<Account>): Entry => ["delegation", COPY, record(fields)];
		const votes = [Vote.create({ vote_address: ADDRESS, vote_count: 3n })];
		const expected = hashOf(copy({ votes }));
		expect(hashOf(copy({ votes, assetV2: new Map([one]), asset_optimized: true }))).toBe(expected);
		expect(hashOf(copy({ votes: [] }))).not.toBe(expected);
		const other: Entry = ["delegation", utf8("3-41aabb-brokerage"), record({ asset_optimized: true })];
		expect(hashOf(other)).not.toBe(hashOf(["delegation", utf8("3-41aabb-brokerage"), record({})]));
	});
});

describe("what means the same", () => {
	it("counts the same: maps in any order, numbers of any length", () => {
		const usage = (...names: string[]): Entry =>
			account({ free_asset_net_usageV2: new Map(names.map((name) => [name, BigInt(name.length)])) });
		expect(hashOf(usage("a", "bb", "ccc"))).toBe(hashOf(usage("ccc", "a", "bb")));
		expect(hashOf(usage("a", "bb"))).not.toBe(hashOf(usage("a", "bb", "ccc")));
		const proposal = (...ids: bigint[]): Entry => [
			"proposal",
			be64(1n),
			Proposal.encode(Proposal.create({ proposal_id: 1n, parameters: new Map(ids.map((id) => [id, 1n])) })),
		];
		expect(hashOf(proposal(3n, 1n, 2n))).toBe(hashOf(proposal(1n, 2n, 3n)));
		const fee = (...bytes: number[]): Entry => [
			"properties",
			utf8("TRANSACTION_FEE"),
			Uint8Array.from(bytes),
		];
		expect(hashOf(fee(10))).toBe(hashOf(fee(0, 0, 0, 0, 0, 0, 0, 10)));
		expect(hashOf(fee(0, 0, 0, 0, 0, 0, 0, 0, 0, 10))).toBe(hashOf(fee(10)));
		expect(hashOf(fee(1, 0, 0, 0, 0, 0, 0, 0, 10))).not.toBe(hashOf(fee(10)));
	});

	it("leaves out what a release notes for itself, and nothing else of the properties", () => {
		const property = (name: string): Entry => ["properties", utf8(name), be64(1n)];
		const left = ["FORK_VERSION_37", "FORK_CONTROLLER5", "VERSION_NUMBER", "TURKISH_KEY_MIGRATION_DONE"];
		for (const name of left) expect([name, hashOf(property(name))]).toEqual([name, hashOf()]);
		for (const name of ["FORK_VERSION_", "ALLOW_PBFT", "ABI_MOVE_DONE", "SOMETHING_NEW"]) {
			expect(hashOf(property(name))).not.toBe(hashOf());
		}
		const row = PAGE.split("\n").find((line) => line.startsWith("| `properties` |")) ?? "";
		for (const name of left) expect(row).toContain(name.replace(/\d+$/, "<n>"));
		expect(hashOf(["witness_schedule", utf8("current_shuffled_witnesses"), ADDRESS])).toBe(hashOf());
		expect(hashOf(["witness_schedule", utf8("active_witnesses"), ADDRESS])).not.toBe(hashOf());
	});
});

describe("the page", () => {
	const rows = [...PAGE.matchAll(/^\| (\w+) \| ((?:`[\w-]+`(?:, )?)+) \| (yes|no) \|/gm)].map(
		([, kind, names, hashed]) => ({
			kind: kind as StoreKind,
			names: [...(names as string).matchAll(/`([\w-]+)`/g)].map(([, name]) => name as string),
			hashed: hashed === "yes",
		}),
	);

	it("has every store of every kind, and says which are hashed", () => {
		expect(rows).toHaveLength(9);
		for (const { kind, names } of rows) expect([kind, names]).toEqual([kind, storesOf(kind)]);
		const hashed = rows.filter((row) => row.hashed).flatMap(({ names }) => names);
		expect([...hashed, "account-asset-by-name"].sort()).toEqual(hashedStores);
	});

	it("knows each store of this program", () => {
		const unknown = storeDefinitions.filter(({ name }) => kindOf(name) === undefined);
		expect(unknown.map(({ name }) => name)).toEqual([]);
	});
});
