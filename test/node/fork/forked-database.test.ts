/** The database of a fork over a source that the test answers for. */

import { describe, expect, test } from "vitest";
import { ForkedDatabase } from "../../../src/node/fork/forked-database.js";
import {
	type EncodedValues,
	type EntryName,
	ForkReadError,
	type StateSource,
} from "../../../src/node/fork/state-source.js";
import { createMemoryDatabase, type KeyValueDatabase } from "../../../src/node/state/database.js";
import { type StoreDefinition, stores } from "../../../src/node/state/definition.js";
import { be64, concatBytes, fromKey, toKey } from "../../../src/protocol/bytes.js";
import { MAX_INT64 } from "../../../src/protocol/int64.js";
import { Account } from "../../../src/protocol/messages.js";

const ROWS = stores.storageRow as StoreDefinition<unknown>;
const WITNESSES = stores.witness as StoreDefinition<unknown>;

class FakeSource implements StateSource {
	readonly name = "http://source.example";
	readonly mostEntries = 1_000;
	readonly asked: string[] = [];
	requests = 0;
	isDead = false;
	beforeAnswer: () => void | Promise<void> = () => {};

	constructor(readonly state: ReadonlyMap<string, Uint8Array>) {}

	has(): boolean {
		return true;
	}

	entries(wanted: readonly EntryName[]): EncodedValues {
		this.requests++;
		if (this.isDead) throw new ForkReadError("the source is gone");
		return wanted.map(({ store, key }) => {
			this.asked.push(`${store.name} ${key}`);
			return this.state.get(`${store.name} ${key}`);
		});
	}

	async entriesLater(wanted: readonly EntryName[]): Promise<EncodedValues> {
		const values = this.entries(wanted);
		await this.beforeAnswer();
		return values;
	}

	async keysWith(store: StoreDefinition<unknown>, prefix: string): Promise<readonly string[]> {
		if (this.isDead) throw new ForkReadError("the source is gone");
		this.requests++;
		return (await this.keys(store)).filter((key) => key.startsWith(prefix));
	}

	async keys(store: StoreDefinition<unknown>): Promise<readonly string[]> {
		return [...this.state.keys()]
			.filter((key) => key.startsWith(`${store.name} `))
			.map((key) => key.slice(store.name.length + 1));
	}
}

const diskKey = (store: { readonly index: number }, key: string): Uint8Array =>
	concatBytes(Uint8Array.of(store.index), fromKey(key));
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

interface Setting {
	readonly source: FakeSource;
	readonly own: KeyValueDatabase;
	readonly open: () => ForkedDatabase;
}

function setting(entries: Readonly<Record<string, Uint8Array>>, mostKept?: number): Setting {
	const source = new FakeSource(new Map(Object.entries(entries)));
	const own = createMemoryDatabase();
	let isFounded = false;
	const open = (): ForkedDatabase => {
		const fork = new ForkedDatabase(own, source, { number: 10n }, isFounded, mostKept);
		isFounded = true;
		return fork;
	};
	return { source, own, open };
}

test("an entry is asked for once, also one that isn't there, also after a restart", async () => {
	const { source, open } = setting({ "storage-row a": bytes("1") });
	const first = open();
	for (let times = 0; times < 3; times++) {
		expect(first.get(diskKey(ROWS, "a"))).toEqual(bytes("1"));
		expect(first.get(diskKey(ROWS, "b"))).toBeUndefined();
	}
	await first.write([{ key: Buffer.from([0xff, 1]), value: bytes("description") }], false);
	source.isDead = true;
	const second = open();
	expect(second.get(diskKey(ROWS, "a"))).toEqual(bytes("1"));
	expect(second.get(diskKey(ROWS, "b"))).toBeUndefined();
	expect(source.asked).toEqual(["storage-row a", "storage-row b"]);
	expect(() => second.get(diskKey(ROWS, "c"))).toThrow("the source is gone");
});

test("the delegations of an account are the fork's and those of the source that the fork hasn't deleted", async () => {
	const giver = String.fromCharCode(3) + "g".repeat(21);
	const name = stores.delegatedResourceAccountIndex.name;
	const { open } = setting({
		[`${name} ${giver}1`]: bytes("1"),
		[`${name} ${giver}2`]: bytes("2"),
		[`${name} h`]: bytes("3"),
	});
	const fork = open();
	const key = (end: string): Uint8Array => diskKey(stores.delegatedResourceAccountIndex, giver + end);
	await fork.write(
		[
			{ key: key("2"), value: null },
			{ key: key("3"), value: bytes("3") },
		],
		false,
	);
	const found: string[] = [];
	for await (const [entry] of fork.entries(key(""))) found.push(toKey(entry).slice(1 + giver.length));
	expect(found.sort()).toEqual(["1", "3"]);
});

