import { setImmediate as otherTurns } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { shareCacheBytes } from "../../../src/node/state/cache-budget.js";
import { createMemoryDatabase, type KeyValueDatabase } from "../../../src/node/state/database.js";
import { type StoreDefinition, stores } from "../../../src/node/state/definition.js";
import type { StateBackend } from "../../../src/node/state/entry.js";
import { comparePriceKeys } from "../../../src/node/state/price-key.js";
import { type SettleValue, StateDatabase } from "../../../src/node/state/state-database.js";
import type { StateMark } from "../../../src/node/state/state-history.js";
import { be64, toKey } from "../../../src/protocol/bytes.js";
import { MarketOrderIdList } from "../../../src/protocol/messages.js";

type Raw = StoreDefinition<Uint8Array>;

/** Values of this store lose their high bit on the way into the base. */
const REWRITTEN = stores.accountIndex as Raw;
const ORDERED = stores.marketPairToPrice as Raw;
const PRICED = stores.marketPairPriceToOrder;
const PROPERTIES = stores.properties;

const settleValue: SettleValue = (_base, store, value) =>
	(store as unknown) === REWRITTEN
		? (Uint8Array.of(((value as unknown as Uint8Array)[0] as number) & 0x7f) as never)
		: value;

const priceKey = (pair: number, sell: bigint, buy: bigint): string =>
	toKey(Buffer.concat([Buffer.alloc(38, pair), be64(sell), be64(buy)]));

/** Every entry that a run may touch, and how a value of it is made from a number. */
const SLOTS: readonly {
	readonly store: StoreDefinition<unknown>;
	readonly key: string;
	value(n: number): unknown;
}[] = [
	...["a", "b", "c"].map((key) => ({ store: REWRITTEN, key, value: (n: number) => Uint8Array.of(n) })),
	...["", "k", "ka", "\u00ff"].map((key) => ({
		store: ORDERED,
		key,
		value: (n: number) => Uint8Array.of(n),
	})),
	...[priceKey(1, 0n, 0n), priceKey(1, 3n, 7n), priceKey(1, 9n, 2n), priceKey(2, 1n, 1n)].map((key) => ({
		store: PRICED,
		key,
		value: (n: number) => MarketOrderIdList.create({ head: Uint8Array.of(n) }),
	})),
	...["TRANSACTION_FEE", "ENERGY_FEE"].map((key) => ({
		store: PROPERTIES,
		key,
		value: (n: number) => BigInt(n),
	})),
] as never;

/** What a slot holds, encoded; undefined: nothing. */
type Contents = (string | undefined)[];

function read(backend: StateBackend): Contents {
	return SLOTS.map(({ store, key }) => {
		const value = backend.get(store, key);
		return value === undefined ? undefined : toKey(store.codec.encode(value, key));
	});
}

interface Write {
	readonly slot: number;
	/** undefined: deleted. */
	readonly value: string | undefined;
}

/** The same state as plain layers: no before-images, no links, no cache. */
class Model {
	disk: Contents = SLOTS.map(() => undefined);
	base: Contents = [...this.disk];
	blocks: { readonly number: bigint; readonly writes: readonly Write[] }[] = [];
	pending: Write[] = [];
	height = 0n;
	settled = 0n;
	/** What the base was before each final block. */
	finals = new Map<bigint, Contents>();

	head(): Contents {
		const head = this.before(this.height + 1n);
		for (const { slot, value } of this.pending) head[slot] = value;
		return head;
	}

	/** The state before a block that isn't final. */
	before(number: bigint): Contents {
		const contents = [...this.base];
		for (const block of this.blocks)
			if (block.number < number) for (const { slot, value } of block.writes) contents[slot] = value;
		return contents;
	}

	/** What a slot has in the base once a value is there. */
	private settledValue(slot: number, value: string | undefined): string | undefined {
		const rewritten = SLOTS[slot]?.store === REWRITTEN && value !== undefined;
		return rewritten ? String.fromCharCode(value.charCodeAt(0) & 0x7f) : value;
	}

