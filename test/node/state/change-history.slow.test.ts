import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createMemoryDatabase, type KeyValueDatabase } from "../../../src/node/state/database.js";
import { type StoreDefinition, stores } from "../../../src/node/state/definition.js";
import type { StateBackend } from "../../../src/node/state/entry.js";
import { FULL_ROW } from "../../../src/node/state/history-format.js";
import { comparePriceKeys } from "../../../src/node/state/price-key.js";
import { StateDatabase } from "../../../src/node/state/state-database.js";
import { be64, toKey } from "../../../src/protocol/bytes.js";
import { MarketOrderIdList } from "../../../src/protocol/messages.js";

const PRICED = stores.marketPairPriceToOrder;
const priceKey = (pair: number, sell: bigint, buy: bigint): string =>
	toKey(Buffer.concat([Buffer.alloc(38, pair), be64(sell), be64(buy)]));

interface Slot {
	readonly store: StoreDefinition<unknown>;
	readonly key: string;
	value(n: number): unknown;
}

/** Entries that a run may touch: of plain stores, of one in order, of one in an order of its own. */
const SLOTS: readonly Slot[] = [
	...["a", "b", "\u00ff"].map((key) => ({
		store: stores.storageRow,
		key,
		// A value without bytes is not the same as none.
		value: (n: number) => (n === 1 ? new Uint8Array(0) : Uint8Array.of(n)),
	})),
	...["", "k", "ka"].map((key) => ({
		store: stores.marketPairToPrice,
		key,
		value: (n: number) => Uint8Array.of(n),
	})),
	...[priceKey(1, 3n, 7n), priceKey(1, 9n, 2n), priceKey(2, 1n, 1n)].map((key) => ({
		store: PRICED,
		key,
		value: (n: number) => MarketOrderIdList.create({ head: Uint8Array.of(n) }),
	})),
	{ store: stores.properties, key: "ENERGY_FEE", value: (n: number) => BigInt(n) },
] as never;

/** What each slot holds, encoded, and the keys of the ordered stores. */
function read(backend: StateBackend): unknown {
	return {
		entries: SLOTS.map(({ store, key }) => {
			const value = backend.get(store, key);
			return value === undefined ? undefined : toKey(store.codec.encode(value, key));
		}),
		keys: [...backend.keys(stores.marketPairToPrice)],
		from: [...backend.keys(stores.marketPairToPrice).from("k")],
		prices: [...backend.keys(PRICED)],
		size: backend.keys(PRICED).size,
	};
}

/** A database whose next write fails. */
function failingOnce(database: KeyValueDatabase): KeyValueDatabase & { failNext(): void } {
	let fails = false;
	return {
		...database,
		failNext: () => {
			fails = true;
		},
		write: async (changes, sync) => {
			if (!fails) return database.write(changes, sync);
			fails = false;
			throw new Error("the disk is full");
		},
	};
}

type Step =
	| { readonly kind: "block"; readonly writes: readonly (readonly [slot: number, n: number])[] }
	| { readonly kind: "settle"; readonly by: number }
	| { readonly kind: "flush" | "failedFlush" | "flushBeside" | "reopen" };

const writes = fc.array(fc.tuple(fc.nat(SLOTS.length - 1), fc.nat(4)), { maxLength: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 8, arbitrary: fc.record({ kind: fc.constant("block" as const), writes }) },
	{
		weight: 5,
		arbitrary: fc.record({ kind: fc.constant("settle" as const), by: fc.integer({ min: 1, max: 4 }) }),
	},
	...(
		[
			["flush", 3],
			["failedFlush", 1],
			["flushBeside", 1],
			["reopen", 2],
		] as const
	).map(([kind, weight]) => ({ weight, arbitrary: fc.constant({ kind } as Step) })),
);

/** Runs steps, and remembers what the head was after each block. */
class Run {
	private readonly database = failingOnce(createMemoryDatabase());
	private state!: StateDatabase;
	private readonly after: unknown[] = [];
	private height = 0;
	private stored = 0;

	constructor(private readonly keep: number | undefined) {}

	async open(): Promise<void> {
		this.height = this.stored;
		this.after.length = this.height + 1;
		this.state = await StateDatabase.open(this.database);
		this.state.commitBlock(BigInt(this.height));
		this.state.settle(BigInt(this.height));
		await this.state.keepChanges(BigInt(this.height), this.keep);
		this.after[this.height] ??= read(this.state.headBackend);
	}

	private block(writes: readonly (readonly [number, number])[]): void {
		const { headBackend } = this.state;
		for (const [at, n] of writes) {
			const { store, key, value } = SLOTS[at] as Slot;
			if (n === 0) headBackend.delete(store, key);
			else headBackend.put(store, key, value(n));
		}
		this.height++;
		this.after[this.height] = read(headBackend);
		this.state.commitBlock(BigInt(this.height));
	}

	private async flush(): Promise<void> {
		const { finalizedNumber } = this.state;
		await this.state.flush(false);
		this.stored = Number(finalizedNumber);
	}