test("what was written or deleted is the fork's own for good", async () => {
	const { open } = setting({ "storage-row a": bytes("1"), "storage-row b": bytes("2") });
	const fork = open();
	expect(fork.get(diskKey(ROWS, "a"))).toEqual(bytes("1"));
	const written = fork.write(
		[
			{ key: diskKey(ROWS, "a"), value: null },
			{ key: diskKey(ROWS, "b"), value: bytes("own") },
		],
		false,
	);
	// While the batch is under way, too.
	expect(fork.get(diskKey(ROWS, "a"))).toBeUndefined();
	expect(fork.get(diskKey(ROWS, "b"))).toEqual(bytes("own"));
	await written;
	for (const same of [fork, open()]) {
		expect(same.get(diskKey(ROWS, "a"))).toBeUndefined();
		expect(same.get(diskKey(ROWS, "b"))).toEqual(bytes("own"));
	}
	await fork.write([{ key: diskKey(ROWS, "a"), value: bytes("again") }], false);
	expect(open().get(diskKey(ROWS, "a"))).toEqual(bytes("again"));
});

test("an answer that comes after a write doesn't replace what was written", async () => {
	const { source, open } = setting({ "storage-row a": bytes("old") });
	const fork = open();
	source.beforeAnswer = async () => {
		void fork.write([{ key: diskKey(ROWS, "a"), value: bytes("new") }], false);
	};
	expect(await fork.getMany([diskKey(ROWS, "a")])).toEqual([bytes("new")]);
	await fork.write([], false);
	expect(open().get(diskKey(ROWS, "a"))).toEqual(bytes("new"));
});

test("many entries take one request, and answers stand where they were asked for", async () => {
	const { source, open } = setting({ "storage-row a": bytes("1"), "storage-row c": bytes("3") });
	const fork = open();
	const keys = ["c", "b", "a", "c"].map((key) => diskKey(ROWS, key));
	expect(await fork.getMany(keys)).toEqual([bytes("3"), undefined, bytes("1"), bytes("3")]);
	expect(source.requests).toBe(1);
	expect(await fork.getMany(keys)).toEqual([bytes("3"), undefined, bytes("1"), bytes("3")]);
	expect(source.requests).toBe(1);
});

test("an account comes with the contract that it may be", () => {
	const { source, open } = setting({ "code x": bytes("code") });
	const fork = open();
	expect(fork.get(diskKey(stores.account, "x"))).toBeUndefined();
	expect(fork.get(diskKey(stores.code, "x"))).toEqual(bytes("code"));
	expect(fork.get(diskKey(stores.contract, "x"))).toBeUndefined();
	expect(source.requests).toBe(1);
});

test("ordered stores have the keys of both, and neighbours come together", async () => {
	const names = Array.from({ length: 400 }, (_, n) => `w${String(n).padStart(4, "0")}`);
	const { source, open } = setting(
		Object.fromEntries(names.map((name) => [`witness ${name}`, new Uint8Array(0)])),
	);
	const fork = open();
	fork.list(new Map([[WITNESSES, await source.keys(WITNESSES)]]));
	await fork.write(
		[
			{ key: diskKey(WITNESSES, "w0003"), value: null },
			{ key: diskKey(WITNESSES, "own"), value: new Uint8Array(0) },
		],
		false,
	);
	for (const same of [fork, open()]) {
		const keys: string[] = [];
		for await (const [key] of same.entries(Uint8Array.of(WITNESSES.index))) keys.push(toKey(key.subarray(1)));
		expect(keys.sort()).toEqual(["own", ...names.filter((name) => name !== "w0003")].sort());
	}
	const before = source.requests;
	for (const name of names) fork.get(diskKey(WITNESSES, name));
	expect(source.requests - before).toBeLessThanOrEqual(3);
	expect(source.asked).not.toContain("witness w0003");
});