	/** Base and head show it, the head by the newest block that wrote the slot. */
	edit(slot: number, value: string | undefined): void {
		this.base[slot] = this.settledValue(slot, value);
		const newest = this.blocks.findLastIndex(({ writes }) => writes.some((each) => each.slot === slot));
		const block = this.blocks[newest];
		if (block) this.blocks[newest] = { ...block, writes: [...block.writes, { slot, value }] };
	}

	/** What a mark brings back. */
	kept(): Pick<Model, "base" | "blocks" | "height" | "settled" | "finals"> {
		const { base, blocks, height, settled, finals } = this;
		return { base: [...base], blocks: [...blocks], height, settled, finals: new Map(finals) };
	}

	settle(number: bigint): void {
		while (this.blocks[0] && this.blocks[0].number <= number) {
			const block = this.blocks.shift() as (typeof this.blocks)[number];
			this.finals.set(block.number, [...this.base]);
			for (const { slot, value } of block.writes) this.base[slot] = this.settledValue(slot, value);
			this.settled = block.number;
		}
	}

	reopen(): void {
		this.base = [...this.disk];
		this.blocks = [];
		this.pending = [];
		this.settled = 0n;
		this.finals.clear();
	}
}

/** A database whose writes wait until they are let through or fail. */
class SlowDatabase implements KeyValueDatabase {
	private readonly inner = createMemoryDatabase();
	private waiting: { readonly run: () => Promise<void>; readonly fail: (error: Error) => void } | undefined;
	readonly get = this.inner.get;
	readonly entries = this.inner.entries;
	readonly firstKey = this.inner.firstKey;
	readonly close = this.inner.close;

	write: KeyValueDatabase["write"] = (changes, sync) =>
		new Promise((resolve, reject) => {
			this.waiting = { run: () => this.inner.write(changes, sync).then(resolve), fail: reject };
		});

	/** Lets the write through that a flush begins with its next turn. */
	async letThrough(): Promise<void> {
		await otherTurns();
		await this.waiting?.run();
	}

	async fail(): Promise<void> {
		await otherTurns();
		this.waiting?.fail(new Error("the disk is full"));
	}
}

type Step =
	| { readonly kind: "put"; readonly slot: number; readonly n: number }
	| { readonly kind: "delete"; readonly slot: number }
	| {
			readonly kind:
				| "mark"
				| "commit"
				| "undo"
				| "discard"
				| "startFlush"
				| "endFlush"
				| "failFlush"
				| "reopen"
				| "keep"
				| "look";
	  }
	| { readonly kind: "revert" | "settle" | "return"; readonly by: number }
	/** 0: deleted. */
	| { readonly kind: "edit"; readonly slot: number; readonly n: number };

const slot = fc.nat(SLOTS.length - 1);
const steps: readonly { readonly weight: number; readonly arbitrary: fc.Arbitrary<Step> }[] = [
	{
		weight: 12,
		arbitrary: fc.record({ kind: fc.constant("put" as const), slot, n: fc.integer({ min: 1, max: 255 }) }),
	},
	{ weight: 4, arbitrary: fc.record({ kind: fc.constant("delete" as const), slot }) },
	{ weight: 3, arbitrary: fc.record({ kind: fc.constant("revert" as const), by: fc.nat(3) }) },
	{ weight: 4, arbitrary: fc.record({ kind: fc.constant("settle" as const), by: fc.nat(3) }) },
	...(
		[
			["mark", 3],
			["commit", 5],
			["undo", 3],
			["discard", 2],
			["startFlush", 2],
			["endFlush", 2],
			["failFlush", 1],
			["reopen", 1],
			["look", 2],
		] as const
	).map(([kind, weight]) => ({ weight, arbitrary: fc.constant({ kind } as Step) })),
];

/** What development chains do besides. */
const edits: typeof steps = [
	{
		weight: 6,
		arbitrary: fc.record({ kind: fc.constant("edit" as const), slot, n: fc.nat(255) }),
	},
	{ weight: 2, arbitrary: fc.constant({ kind: "keep" }) },
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant("return" as const), by: fc.nat(2) }) },
];