	async apply(one: Step): Promise<void> {
		const { state } = this;
		if (one.kind === "block") this.block(one.writes);
		if (one.kind === "settle") state.settle(state.finalizedNumber + BigInt(one.by));
		if (one.kind === "flush") await this.flush();
		if (one.kind === "failedFlush") {
			this.database.failNext();
			await expect(state.flush(false)).rejects.toThrow("the disk is full");
		}
		if (one.kind === "flushBeside") {
			const flushing = this.flush();
			this.block([[0, 3]]);
			state.settle(BigInt(this.height));
			this.compare();
			await flushing;
		}
		if (one.kind === "reopen") await this.open();
		this.compare();
	}

	private compare(): void {
		const { state } = this;
		const settled = Number(state.finalizedNumber);
		const lowest = this.keep === undefined ? 0 : Math.max(0, settled - this.keep);
		for (let number = 0; number <= this.height; number++) {
			const backend = state.stateAfter(BigInt(number));
			if (number < lowest) expect(backend).toBeUndefined();
			else expect([number, backend && read(backend)]).toEqual([number, this.after[number]]);
		}
		expect(state.stateAfter(BigInt(this.height + 1))).toBeUndefined();
	}
}

describe("the history of the state", () => {
	test.each([undefined, 3])("is exact at every block (kept: %s)", async (keep) => {
		await fc.assert(
			fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
				const run = new Run(keep);
				await run.open();
				for (const one of steps) await run.apply(one);
			}),
			{ numRuns: 60, seed: 18 },
		);
	});

	test("whose rows can't be read fails the flush, which the next one makes up for", async () => {
		const memory = createMemoryDatabase();
		let fails = false;
		const broken = async (): Promise<never> => {
			throw new Error("bad sector");
		};
		const database: KeyValueDatabase = {
			...memory,
			getMany: (keys) => (fails ? broken() : Promise.resolve(keys.map((key) => memory.get(key)))),
		};
		const state = await StateDatabase.open(database);
		await state.keepChanges(0n, undefined);
		// The base takes turns over so many entries, and asks for the rows only afterwards.
		const keys = Array.from({ length: 2_000 }, (_, at) => `entry ${at}`);
		for (const key of keys) state.headBackend.put(stores.accountIndex, key, Uint8Array.of(7));
		state.commitBlock(1n);
		state.settle(1n);
		fails = true;
		await expect(state.flush(false)).rejects.toThrow("bad sector");
		fails = false;
		await state.flush(false);
		const again = await StateDatabase.open(database);
		expect(again.headBackend.get(stores.accountIndex, keys.at(-1) as string)).toEqual(Uint8Array.of(7));
	});

	test("finds changes of an entry that changes with every block, over many rows", async () => {
		const state = await StateDatabase.open(createMemoryDatabase());
		await state.keepChanges(0n, undefined);
		const blocks = 3 * FULL_ROW + 50;
		for (let number = 1; number <= blocks; number++) {
			state.headBackend.put(stores.properties, "ENERGY_FEE", BigInt(number));
			state.commitBlock(BigInt(number));
			state.settle(BigInt(number));
			if (number % 500 === 0) await state.flush(false);
		}
		await state.flush(false);
		for (const number of [1, 2, FULL_ROW - 1, FULL_ROW, FULL_ROW + 1, 2 * FULL_ROW, blocks - 1, blocks]) {
			const backend = state.stateAfter(BigInt(number));
			expect(backend?.get(stores.properties, "ENERGY_FEE")).toBe(BigInt(number));
		}
		expect(state.stateAfter(0n)?.get(stores.properties, "ENERGY_FEE")).toBeUndefined();
	});

	test("begins anew where blocks moved into the base without it", async () => {
		const database = createMemoryDatabase();
		const put = (state: StateDatabase, number: bigint): void => {
			state.headBackend.put(stores.properties, "ENERGY_FEE", number);
			state.commitBlock(number);
			state.settle(number);
		};
		const first = await StateDatabase.open(database);
		await first.keepChanges(0n, undefined);
		for (const number of [1n, 2n]) put(first, number);
		await first.flush(false);
		const without = await StateDatabase.open(database);
		put(without, 3n);
		await without.flush(false);
		const again = await StateDatabase.open(database);
		again.commitBlock(3n);
		again.settle(3n);
		const history = await again.keepChanges(3n, undefined);
		expect(history.status).toEqual({ generation: 2, first: 3, last: 3 });
		expect(again.stateAfter(2n)).toBeUndefined();
		put(again, 4n);
		expect(again.stateAfter(3n)?.get(stores.properties, "ENERGY_FEE")).toBe(3n);
	});

	test("has keys of ordered stores in the stores' own order", async () => {
		const state = await StateDatabase.open(createMemoryDatabase());
		await state.keepChanges(0n, undefined);
		const keys = [priceKey(1, 9n, 2n), priceKey(1, 3n, 7n), priceKey(1, 1n, 1n)].sort(comparePriceKeys);
		for (const key of keys) state.headBackend.put(PRICED, key, MarketOrderIdList.create());
		state.commitBlock(1n);
		state.headBackend.delete(PRICED, keys[1] as string);
		state.commitBlock(2n);
		state.settle(2n);
		expect([...(state.stateAfter(1n)?.keys(PRICED) ?? [])]).toEqual(keys);
		expect([...(state.stateAfter(2n)?.keys(PRICED).copy() ?? [])]).toEqual([keys[0], keys[2]]);
	});
});
