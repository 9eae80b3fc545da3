import { expect, test } from "vitest";
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
