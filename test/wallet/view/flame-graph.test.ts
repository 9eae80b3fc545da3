import { describe, expect, it } from "vitest";
import type { CallView } from "../../../src/wallet/view/call-view.js";
import { flameGraph } from "../../../src/wallet/view/flame-graph.js";

const call = (name: string, energy: bigint, inner: CallView["inner"] = [], result = "success"): CallView => ({
	kind: "CALL",
	from: "TFrom",
	to: "TTo",
	function: name,
	energy,
	result,
	inner,
});

/** Each bar: its label, where it begins and how wide it is. */
const bars = (svg: string): (readonly [string, number, number])[] =>
	[
		...svg.matchAll(
			/<g><title>[^<]*<\/title><rect x="([\d.]+)" y="\d+" width="([\d.]+)"[^>]*>(?:<text[^>]*>([^<]*))?/g,
		),
	].map(([, x, width, label = ""]) => [label, Number(x), Number(width)] as const);

describe("a flame graph", () => {
	it("has a bar for each call, as wide as its energy", () => {
		const svg = flameGraph(
			call("all()", 1_000n, [call("half()", 500n, [call("tenth()", 100n)]), call("fifth()", 200n)]),
			"id",
		);
		expect(bars(svg)).toEqual([
			["all()", 10, 1179.5],
			["half()", 10, 589.5],
			["tenth()", 10, 117.5],
			["fifth()", 600, 235.5],
		]);
		expect(svg).toContain("tenth(): 100 energy (10.0 %), 100 of its own");
		expect(svg).toContain("half(): 500 energy (50.0 %), 400 of its own");
	});

	it("leaves out what nobody would see, and never leaves its bounds", () => {
		const many = Array.from({ length: 5_000 }, () => call("one()", 1n));
		expect(bars(flameGraph(call("all()", 5_000n, many), "id"))).toHaveLength(1);
		const beyond = flameGraph(call("all()", 10n, [call("a()", 30n), call("b()", 10n)]), "id");
		expect(bars(beyond).map(([, x, width]) => x + width <= 1_190)).toEqual([true, true, true]);
		expect(bars(flameGraph(call("none()", 0n, [call("a()", 0n)]), "id"))).toHaveLength(1);
	});

	it("escapes every text", () => {
		const evil = `"><script>alert('&')</script>\u0000\u001b[31m\ud800\uffff`;
		const svg = flameGraph({ ...call(evil, 10n), to: evil, kind: evil, result: evil }, evil);
		expect(svg).not.toContain("<script");
		expect(svg).not.toContain("'&'");
		expect([...svg].some((c) => (c < " " && c !== "\n") || /[\ud800-\udfff\uffff]/.test(c))).toBe(false);
		expect(svg).toContain("&quot;&gt;&lt;script&gt;alert(&apos;&amp;&apos;)&lt;/script&gt;??[31m??");
	});
});
