import { describe, expect, it } from "vitest";
import { NamedError } from "../../src/protocol/json/exceptions.js";
import { runtimeSorted } from "../../src/protocol/runtime-sort.js";
import { seededRandom } from "../node/vm/random.js";

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