/** Runs steps against both, and compares every view after each. */
class Run {
	private readonly database = new SlowDatabase();
	private state!: StateDatabase;
	private readonly model = new Model();
	private marks: { readonly mark: number; readonly length: number }[] = [];
	private flush: Promise<void> | undefined;
	private flushed: Contents = [];
	private kept: { readonly mark: StateMark; readonly model: ReturnType<Model["kept"]> }[] = [];

	constructor(private readonly isEdited: boolean) {}

	async start(): Promise<void> {
		this.state = await StateDatabase.open(this.database, settleValue);
		this.kept = [];
		if (this.isEdited) this.state.keepHistory(8);
	}

	async apply(one: Step): Promise<void> {
		const { state, model } = this;
		switch (one.kind) {
			case "put": {
				const { store, key, value } = SLOTS[one.slot] as (typeof SLOTS)[number];
				state.headBackend.put(store, key, value(one.n));
				model.pending.push({ slot: one.slot, value: toKey(store.codec.encode(value(one.n), key)) });
				break;
			}
			case "delete": {
				const { store, key } = SLOTS[one.slot] as (typeof SLOTS)[number];
				state.headBackend.delete(store, key);
				model.pending.push({ slot: one.slot, value: undefined });
				break;
			}
			case "mark":
				this.marks.push({ mark: state.mark(), length: model.pending.length });
				break;
			case "revert":
				this.revertTo(this.marks[this.marks.length - 1 - one.by]);
				break;
			case "discard":
				this.revertTo({ mark: 0, length: 0 });
				break;
			case "commit":
				this.commit();
				break;
			case "undo":
				if (model.blocks.length === 0 || model.pending.length > 0) break;
				state.undoBlock();
				model.blocks.pop();
				model.height--;
				break;
			case "settle": {
				const number = (model.blocks[0]?.number ?? model.height) + BigInt(one.by) - 1n;
				state.settle(number);
				model.settle(number);
				break;
			}
			case "startFlush":
				if (this.flush) break;
				this.flushed = [...model.base];
				this.flush = state.flush(false);
				break;
			case "endFlush":
				if (!this.flush) break;
				await this.database.letThrough();
				await this.flush;
				this.flush = undefined;
				model.disk = this.flushed;
				break;
			case "failFlush":
				if (!this.flush) break;
				await this.database.fail();
				await expect(this.flush).rejects.toThrow("the disk is full");
				this.flush = undefined;
				break;
			case "reopen":
				await this.apply({ kind: "endFlush" });
				model.reopen();
				this.marks = [];
				await this.start();
				break;
			case "edit": {
				this.revertTo({ mark: 0, length: 0 });
				const { store, key, value } = SLOTS[one.slot] as (typeof SLOTS)[number];
				const backend = state.history?.editBackend as StateBackend;
				if (one.n === 0) backend.delete(store, key);
				else backend.put(store, key, value(one.n));
				model.edit(one.slot, one.n === 0 ? undefined : toKey(store.codec.encode(value(one.n), key)));
				break;
			}
			case "keep":
				this.revertTo({ mark: 0, length: 0 });
				if (state.history) this.kept.push({ mark: state.history.mark(), model: model.kept() });
				break;
			case "return":
				this.returnTo(this.kept.length - 1 - one.by);
				break;
			case "look":
				this.compareFormer();
				break;
		}
		this.compare();
	}

	private returnTo(index: number): void {
		const target = this.kept[index];
		if (!target) return;
		this.revertTo({ mark: 0, length: 0 });
		for (const { mark } of this.kept.splice(index + 1)) this.state.history?.forget(mark);
		this.state.history?.returnTo(target.mark);
		const { base, finals, blocks, height, settled } = target.model;
		Object.assign(this.model, { base: [...base], blocks: [...blocks], height, settled });
		this.model.finals = new Map(finals);
	}

	/** The state before each block, read so often that both ways of looking it up are taken. */
	private compareFormer(): void {
		const { state, model } = this;
		for (const { number } of model.blocks)
			for (const former of Array(3).fill(state.stateBefore(number)))
				expect(read(former)).toEqual(model.before(number));
		for (const [number, contents] of model.finals) {
			const former = state.stateBefore(number);
			if (former) expect(read(former)).toEqual(contents);
		}
	}