test("keys that begin with an address are listed, once, with the fork's own", async () => {
	const index = stores.delegatedResourceAccountIndex;
	const who = "a".repeat(22);
	const { source, open } = setting({
		[`${index.name} ${who}1`]: new Uint8Array(0),
		[`${index.name} ${who}2`]: new Uint8Array(0),
		[`${index.name} ${"b".repeat(22)}1`]: new Uint8Array(0),
	});
	const fork = open();
	await fork.write(
		[
			{ key: diskKey(index, `${who}2`), value: null },
			{ key: diskKey(index, `${who}3`), value: new Uint8Array(0) },
		],
		false,
	);
	const list = async (database: ForkedDatabase): Promise<string[]> => {
		const keys: string[] = [];
		for await (const [key] of database.entries(diskKey(index, who))) keys.push(toKey(key.subarray(1)));
		return keys.sort();
	};
	const expected = [`${who}1`, `${who}3`];
	expect(await list(fork)).toEqual(expected);
	expect(await list(fork)).toEqual(expected);
	expect(source.requests).toBe(1);
	await fork.write([], false);
	source.isDead = true;
	expect(await list(open())).toEqual(expected);
});

describe("what later blocks leave behind is never asked for", () => {
	const cases: readonly (readonly [string, { readonly index: number }, string, boolean])[] = [
		["the index of the fork's block", stores.blockIndex, toKey(be64(10n)), true],
		["the index of the next", stores.blockIndex, toKey(be64(11n)), false],
		["the next block", stores.block, `${toKey(be64(11n))}${"x".repeat(24)}`, false],
		["its receipts", stores.transactionResult, toKey(be64(11n)), false],
		["a balance after it", stores.accountTrace, `a${toKey(be64(11n ^ MAX_INT64))}`, false],
		["a balance before it", stores.accountTrace, `a${toKey(be64(9n ^ MAX_INT64))}`, true],
		["a key that is too short", stores.block, "abc", false],
	];
	test.each(cases)("%s", (_, store, key, isAsked) => {
		const { source, open } = setting({});
		expect(open().get(diskKey(store, key))).toBeUndefined();
		expect(source.requests).toBe(isAsked ? 1 : 0);
	});
});

test("what is no entry of its store is refused, and nothing of the answer kept", () => {
	const { source, open } = setting({
		"account x": Uint8Array.of(0xff, 0xff),
		"contract x": new Uint8Array(0),
	});
	const fork = open();
	for (let times = 1; times <= 2; times++) {
		expect(() => fork.get(diskKey(stores.account, "x"))).toThrow("the store account that can't be read");
		expect(source.requests).toBe(times);
	}
});

test("beyond the budget entries are given, but not kept", () => {
	const { source, open } = setting(
		Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`storage-row ${n}`, new Uint8Array(100)])),
		1_000,
	);
	const fork = open();
	for (let n = 0; n < 20; n++) expect(fork.get(diskKey(ROWS, String(n)))).toHaveLength(100);
	expect(fork.bytesFetched).toBeLessThan(1_300);
	const { requests } = source;
	expect(fork.get(diskKey(ROWS, "19"))).toHaveLength(100);
	expect(source.requests).toBe(requests + 1);
});

test("random reads, writes and restarts are those of one state", async () => {
	let seed = 7;
	const random = (most: number): number => {
		seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
		return Math.floor((seed / 0x80000000) * most);
	};
	const account = (n: number): Uint8Array => Account.encode(Account.create({ balance: BigInt(n) }));
	const entries = Object.fromEntries(
		Array.from({ length: 30 }, (_, n) => [`account ${n}`, account(n)] as const).filter((_, n) => n % 3 !== 0),
	);
	const { source, open } = setting(entries);
	const model = new Map(
		Object.entries(entries).map(([key, value]) => [key.slice("account ".length), value as Uint8Array | null]),
	);
	let fork = open();
	for (let step = 0; step < 3_000; step++) {
		const key = String(random(30));
		const choice = random(10);
		if (choice < 6) {
			expect(fork.get(diskKey(stores.account, key))).toEqual(model.get(key) ?? undefined);
		} else if (choice < 9) {
			const value = random(2) === 0 ? null : account(step);
			model.set(key, value);
			const written = fork.write([{ key: diskKey(stores.account, key), value }], false);
			if (random(2) === 0) await written;
		} else {
			await fork.write([], false);
			fork = open();
		}
	}
	const asked = source.asked.filter((name) => name.startsWith("account"));
	expect(new Set(asked).size).toBe(asked.length);
});
