/** Axes of charts. */

import { expect, test } from "vitest";
import { indexAt, indexByKey, topOf } from "../../src/explorer/axis.js";
import { grouped } from "../../src/explorer/format.js";

test.each([
	[[], 0],
	[[0, -3], 0],
	[[1], 1],
	[[3, 4], 5],
	[[6], 10],
	[[1_000], 1_000],
	[[1_001], 2_000],
	[[0.03], 0.05],
	[[0.3], 0.5],
])("the axis of %j ends at %d", (values, top) => {
	expect(topOf(values)).toBe(top);
});

test("the value at a place is the last that begins before it", () => {
	const extents = [0, 0.5, 0.75].map((from) => ({ from, to: from + 0.25, text: "" }));
	expect([-1, 0, 0.49, 0.5, 0.9, 2].map((place) => indexAt(extents, place))).toEqual([0, 0, 0, 1, 2, 2]);
});

test("keys go from value to value, and not beyond", () => {
	const led = (key: string, index: number) => indexByKey(key, index, 40);
	expect([led("ArrowRight", 39), led("ArrowLeft", 0), led("ArrowUp", 3)]).toEqual([39, 0, 4]);
	expect([led("Home", 5), led("End", 5), led("PageDown", 5), led("a", 5)]).toEqual([0, 39, 0, undefined]);
});

test("digits behind a point are not grouped", () => {
	expect([grouped(1234567), grouped(1234.56789), grouped(0.0025), grouped(-1234n)]).toEqual([
		"1,234,567",
		"1,234.56789",
		"0.0025",
		"-1,234",
	]);
});
