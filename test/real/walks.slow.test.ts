/** Walks of the runtime's hash maps, as JDK 17 does them. */

import { describe, expect, it } from "vitest";
import { concurrentOrder } from "../../src/node/state/store-order.js";
import { arrayHash, byteStringHash } from "../../src/protocol/hash-order.js";
import { HashTable, type KeyHash, walkOrder } from "../../src/protocol/hash-table.js";
import { expectCount, facts, hasFacts } from "./facts.js";

interface Walk {
	/** Keys in order of insertion. */
	readonly in: readonly string[];
	/** Positions in `in`. */
	readonly walk: readonly number[];
	/** Of a copy that was filled in the walk's order; null: the same. */
	readonly copy?: readonly number[] | null;
}

const key = (hex: string): string => Buffer.from(hex, "hex").toString("latin1");
const asWord = (hex: string): string => key(hex.padStart(64, "0"));
const asAddress = (hex: string): string => key(`41${hex}`);

function positions(keys: Iterable<string>, given: readonly string[]): number[] {
	const at = new Map(given.map((one, i) => [one, i]));
	return [...keys].map((one) => at.get(one) as number);
}

describe("a hash map is walked as the runtime walks it", () => {
	it.each<[string, number, (hex: string) => string, KeyHash]>([
		["walks", 600, asWord, arrayHash],
		["walks-of-addresses", 324, asAddress, byteStringHash],
	])("%s", (file, count, nameOf, hash) => {
		const walks = facts<Walk[]>(`numeric/${file}.json.br`);
		expectCount(walks.length, count);
		for (const { in: given, walk } of walks) {
			const names = given.map(nameOf);
			expect(positions(walkOrder(names, hash), names)).toEqual(walk);
		}
	});

	it("and a copy, and a copy of that", () => {
		let others = 0;
		for (const { in: given, walk, copy } of facts<Walk[]>("numeric/walks.json.br")) {
			const names = given.map(asWord);
			const table = new HashTable(arrayHash);
			for (const name of [...names, ...names]) table.add(name);
			const first = table.copy();
			expect(positions(first.keys(), names)).toEqual(copy ?? walk);
			expect([...first.copy().keys()]).toEqual(walkOrder([...first.keys()], arrayHash));
			if (copy) others++;
		}
		expect(others).toBeGreaterThan(20);
	});

	it("a copy can be added to, whether or not it is walked as what it was made of", () => {
		const names = (facts<Walk[]>("numeric/walks.json.br")[5] as Walk).in.map(asWord);
		const copied = new HashTable(arrayHash);
		const plain = new HashTable(arrayHash);
		for (const name of names) {
			copied.add(name);
			const again = copied.copy().copy();
			expect([...again.keys()].sort()).toEqual([...copied.keys()].sort());
			plain.add(name);
		}
		expect([...copied.keys()]).toEqual([...plain.keys()]);
	});
});

it.skipIf(!hasFacts("numeric/concurrent-walks.json.br"))(
	"a concurrent hash map is walked as the runtime walks it",
	() => {
		const walks = facts<Walk[]>("numeric/concurrent-walks.json.br");
		expectCount(walks.length, 150);
		for (const { in: given, walk } of walks) {
			const names = given.map(key);
			expect(positions(concurrentOrder(names), names)).toEqual(walk);
		}
	},
);
