import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Recent } from "../../../src/node/memory/recent.js";
import { processorMs } from "../../processor-time.js";

/** The same in the simplest way. */
class Model {
	entries: { key: string; value: number; sinceMs: number }[] = [];

	constructor(
		readonly capacity: number,
		readonly lifeMs: number,
	) {}

	put(key: string, value: number, now: number): boolean {
		this.entries = this.entries.filter(({ sinceMs }) => sinceMs >= now - this.lifeMs);
		if (this.entries.some((entry) => entry.key === key)) return false;
		if (this.entries.length >= this.capacity) this.entries.shift();
		this.entries.push({ key, value, sinceMs: now });
		return true;
	}

	delete(key: string): void {
		this.entries = this.entries.filter((entry) => entry.key !== key);
	}

	get(key: string, now: number): number | undefined {
		return this.entries.find((entry) => entry.key === key && now - entry.sinceMs <= this.lifeMs)?.value;
	}
}

describe("what was said lately", () => {
	it("is forgotten by age and by number, the oldest first", () => {
		let now = 0;
		const recent = new Recent<number>(2, 100, () => now);
		expect(recent.put("a", 1)).toBe(true);
		now = 60;
		expect(recent.put("a", 2)).toBe(false);
		expect(recent.get("a")).toBe(1);
		expect(recent.sinceMs("a")).toBe(0);
		now = 101;
		expect(recent.has("a")).toBe(false);
		recent.put("b", 1);
		recent.put("c", 1);
		recent.renew("b", 2);
		recent.put("d", 1);
		expect(["b", "c", "d"].map((key) => recent.has(key))).toEqual([true, false, true]);
	});

	it("is forgotten by weight, the oldest first, but for the newest", () => {
		const recent = new Recent<number>(
			9,
			Number.POSITIVE_INFINITY,
			() => 0,
			10,
			(value) => value,
		);
		const kept = () => ["a", "b", "c"].filter((key) => recent.has(key)).join("");
		recent.put("a", 4);
		recent.put("b", 4);
		expect(kept()).toBe("ab");
		recent.put("c", 4);
		expect(kept()).toBe("bc");
		recent.renew("b", 6);
		expect(kept()).toBe("bc");
		recent.renew("b", 7);
		expect(kept()).toBe("b");
		recent.delete("b");
		recent.put("c", 10);
		expect(kept()).toBe("c");
		recent.renew("a", 99);
		expect(kept()).toBe("a");
	});

	it("is what a list of entries would remember", () => {
		const step = fc.record({
			act: fc.constantFrom("put", "renew", "delete", "wait"),
			key: fc.constantFrom("a", "b", "c", "d", "e", "f", "g"),
			ms: fc.integer({ min: 1, max: 60 }),
		});
		fc.assert(
			fc.property(fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 60 }), (capacity, steps) => {
				let now = 0;
				const recent = new Recent<number>(capacity, 100, () => now);
				const model = new Model(capacity, 100);
				for (const [value, { act, key, ms }] of steps.entries()) {
					if (act === "wait") now += ms;
					else if (act === "put") expect(recent.put(key, value)).toBe(model.put(key, value, now));
					else if (act === "delete") {
						recent.delete(key);
						model.delete(key);
					} else {
						recent.renew(key, value);
						model.delete(key);
						model.put(key, value, now);
					}
					for (const each of "abcdefg") expect(recent.get(each)).toBe(model.get(each, now));
					expect(recent.size).toBe(model.entries.length);
				}
			}),
			{ numRuns: 500 },
		);
	});

	it("costs the same however full it is", () => {
		const msOf = (capacity: number): number => {
			const recent = new Recent(capacity, Number.POSITIVE_INFINITY, () => 0);
			for (let i = 0; i < capacity; i++) recent.put(`k${i}`, true);
			return processorMs(() => {
				for (let i = 0; i < 20_000; i++) {
					recent.put(`new${i}`, true);
					recent.renew(`k${capacity - 1 - (i % 500)}`, true);
				}
			});
		};
		msOf(100);
		// By the first key of a Map this takes a second and more.
		expect(msOf(20_000)).toBeLessThan(400);
	});
});
