import { describe, expect, it } from "vitest";
import { decodeValues } from "../../src/abi/coder.js";
import type { AbiParameter } from "../../src/abi/parameter.js";

const word = (value: number): Buffer => Buffer.from(value.toString(16).padStart(64, "0"), "hex");
const parameter = (type: string, components?: readonly AbiParameter[]): AbiParameter => ({
	name: "x",
	type,
	...(components ? { components } : {}),
});

/** A list whose entries are all one. */
const overlapping = (count: number, entry: Buffer): Buffer =>
	Buffer.concat([word(32), word(count), ...Array.from({ length: count }, () => word(32 * count)), entry]);

describe("values that are much larger than their bytes", () => {
	it.each([
		[
			"texts that are all one",
			"string[]",
			overlapping(2000, Buffer.concat([word(60_000), Buffer.alloc(60_000, 97)])),
		],
		[
			"lists that are all one",
			"uint256[][]",
			overlapping(2000, Buffer.concat([word(2000), Buffer.alloc(64_000)])),
		],
	])("%s are refused", async (_, type, data) => {
		expect(() => decodeValues([parameter(type)], data)).toThrow("much larger than the data itself");
	});

	it("are refused if they take no bytes at all", async () => {
		const data = Buffer.concat([word(32), word(1e9), Buffer.alloc(64)]);
		expect(() => decodeValues([parameter("tuple[]", [])], data)).toThrow("much larger");
		expect(() => decodeValues([parameter("uint256[0][]")], data)).toThrow("much larger");
	});

	it("are refused if their type has no bottom", async () => {
		const type = `uint256${"[]".repeat(5000)}`;
		expect(() => decodeValues([parameter(type)], Buffer.concat(Array(200).fill(word(32))))).toThrow(
			"more than 64 deep",
		);
	});

	it("are read where a part is shared a few times", async () => {
		const data = overlapping(3, Buffer.concat([word(2), Buffer.from("6869".padEnd(64, "0"), "hex")]));
		expect(await decodeValues([parameter("string[]")], data)).toEqual([["hi", "hi", "hi"]]);
	});

	it("do not keep large values from being read", async () => {
		const entries = Array.from({ length: 20_000 }, (_, n) => word(n));
		const members = [
			parameter("uint256[]"),
			parameter("tuple[2]", [parameter("bool"), parameter("address")]),
		];
		const fixed = [word(1), word(2), word(0), word(3)];
		const data = Buffer.concat([word(160), ...fixed, word(20_000), ...entries]);
		const [list, pairs] = await decodeValues(members, data);
		expect(list).toHaveLength(20_000);
		expect(pairs).toHaveLength(2);
	});
});
