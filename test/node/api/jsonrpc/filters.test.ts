import { beforeEach, describe, expect, test } from "vitest";
import { FilterRegistry, feedFilters } from "../../../../src/node/api/jsonrpc/filter-registry.js";
import type { LogFilter } from "../../../../src/node/api/jsonrpc/log-filter.js";
import type { ChainObserver } from "../../../../src/node/chain/observers.js";
import type { BlockChange } from "../../../../src/node/state/state-database.js";
import { MAX_INT64 } from "../../../../src/protocol/int64.js";
import { address, type LogNumbers, SmallChain } from "./small-chain.js";

const RELEASE = "4.8.1";

const LIFETIME_MS = 300_000;
const NO_CHANGE: BlockChange = { number: 0n, entries: [] };

const logFilter = (fields: Partial<LogFilter> = {}): LogFilter => ({
	addresses: [],
	topics: [],
	from: 0n,
	to: MAX_INT64,
	isOneBlock: false,
	...fields,
});

type Executed = ReturnType<SmallChain["add"]>;

let nowMs = 0;
let chain: SmallChain;
let full: FilterRegistry;
let solidity: FilterRegistry;
let observer: Required<Pick<ChainObserver, "committed" | "reorg">>;

beforeEach(async () => {
	nowMs = 1_000_000;
	chain = await SmallChain.create();
	const limits = { maxBlockFilters: 3, maxLogFilters: 2 };
	full = new FilterRegistry(() => nowMs, limits, RELEASE);
	solidity = new FilterRegistry(() => nowMs, limits, RELEASE);
	observer = feedFilters(chain.state, full, solidity) as typeof observer;
});

/** A block comes. */
function apply(
	number: bigint,
	transactions: readonly (readonly LogNumbers[])[] = [],
	{ solidified = 0n, salt = 0 } = {},
): string {
	const { block, infos } = chain.add(number, transactions, { solidified, salt });
	observer.committed({ block, infos, change: NO_CHANGE });
	return `0x${block.idHex}`;
}

/** Places of the queued logs: block, place, and a minus where it is removed. */
function logs(registry: FilterRegistry, id: string): string[] {
	const changes = registry.takeChanges(id) as unknown as {
		readonly blockNumber: string;
		readonly logIndex: string;
		readonly removed: boolean;
	}[];
	return changes.map((log) => `${log.removed ? "-" : ""}${log.blockNumber} ${log.logIndex}`);
}

describe("a filter of blocks", () => {
	test("gives the ids of the blocks since the last poll", () => {
		apply(1n);
		const id = full.add();
		expect(full.takeChanges(id)).toEqual([]);
		const hashes = [apply(2n), apply(3n)];
		expect(full.takeChanges(id)).toEqual(hashes);
		expect(full.takeChanges(id)).toEqual([]);
	});

	test("is no filter of logs", () => {
		const id = full.add();
		expect(() => full.logFilter(id)).toThrow("filter not found");
	});

	test("over solidified blocks begins with the newest one and then misses none", () => {
		const id = solidity.add();
		chain.add(1n);
		const second = `0x${chain.add(2n).block.idHex}`;
		const third = apply(3n, [], { solidified: 2n });
		expect(solidity.takeChanges(id)).toEqual([second]);
		const fourth = apply(4n, [], { solidified: 2n });
		expect(solidity.takeChanges(id)).toEqual([]);
		apply(5n, [], { solidified: 4n });
		expect(solidity.takeChanges(id)).toEqual([third, fourth]);
	});
});

describe("an expired filter", () => {
	test.each(["4.8.1", "4.8.2"] as const)("of release %s", async (release) => {
		const registry = new FilterRegistry(() => nowMs, { maxBlockFilters: 9, maxLogFilters: 9 }, release);
		const id = registry.add();
		nowMs += LIFETIME_MS;
		expect(registry.takeChanges(id)).toEqual([]);
		nowMs += LIFETIME_MS + 1;
		if (release === "4.8.1") expect(registry.takeChanges(id)).toEqual([]);
		else {
			expect(() => registry.takeChanges(id)).toThrow("filter not found");
			expect(registry.size).toBe(0);
		}
	});

	test.each([
		["4.8.1", "block"],
		["4.8.1", "log"],
		["4.8.2", "block"],
		["4.8.2", "log"],
	] as const)("takes no place from another one from release 4.8.2 on: %s, of a %s", (release, kind) => {
		const registry = new FilterRegistry(() => nowMs, { maxBlockFilters: 1, maxLogFilters: 1 }, release);
		const add = () => registry.add(kind === "log" ? logFilter() : undefined);
		add();
		nowMs += LIFETIME_MS;
		expect(add).toThrow("try again later");
		nowMs += 1;
		if (release === "4.8.1") expect(add).toThrow("try again later");
		else add();
		expect(registry.size).toBe(1);
	});
});

