import { describe, expect, it } from "vitest";
import { createMemoryDatabase } from "../../../src/node/state/database.js";
import { comparePriceKeys } from "../../../src/node/state/price-key.js";
import { StateDatabase } from "../../../src/node/state/state-database.js";
import { keysInStoreOrder, runtimeSorted } from "../../../src/node/state/store-order.js";
import { createView } from "../../../src/node/state/view.js";
import { be64, readBe64, toKey } from "../../../src/protocol/bytes.js";
import { NamedError } from "../../../src/protocol/json/exceptions.js";
import { Exchange } from "../../../src/protocol/messages.js";
import { seededRandom } from "../vm/random.js";

it("lists unsettled entries first, as a hash map would, then the settled ones by key", async () => {
	const database = await StateDatabase.open(createMemoryDatabase());
	const seed = { genesisTimestampMs: 0n, maintenanceIntervalMs: 1n, committee: () => 0n };
	const settled = createView(database.baseBackend, seed).exchangeV2;
	const head = createView(database.headBackend, seed).exchangeV2;
	for (let id = 1n; id <= 5n; id++) settled.put(be64(id), Exchange.create({ exchange_id: id }));
	for (const id of [7n, 1n, 6n, 4n, 3n]) head.put(be64(id), Exchange.create({ exchange_id: id }));
	const ids = keysInStoreOrder(head).map((key) => readBe64(key));
	expect(ids).toEqual([3n, 4n, 6n, 1n, 7n, 2n, 5n]);
	expect(keysInStoreOrder(settled).map((key) => readBe64(key))).toEqual([1n, 2n, 3n, 4n, 5n]);
});

it("orders price keys by pair, the head of a pair first, then from the cheapest price", () => {
	const key = (pair: string, sell: bigint, buy: bigint): string =>
		pair.repeat(38) + toKey(be64(sell)) + toKey(be64(buy));
	const sorted = [
		key("a", 0n, 0n),
		key("a", 10n ** 15n, 1n),
		key("a", 2n, 1n),
		key("a", 1n, 1n),
		key("a", 10n ** 15n - 1n, 10n ** 15n),
		key("a", 1n, 10n ** 15n),
		key("b", 0n, 0n),
		key("b", 9n, 1n),
	];
	expect([...sorted].reverse().sort(comparePriceKeys)).toEqual(sorted);
});

it("keeps entries of one bucket in the order in which blocks first wrote them", async () => {
	const database = await StateDatabase.open(createMemoryDatabase());
	const seed = { genesisTimestampMs: 0n, maintenanceIntervalMs: 1n, committee: () => 0n };
	const head = createView(database.headBackend, seed).exchangeV2;
	// 1, 17 and 33 share a bucket of sixteen.
	for (const [at, id] of [17n, 33n, 1n, 17n].entries()) {
		head.put(be64(id), Exchange.create({ exchange_id: id }));
		database.commitBlock(BigInt(at + 1));
	}
	expect(keysInStoreOrder(head).map((key) => readBe64(key))).toEqual([17n, 33n, 1n]);
	head.delete(be64(33n));
	expect(keysInStoreOrder(head).map((key) => readBe64(key))).toEqual([17n, 1n]);
	database.commitBlock(5n);
	database.settle(2n);
	expect(keysInStoreOrder(head).map((key) => readBe64(key))).toEqual([1n, 17n]);
});

describe("a list that is sorted as the runtime of the network's node does", () => {
	interface Timed {
		readonly id: number;
		readonly time: number;
	}
	/** Says that the first of two equal ones is the later one, in both directions. */
	const inconsistent = (a: Timed, b: Timed): number => (a.time > b.time ? -1 : 1);
	const consistent = (a: Timed, b: Timed): number => b.time - a.time;
	const listOf = (times: readonly number[]): Timed[] => times.map((time, id) => ({ id, time }));
	const below = seededRandom(7);
	/** Runs that rise and fall, and stretches of equal times. */
	const anyTimes = (length: number): number[] => {
		const times: number[] = [];
		while (times.length < length) {
			const [start, step, count] = [below(length), below(3) - 1, 1 + below(60)];
			for (let i = 0; i < count; i++) times.push(start + step * i);
		}
		return times.slice(0, length);
	};

	it("is that of any stable sort under a consistent comparison", () => {
		for (let length = 0; length < 400; length += 3) {
			for (const times of [
				anyTimes(length),
				Array.from({ length }, () => below(1 + Math.floor(length / 3))),
			]) {
				const list = listOf(times);
				expect(runtimeSorted(list, consistent)).toEqual([...list].sort(consistent));
			}
		}
	});

	it("keeps the order of two equal ones among 31, and swaps them among 32 where it searches for them", () => {
		const idsOf = (length: number): number[] => {
			// Of rising times, of which those of 15 and 16 are equal.
			const list = listOf(Array.from({ length }, (_, at) => (at <= 15 ? at : at - 1)));
			return runtimeSorted(list, inconsistent).map(({ id }) => id);
		};
		const falling = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, i) => from - i);
		expect(idsOf(31)).toEqual([...falling(30, 17), 15, 16, ...falling(14, 0)]);
		expect(idsOf(32)).toEqual(falling(31, 0));
	});

	it("is sorted whatever the order of equal ones, or the comparison is refused", () => {
		const answers = { sorted: 0, refused: 0 };
		for (let round = 0; round < 500; round++) {
			const list = listOf(anyTimes(32 + below(200)));
			try {
				const sorted = runtimeSorted(list, inconsistent);
				expect(sorted.map(({ time }) => time)).toEqual(list.map(({ time }) => time).sort((a, b) => b - a));
				expect(new Set(sorted).size).toBe(list.length);
				answers.sorted++;
			} catch (error) {
				if (!(error instanceof NamedError)) throw error;
				expect(error.text).toBe("Comparison method violates its general contract!");
				answers.refused++;
			}
		}
		expect(answers.sorted).toBeGreaterThan(0);
		expect(answers.refused).toBeGreaterThan(0);
	});
});
