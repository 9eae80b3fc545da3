import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runtimeSort } from "../../../src/node/api/queries/runtime-sort.js";
import { NamedError } from "../../../src/protocol/json/exceptions.js";

const numbers = (text: string): number[] => text.split(" ").map(Number);

/** Places of equal and unequal numbers after a sort that never calls two of them equal. */
function inconsistent(text: string): number[] {
	const items = numbers(text).map((value, at) => ({ value, at }));
	return runtimeSort(items, (a, b) => (a.value > b.value ? -1 : 1)).map(({ at }) => at);
}

describe("the sort of the network's runtime", () => {
	it("is a stable sort where the comparison is consistent", () => {
		fc.assert(
			fc.property(fc.array(fc.nat(60), { maxLength: 500 }), (values) => {
				const items = values.map((value, at) => ({ value, at }));
				const expected = items.toSorted((a, b) => a.value - b.value);
				expect(runtimeSort(items, (a, b) => a.value - b.value)).toEqual(expected);
			}),
		);
	});

	it("makes of an inconsistent comparison what the runtime's own makes of it", () => {
		// Both orders were taken from that runtime.
		expect(
			inconsistent(
				"10 1 2 8 8 6 7 0 4 9 2 0 5 10 5 12 6 1 11 6 3 9 12 10 2 9 3 10 6 5 5 10 9 11 2 4 8 6 2 3 0",
			),
		).toEqual(
			numbers(
				"15 22 18 33 0 13 23 27 31 9 21 25 32 3 4 36 6 5 16 19 28 37 12 14 29 30 8 35 20 26 39 2 10 24 34 38 1 17 7 40 11",
			),
		);
		expect(() => inconsistent("0 0 0 1 1 0 0 0 1 1 0 0 0 1 1 1 0 0 1 1 0 0 0 0 1 0 1 1 1 0 1 0")).toThrow(
			new NamedError("IllegalArgumentException", "Comparison method violates its general contract!"),
		);
	});

	it("keeps the order of up to 31 equal ones", () => {
		expect(inconsistent(Array(31).fill(5).join(" "))).toEqual(Array.from({ length: 31 }, (_, at) => at));
	});
});
