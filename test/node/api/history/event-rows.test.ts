import { expect, test } from "vitest";
import { decodeValues, keyedValues } from "../../../../src/abi/coder.js";
import type { AbiItem } from "../../../../src/abi/parameter.js";
import { namedResult } from "../../../../src/node/api/history/event-rows.js";
import { toBase58Check } from "../../../../src/protocol/address.js";
import { fromHex } from "../../../../src/protocol/bytes.js";

test("structures of events are shown by the names of their members, each as its type is, also in lists and in each other", () => {
	const part = [
		{ name: "to", type: "address" },
		{ name: "marks", type: "bytes2[]" },
	];
	const unnamed = { type: "tuple", components: [{ name: "", type: "bytes1" }] };
	const item: AbiItem = {
		kind: "event",
		name: "Paid",
		inputs: [
			{ name: "parts", type: "tuple[][1]", components: part },
			{
				name: "order",
				type: "tuple",
				components: [
					{ name: "part", type: "tuple", components: part },
					{ name: "", ...unnamed },
				],
			},
		],
	};
	const shown = { to: `0x${"11".repeat(20)}`, marks: ["aabb"] };
	const value = { to: toBase58Check(fromHex(`41${"11".repeat(20)}`)), marks: ["0xaabb"] };
	const { result, result_type } = namedResult(
		item,
		{ parts: [[value]], order: [value, ["0xcc"]] },
		"neutral",
	);
	expect({ ...result }).toEqual({
		0: [[shown]],
		parts: [[shown]],
		1: [shown, ["cc"]],
		order: [shown, ["cc"]],
	});
	expect({ ...result_type }).toEqual({
		parts: "(address,bytes2[])[][1]",
		order: "((address,bytes2[]),(bytes1))",
	});
});

test("no parameter's value hides that of another, whatever a contract calls them", () => {
	const event = (...names: readonly string[]): AbiItem => ({
		kind: "event",
		name: "E",
		inputs: names.map((name, at) => ({ name, type: at === 0 ? "uint256" : "uint256[]" })),
	});
	for (const [item, keys] of [
		[event("a", "a"), ["0", "1"]],
		[event("1", ""), ["0", "1"]],
		[event("__proto__", "constructor"), ["__proto__", "constructor"]],
	] as const) {
		const args = keyedValues(item.inputs, [1n, [7n]]);
		expect(Object.entries(args)).toEqual([
			[keys[0], 1n],
			[keys[1], [7n]],
		]);
		const { result, result_type } = namedResult(item, args, "neutral");
		expect(new Map(Object.entries(result))).toEqual(
			new Map<string, unknown>([
				["0", "1"],
				["1", ["7"]],
				[keys[0], "1"],
				[keys[1], ["7"]],
			]),
		);
		expect(Object.values(result_type)).toEqual(["uint256", "uint256[]"]);
	}
});

test("structures are read in their order where members are called by numbers", () => {
	const components = [
		{ name: "1", type: "uint8" },
		{ name: "0", type: "uint8" },
	];
	const word = (n: number) => new Uint8Array(32).fill(n, 31);
	const bytes = Uint8Array.from([...word(5), ...word(6)]);
	expect(decodeValues([{ name: "s", type: "tuple", components }], bytes)).toEqual([[5n, 6n]]);
});
