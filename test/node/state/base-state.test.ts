import { beforeEach, describe, expect, test } from "vitest";
import { BaseState } from "../../../src/node/state/base-state.js";
import { beginBatch, createMemoryDatabase, type KeyValueDatabase } from "../../../src/node/state/database.js";
import { type StoreDefinition, stores } from "../../../src/node/state/definition.js";
import { KnownProperties } from "../../../src/node/state/known-properties.js";

const STORE = stores.accountIndex as StoreDefinition<Uint8Array>;
/** Written for history: a flush doesn't leave its values in the cache. */
const HISTORY = stores.block as StoreDefinition<Uint8Array>;
const wanted = (...keys: string[]) => keys.map((key) => ({ store: STORE as StoreDefinition<unknown>, key }));

let memory: KeyValueDatabase;
let base: BaseState;
/** Keys that were read one at a time, and those that were read together. */
let single: number;
let together: number;
/** Ends the reads that are under way. */
let release: () => void;

beforeEach(async () => {
	memory = createMemoryDatabase();
	[single, together] = [0, 0];
	const database: KeyValueDatabase = {
		...memory,
		get: (key) => {
			single++;
			return memory.get(key);
		},
		getMany: (keys) => {
			together += keys.length;
			const values = keys.map((key) => memory.get(key));
			return new Promise((resolve) => {
				release = () => resolve(values);
			});
		},
	};
	base = await BaseState.open(database, new KnownProperties(), () => {});
	base.set(STORE, "old", Uint8Array.of(1));
	await base.flush(true, []);
});

describe("reading ahead", () => {
	test("keeps what is there and what isn't, so that nobody waits for it later", async () => {
		// Another process of the same directory: nothing is cached.
		base = await BaseState.open(
			{ ...memory, getMany: async (keys) => keys.map((key) => memory.get(key)) },
			new KnownProperties(),
			() => {},
		);
		const get = memory.get;
		let asked = 0;
		memory.get = (key) => {
			asked++;
			return get(key);
		};
		await base.readAhead(wanted("old", "none"));
		asked = 0;
		expect(base.get(STORE, "old")).toEqual(Uint8Array.of(1));
		expect(base.get(STORE, "none")).toBeUndefined();
		expect(asked).toBe(0);
	});

	test("asks only for what is not in memory", async () => {
		base.set(STORE, "new", Uint8Array.of(2));
		base.get(STORE, "missing");
		await base.readAhead(wanted("old", "new", "missing"));
		expect([single, together]).toEqual([1, 0]);
	});

	test.each([
		["ended", async () => void (await base.flush(true, []))],
		["began", async () => void base.flush(true, [])],
	])("drops what it read when a flush %s meanwhile", async (_, flush) => {
		const reading = base.readAhead([{ store: HISTORY as StoreDefinition<unknown>, key: "late" }]);
		base.set(HISTORY, "late", Uint8Array.of(3));
		await flush();
		release();
		await reading;
		await new Promise((resolve) => setImmediate(resolve));
		expect(base.get(HISTORY, "late")).toEqual(Uint8Array.of(3));
	});

	test("leaves a change of the meantime above what it read", async () => {
		const reading = base.readAhead(wanted("late"));
		base.set(STORE, "late", Uint8Array.of(3));
		release();
		await reading;
		expect(base.get(STORE, "late")).toEqual(Uint8Array.of(3));
	});

	test("does nothing where the database can't", async () => {
		base = await BaseState.open(createMemoryDatabase(), new KnownProperties(), () => {});
		await base.readAhead(wanted("old"));
		expect(base.get(STORE, "old")).toBeUndefined();
	});
});