	private revertTo(target: { readonly mark: number; readonly length: number } | undefined): void {
		if (!target) return;
		this.state.revert(target.mark);
		this.model.pending.length = target.length;
		this.marks = this.marks.filter(({ mark }) => mark <= target.mark);
	}

	private commit(): void {
		const { state, model } = this;
		const after = model.head();
		const writes = model.pending;
		model.pending = [];
		const before = model.head();
		const change = state.commitBlock(++model.height);
		model.blocks.push({ number: model.height, writes });
		this.marks = [];
		const changed = new Map(
			[...state.changesOf(change)].map((entry) => [`${entry.store.name} ${entry.key}`, entry] as const),
		);
		for (const [index, { store, key }] of SLOTS.entries()) {
			const entry = changed.get(`${store.name} ${key}`);
			if (before[index] === after[index]) expect(entry).toBeUndefined();
			else {
				expect(entry?.before && toKey(entry.before)).toBe(before[index] ?? null);
				expect(entry?.after && toKey(entry.after)).toBe(after[index] ?? null);
			}
		}
	}

	compare(): void {
		const { state, model } = this;
		const head = model.head();
		expect(read(state.headBackend)).toEqual(head);
		expect(read(state.baseBackend)).toEqual(model.base);
		expect(read(state.solidBackend)).toEqual(model.base);
		for (const [backend, contents] of [
			[state.headBackend, head],
			[state.baseBackend, model.base],
			[state.solidBackend, model.base],
		] as const) {
			for (const store of [ORDERED, PRICED]) {
				const present = SLOTS.filter((each, index) => each.store === store && contents[index] !== undefined);
				const keys = present.map(({ key }) => key);
				keys.sort((a, b) => (store === PRICED ? comparePriceKeys(a, b) : a < b ? -1 : 1));
				expect([...backend.keys(store as StoreDefinition<unknown>)]).toEqual(keys);
			}
		}
		expect(state.undoable).toBe(model.blocks.length);
		expect(state.finalizedNumber).toBe(model.settled);
		this.compareEntries();
	}

	/** The head has an entry for what a block or a pending write changed, for nothing else, and it knows its newest block. */
	private compareEntries(): void {
		const { state, model } = this;
		const newest = new Map<string, bigint | undefined>();
		const note = (number: bigint | undefined) => (write: Write) => {
			const { store, key } = SLOTS[write.slot] as (typeof SLOTS)[number];
			const id = `${store.index} ${key}`;
			newest.set(id, number ?? newest.get(id));
		};
		for (const { number, writes } of model.blocks) writes.forEach(note(number));
		model.pending.forEach(note(undefined));
		const found = state["entries"].flatMap((map, index) =>
			[...map].map(([key, { change }]) => [`${index} ${key}`, change?.block.number] as const),
		);
		expect(new Map(found)).toEqual(newest);
	}

	/** The dump gives the head, whatever layers it lies in. */
	async compareDump(): Promise<void> {
		const head = this.model.head();
		for (const store of [REWRITTEN, ORDERED, PRICED, PROPERTIES] as StoreDefinition<unknown>[]) {
			const dumped = new Map<string, string>();
			for await (const [key, value] of this.state.dump(store)) dumped.set(key, toKey(value));
			const expected = SLOTS.flatMap((each, index) => {
				const value = head[index];
				return each.store === store && value !== undefined ? [[each.key, value] as const] : [];
			});
			expect(new Map([...dumped].sort())).toEqual(new Map(expected.sort()));
		}
	}

	/** Undoing every block leads back to the base. */
	undoAll(): void {
		this.revertTo({ mark: 0, length: 0 });
		while (this.state.undoable > 0) {
			this.state.undoBlock();
			this.model.blocks.pop();
			this.compare();
		}
		expect(read(this.state.headBackend)).toEqual(read(this.state.baseBackend));
	}
}