describe("a filter of logs", () => {
	test.each([
		["4.8.1", undefined],
		["4.8.2", "0x3"],
	] as const)("tells the time of blocks as release %s does", (release, blockTimestamp) => {
		const registry = new FilterRegistry(() => nowMs, { maxBlockFilters: 9, maxLogFilters: 9 }, release);
		const id = registry.add(logFilter());
		const { block, infos } = chain.add(1n, [[[1]]]);
		registry.blockApplied(block, infos);
		registry.blockReverted(block, infos);
		const [added, removed] = registry.takeChanges(id) as unknown as Readonly<Record<string, unknown>>[];
		expect(added?.["blockTimestamp"]).toBe(blockTimestamp);
		expect(removed).toEqual({ ...added, removed: true });
	});

	test("gives the logs that match, within its range", () => {
		const all = full.add(logFilter({ from: 2n, to: 3n }));
		const one = full.add(logFilter({ addresses: [address(2)] }));
		apply(1n, [[[1]]]);
		apply(2n, [[[1]], [[2]]]);
		apply(3n);
		apply(4n, [[[2]]]);
		expect(logs(full, all)).toEqual(["0x2 0x0", "0x2 0x1"]);
		expect(logs(full, one)).toEqual(["0x2 0x1", "0x4 0x0"]);
	});

	test("gives logs of blocks that the chain leaves again, as removed, then those of the blocks it moves to", () => {
		const id = full.add(logFilter());
		const blocks = full.add();
		apply(1n, [[[1]]]);
		const { block, infos } = chain.add(2n, [[[1], [1]]]);
		observer.committed({ block, infos, change: NO_CHANGE });
		full.takeChanges(blocks);
		expect(logs(full, id)).toEqual(["0x1 0x0", "0x2 0x0", "0x2 0x1"]);
		observer.reorg({ reverted: [{ block, infos }], committed: [] });
		const moved = [2n, 3n].map((number) => apply(number, [[[1]]], { salt: 1 }));
		expect(logs(full, id)).toEqual(["-0x2 0x0", "-0x2 0x1", "0x2 0x0", "0x3 0x0"]);
		expect(full.takeChanges(blocks)).toEqual(moved);
	});

	test.each([
		["4.8.1", ["-0x1 0x0"], []],
		["4.8.2", ["-0x1 0x0", "0x1 0x0", "0x2 0x0"], [1n, 2n]],
	] as const)("is told in a reorg what release %s tells of the new branch", (release, told, numbers) => {
		const registry = new FilterRegistry(() => nowMs, { maxBlockFilters: 9, maxLogFilters: 9 }, release);
		const { reorg } = feedFilters(chain.state, registry, undefined) as typeof observer;
		const [left, first, second] = [0, 1, 2].map((salt) =>
			chain.add(BigInt(Math.max(1, salt)), [[[1]]], { salt }),
		) as [Executed, Executed, Executed];
		const [id, blocks] = [registry.add(logFilter()), registry.add()];
		reorg({ reverted: [left], committed: [first, second].map((one) => ({ ...one, change: NO_CHANGE })) });
		expect(logs(registry, id)).toEqual(told);
		expect(registry.takeChanges(blocks)).toEqual(
			[first, second].slice(0, numbers.length).map(({ block }) => `0x${block.idHex}`),
		);
	});

	test("over solidified blocks hears of them once they are", () => {
		const id = solidity.add(logFilter());
		apply(1n, [[[1]]], { solidified: 0n });
		apply(2n, [[[1], [2]]], { solidified: 0n });
		expect(logs(solidity, id)).toEqual([]);
		apply(3n, [], { solidified: 2n });
		expect(logs(solidity, id)).toEqual(["0x1 0x0", "0x2 0x0", "0x2 0x1"]);
	});

	test("keeps its conditions for queries", () => {
		const filter = logFilter({ from: 7n });
		expect(full.logFilter(full.add(filter))).toBe(filter);
	});
});

