import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { OrderedKeys } from "../../../src/node/state/ordered-keys.js";
import { comparePriceKeys, PAIR_KEY_LENGTH, priceOfKey } from "../../../src/node/state/price-key.js";
import { be64, toKey } from "../../../src/protocol/bytes.js";

const key = fc.uint8Array({ maxLength: 3 }).map(toKey);

describe("ordered keys", () => {
	test("are a sorted set of what was added and not deleted since", () => {
		fc.assert(
			fc.property(fc.array(key), fc.array(fc.tuple(fc.boolean(), key)), (start, changes) => {
				const keys = new OrderedKeys(start);
				const set = new Set(start);
				for (const [add, each] of changes) {
					if (add) {
						keys.add(each);
						set.add(each);
					} else {
						keys.delete(each);
						set.delete(each);
					}
				}
				const sorted = [...set].sort((a, b) =>
					Buffer.compare(Buffer.from(a, "latin1"), Buffer.from(b, "latin1")),
				);
				expect([...keys]).toEqual(sorted);
				expect(keys.size).toBe(sorted.length);
			}),
		);
	});

	test("stay sorted over thousands of additions and deletions in any order", () => {
		const scattered = Array.from({ length: 5_000 }, (_, i) => toKey(be64(BigInt((i * 2_741) % 5_003))));
		const keys = new OrderedKeys();
		for (const each of scattered) keys.add(each);
		expect([...keys]).toEqual([...scattered].sort());
		for (const each of scattered.slice(0, 4_000)) keys.delete(each);
		const rest = scattered.slice(4_000).sort();
		expect([...keys]).toEqual(rest);
		expect([...keys.copy().from(rest[500] as string)]).toEqual(rest.slice(500));
		for (const each of rest) keys.delete(each);
		keys.add("a");
		expect([...keys]).toEqual(["a"]);
	});

	test("of a copy change without the original", () => {
		const original = new OrderedKeys(["b", "a"]);
		const copy = original.copy();
		copy.add("c");
		copy.delete("a");
		expect([...original]).toEqual(["a", "b"]);
		expect([...copy]).toEqual(["b", "c"]);
	});

	test("walk from the first key that is not below another", () => {
		fc.assert(
			fc.property(fc.array(key), key, (list, wanted) => {
				const keys = new OrderedKeys(list);
				expect([...keys.from(wanted)]).toEqual([...keys].filter((each) => each >= wanted));
			}),
		);
	});
});

describe("price keys", () => {
	const priceKey = (pair: number, sell: bigint, buy: bigint): string =>
		toKey(Buffer.concat([Buffer.alloc(PAIR_KEY_LENGTH, pair), be64(sell), be64(buy)]));

	test("carry their quantities, of all 64 bits", () => {
		expect(priceOfKey(priceKey(1, 2n ** 62n + 3n, 2n ** 63n - 1n))).toEqual({
			sell: 2n ** 62n + 3n,
			buy: 2n ** 63n - 1n,
		});
	});

	test("stand by pair, the pair's head first, then from the cheapest price", () => {
		const ascending = [
			priceKey(1, 0n, 0n),
			priceKey(1, 2n ** 62n, 1n),
			priceKey(1, 3n, 2n),
			priceKey(1, 3n, 7n),
			priceKey(1, 1n, 2n ** 62n),
			priceKey(2, 0n, 0n),
			priceKey(2, 5n, 1n),
		];
		expect([...new OrderedKeys([...ascending].reverse(), comparePriceKeys)]).toEqual(ascending);
	});

	test("compare by the exact ratio, beyond what a double holds", () => {
		const less = priceKey(1, 2n ** 62n, 2n ** 62n - 1n);
		const more = priceKey(1, 2n ** 62n - 1n, 2n ** 62n - 2n + 1n);
		expect(comparePriceKeys(less, more)).toBe(-1);
		expect(comparePriceKeys(more, less)).toBe(1);
		expect(comparePriceKeys(more, more)).toBe(0);
	});
});