describe("the three levels of the state", () => {
	test.each([
		["of a network's node", false],
		["of a development chain", true],
	])("read the same as plain layers after any sequence of steps %s", async (_, isEdited) => {
		const step = fc.oneof(...steps, ...(isEdited ? edits : []));
		await fc.assert(
			fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 80 }), async (list) => {
				const run = new Run(isEdited);
				await run.start();
				for (const one of list) await run.apply(one);
				await run.compareDump();
				run.undoAll();
			}),
			{ numRuns: 150 },
		);
	});

	test("keep decoded values right when the cache turns over", async () => {
		const state = await StateDatabase.open(createMemoryDatabase(), undefined, shareCacheBytes(4 << 20));
		const value = (n: number): Uint8Array => be64(BigInt(n));
		const count = 25_000;
		const all = (offset: number): void => {
			for (let i = 0; i < count; i++) {
				const got = state.headBackend.get(REWRITTEN, `k${i}`);
				if (!got || Buffer.compare(got, value(i + offset)) !== 0) throw new Error(`entry ${i} is wrong`);
			}
		};
		for (const [round, offset] of [0, 7].entries()) {
			for (let i = 0; i < count; i++) state.headBackend.put(REWRITTEN, `k${i}`, value(i + offset));
			state.commitBlock(BigInt(round + 1));
			state.settle(BigInt(round + 1));
			all(offset);
			const flush = state.flush(false);
			all(offset);
			await flush;
			all(offset);
		}
		for (let i = 0; i < count; i += 3) state.headBackend.delete(REWRITTEN, `k${i}`);
		state.commitBlock(9n);
		state.settle(9n);
		await state.flush(false);
		for (let i = 0; i < count; i++) {
			expect(state.headBackend.get(REWRITTEN, `k${i}`) === undefined).toBe(i % 3 === 0);
		}
	});
});

describe("misuse", () => {
	test("undoing a block under pending changes, or none at all, is refused", async () => {
		const state = await StateDatabase.open(createMemoryDatabase());
		expect(() => state.undoBlock()).toThrow("no block can be undone");
		state.headBackend.put(REWRITTEN, "a", Uint8Array.of(1));
		state.commitBlock(1n);
		state.headBackend.put(REWRITTEN, "a", Uint8Array.of(2));
		expect(() => state.undoBlock()).toThrow("pending changes must be reverted before a block");
	});

	test("a second flush during the first is refused, and the first still ends", async () => {
		const state = await StateDatabase.open(createMemoryDatabase());
		state.baseBackend.put(REWRITTEN, "a", Uint8Array.of(1));
		const first = state.flush(false);
		await expect(state.flush(false)).rejects.toThrow("a flush is already running");
		await first;
		expect(state.isFlushing).toBe(false);
	});

	test("writing the solid view is refused", async () => {
		const state = await StateDatabase.open(createMemoryDatabase());
		expect(() => state.solidBackend.put(REWRITTEN, "a", Uint8Array.of(1))).toThrow("can't be written");
		expect(() => state.solidBackend.delete(REWRITTEN, "a")).toThrow("can't be written");
	});

	test("walking a store without order is refused", async () => {
		const state = await StateDatabase.open(createMemoryDatabase());
		expect(() => state.headBackend.keys(REWRITTEN)).toThrow("store account-index keeps no key order");
	});
});

describe("a failed flush", () => {
	test("is written by the next one, and counts as waiting until then", async () => {
		const database = new SlowDatabase();
		const state = await StateDatabase.open(database);
		state.baseBackend.put(REWRITTEN, "a", Uint8Array.of(1));
		state.baseBackend.put(REWRITTEN, "b", Uint8Array.of(1));
		const failed = state.flush(false);
		state.baseBackend.put(REWRITTEN, "b", Uint8Array.of(2));
		await database.fail();
		await expect(failed).rejects.toThrow("the disk is full");
		expect(state.pendingFlush).toBe(2);
		const second = state.flush(false);
		await database.letThrough();
		await second;
		expect(database.get(Buffer.from([REWRITTEN.index, 0x61]))).toEqual(Uint8Array.of(1));
		expect(database.get(Buffer.from([REWRITTEN.index, 0x62]))).toEqual(Uint8Array.of(2));
	});
});