describe("a large flush", () => {
	test("lets other turns of the event loop pass, and what is read meanwhile is right", async () => {
		base = await BaseState.open(memory, new KnownProperties(), () => {});
		const count = 2_000;
		for (let i = 0; i < count; i++) base.set(STORE, `key ${i}`, Uint8Array.of(i & 0xff));
		let turns = 0;
		let ended = false;
		const flush = base.flush(true, []).then(() => {
			ended = true;
		});
		base.set(STORE, "key 0", Uint8Array.of(99));
		while (!ended) {
			turns++;
			expect(base.get(STORE, "key 0")).toEqual(Uint8Array.of(99));
			expect(base.get(STORE, "key 1999")).toEqual(Uint8Array.of(1999 & 0xff));
			await new Promise((resolve) => setImmediate(resolve));
		}
		await flush;
		// One entry more came meanwhile.
		expect(turns).toBeGreaterThanOrEqual(Math.floor(count / 502));
		expect(memory.get(Buffer.concat([Uint8Array.of(STORE.index), Buffer.from("key 0")]))).toEqual(
			Uint8Array.of(0),
		);
		await base.flush(true, []);
		expect(memory.get(Buffer.concat([Uint8Array.of(STORE.index), Buffer.from("key 0")]))).toEqual(
			Uint8Array.of(99),
		);
	});

	test("keeps ahead of what an import adds meanwhile", async () => {
		base = await BaseState.open(memory, new KnownProperties(), () => {});
		const count = 20_000;
		const add = (from: number, to: number): void => {
			for (let i = from; i < to; i++) base.set(STORE, `key ${i}`, Uint8Array.of(i & 0xff));
		};
		add(0, count);
		let ended = false;
		const flush = base.flush(true, []).then(() => {
			ended = true;
		});
		for (let at = count; !ended; at += 1_000) {
			add(at, at + 1_000);
			await new Promise((resolve) => setImmediate(resolve));
		}
		await flush;
		expect(base.pendingFlush).toBeLessThan(count / 2 + 2_000);
	});
});

describe("properties", () => {
	const PROPERTIES = stores.properties as StoreDefinition<unknown>;
	const keyOf = (name: string): Uint8Array => Buffer.concat([Uint8Array.of(0), Buffer.from(name)]);

	test("are asked of the database once, whether they are there or not, and a change is seen at once", async () => {
		await memory.write([{ key: keyOf("FORK_VERSION_7"), value: Uint8Array.of(1) }], true);
		for (let i = 0; i < 3; i++) {
			expect(base.get(PROPERTIES, "FORK_VERSION_7")).toEqual(Uint8Array.of(1));
			expect(base.get(PROPERTIES, "FORK_VERSION_8")).toBeUndefined();
		}
		expect(single).toBe(2);
		base.set(PROPERTIES, "FORK_VERSION_8", Uint8Array.of(2));
		base.set(PROPERTIES, "FORK_VERSION_7", null);
		await base.flush(true, []);
		expect(base.get(PROPERTIES, "FORK_VERSION_8")).toEqual(Uint8Array.of(2));
		expect(base.get(PROPERTIES, "FORK_VERSION_7")).toBeUndefined();
		expect(memory.get(keyOf("FORK_VERSION_7"))).toBeUndefined();
		expect(single).toBe(2);
	});
});

test("a database that can't begin a batch, or take a change, leaves the changes to the next flush", async () => {
	const failures = ["begin", "put"];
	const dropped: string[] = [];
	const database: KeyValueDatabase = {
		...memory,
		batch: () => {
			const failure = failures.shift();
			if (failure === "begin") throw new Error("begin");
			const batch = beginBatch(memory);
			const refuse = (): void => {
				throw new Error("put");
			};
			const drop = async (): Promise<void> => {
				dropped.push(failure ?? "none");
			};
			return { ...batch, ...(failure === "put" ? { put: refuse } : {}), drop };
		},
	};
	base = await BaseState.open(database, new KnownProperties(), () => {});
	base.set(STORE, "new", Uint8Array.of(2));
	for (const failure of ["begin", "put"]) await expect(base.flush(true, [])).rejects.toThrow(failure);
	expect(base.pendingFlush).toBe(1);
	await base.flush(true, []);
	expect(dropped).toEqual(["put"]);
	const again = await BaseState.open(memory, new KnownProperties(), () => {});
	expect(again.get(STORE, "new")).toEqual(Uint8Array.of(2));
});