describe("the registry", () => {
	test("makes ids of 16 bytes that are compared as text", () => {
		const id = full.add();
		expect(id).toMatch(/^0x[0-9a-f]{32}$/);
		expect(full.takeChanges(id.slice(2))).toEqual([]);
		const upper = `0x${id.slice(2).toUpperCase()}`;
		if (upper !== id) expect(() => full.takeChanges(upper)).toThrow("filter not found");
		expect(() => full.takeChanges("0x1")).toThrow("filter not found");
		expect(() => solidity.takeChanges(id)).toThrow("filter not found");
	});

	test("forgets a filter that is uninstalled", () => {
		const id = full.add();
		full.remove(id);
		expect(() => full.takeChanges(id)).toThrow("filter not found");
		expect(() => full.remove(id)).toThrow("filter not found");
	});

	test("forgets filters that nobody polled, when a block comes that concerns them", () => {
		const blocks = full.add();
		const kept = full.add(logFilter());
		const dropped = full.add(logFilter());
		nowMs += LIFETIME_MS;
		full.takeChanges(kept);
		nowMs += 1;
		expect(full.takeChanges(blocks)).toEqual([]);
		nowMs += LIFETIME_MS;
		apply(1n);
		expect(full.takeChanges(blocks)).toHaveLength(1);
		expect(full.size).toBe(3);
		full.takeChanges(kept);
		apply(2n, [[[1]]]);
		expect(() => full.takeChanges(dropped)).toThrow("filter not found");
		expect(logs(full, kept)).toEqual(["0x2 0x0"]);
		nowMs += LIFETIME_MS + 1;
		apply(3n);
		expect(() => full.takeChanges(blocks)).toThrow("filter not found");
		expect(full.size).toBe(1);
	});

	test("holds so many filters of each kind and no more", () => {
		for (let i = 0; i < 3; i++) full.add();
		for (let i = 0; i < 2; i++) full.add(logFilter());
		expect(() => full.add()).toThrow("exceed max block filters: 3, try again later");
		expect(() => full.add(logFilter())).toThrow("exceed max log filters: 2, try again later");
		const free = new FilterRegistry(() => nowMs, { maxBlockFilters: 0, maxLogFilters: 0 }, RELEASE);
		for (let i = 0; i < 9; i++) free.add();
		expect(free.size).toBe(9);
	});
});

describe("what one client may keep", () => {
	const limits = { maxBlockFilters: 100, maxLogFilters: 50 };

	test("is all of them while nobody else wants any", () => {
		const registry = new FilterRegistry(() => nowMs, limits, RELEASE);
		for (let i = 0; i < 100; i++) registry.add(undefined, "a");
		expect(() => registry.add(undefined, "a")).toThrow("exceed max block filters: 100, try again later");
		for (let i = 0; i < 50; i++) registry.add(logFilter(), "a");
		expect(() => registry.add(logFilter(), "a")).toThrow("exceed max log filters: 50, try again later");
	});

	test("shrinks in favour of those who have less than a tenth", () => {
		const registry = new FilterRegistry(() => nowMs, limits, RELEASE);
		const [first = "", second = ""] = Array.from({ length: 100 }, () => registry.add(undefined, "a"));
		registry.takeChanges(first);
		const other = registry.add(undefined, "b");
		expect(registry.size).toBe(100);
		expect(() => registry.takeChanges(second)).toThrow("filter not found");
		expect(registry.takeChanges(first)).toEqual([]);
		for (let i = 1; i < 10; i++) registry.add(undefined, "b");
		expect(() => registry.add(undefined, "b")).toThrow("exceed max block filters: 100, try again later");
		expect(registry.takeChanges(other)).toEqual([]);
	});

	test("comes free when its filters expire", () => {
		const registry = new FilterRegistry(() => nowMs, limits, RELEASE);
		for (let i = 0; i < 100; i++) registry.add(undefined, "a");
		nowMs += LIFETIME_MS + 1;
		const { block, infos } = chain.add(1n);
		registry.blockApplied(block, infos);
		expect(registry.size).toBe(0);
		registry.add(undefined, "a");
	});

	test("is bounded by what all filters name together", () => {
		const registry = new FilterRegistry(() => nowMs, limits, RELEASE);
		const many = Array.from({ length: 60_000 }, () => address(1));
		for (let i = 0; i < 3; i++) registry.add(logFilter({ addresses: many }), "a", []);
		expect(() => registry.add(logFilter({ addresses: many }), "b", [])).toThrow("exceed max log filters: 3");
		registry.add(logFilter({ addresses: [address(1)] }), "b");
	});

	test("is kept for those who name less than others", () => {
		const registry = new FilterRegistry(() => nowMs, limits, RELEASE);
		const many = Array.from({ length: 50_000 }, () => address(1));
		const first = registry.add(logFilter({ addresses: many }), "a", []);
		for (let i = 0; i < 3; i++) registry.add(logFilter({ addresses: many }), "a", []);
		registry.add(logFilter({ addresses: [address(2)] }), "b");
		expect(() => registry.takeChanges(first)).toThrow();
		registry.add(logFilter({ addresses: many.slice(1) }), "a", []);
		expect(() => registry.add(logFilter({ addresses: many }), "a", [])).toThrow("exceed max log filters");
	});
});

test("queues are bounded: the filter that was polled longest ago goes, and its client is told", () => {
	const registry = new FilterRegistry(() => nowMs, { maxBlockFilters: 0, maxLogFilters: 0 }, RELEASE);
	const ids = Array.from({ length: 600 }, () => registry.add(logFilter()));
	const polled = ids[0] as string;
	const { block, infos } = chain.add(1n, [Array.from({ length: 1_000 }, () => [1] as const)]);
	registry.blockApplied(block, infos);
	expect(registry.takeChanges(polled)).toHaveLength(1_000);
	registry.blockApplied(block, infos);
	expect(() => registry.takeChanges(ids[1] as string)).toThrow("filter not found");
	expect(registry.takeChanges(polled)).toHaveLength(1_000);
	expect(registry.takeChanges(ids[599] as string)).toHaveLength(2_000);
});
