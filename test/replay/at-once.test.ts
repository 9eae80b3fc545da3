import { describe, expect, it } from "vitest";
import { inTurn } from "../../tools/replay/at-once.js";
import type { Line } from "../../tools/replay/recording.js";

const call = (answer: string): Line => ({
	t: "req",
	head: 1,
	port: "full",
	verb: "POST",
	path: answer,
	status: 200,
	type: null,
	answer,
});
const timing = (calls: number, parallel: boolean): Line => ({
	t: "other",
	kind: "timing",
	text: JSON.stringify({ t: "timing", parallel, all: Array.from({ length: calls }, () => ({})) }),
});
const turnsOf = (lines: readonly Line[]) =>
	[...inTurn(lines.map((line, i) => [i + 1, line] as const))].map((turn) =>
		("atOnce" in turn ? turn.atOnce : [turn.alone]).map(([position]) => position),
	);

describe("the lines of a recording", () => {
	const refused = call('{"Error":"lack of computing resources"}');

	it("come one by one, in their order", () => {
		const lines = Array.from({ length: 20 }, (_, i) => call(String(i)));
		expect(turnsOf(lines)).toEqual(lines.map((_, i) => [i + 1]));
		expect(turnsOf([call("a"), call("b"), timing(2, false)])).toEqual([[1], [2], [3]]);
	});

	it("come together where they were sent at the same time", () => {
		const lines = [call("a"), refused, refused, call("long"), timing(3, true), call("b")];
		expect(turnsOf(lines)).toEqual([[1], [2, 3, 4], [5], [6]]);
	});
});
