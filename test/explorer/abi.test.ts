import { describe, expect, test } from "vitest";
import {
	ArgumentError,
	decodeCall,
	decodeEvent,
	decodeValues,
	type Entry,
	encodeArguments,
	entriesOf,
	selectorOf,
	signatureOf,
} from "../../src/explorer/abi.js";

const ADDRESS = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
const WORD_OF_ADDRESS = "0000000000000000000000007e5f4552091a69125d5dfcb7b8c2659029395bdf";
const word = (value: bigint | number): string => BigInt(value).toString(16).padStart(64, "0");
const parameter = (type: string, name = "", indexed = false) => ({ type, name, indexed });

const entries = entriesOf({
	abi: {
		entrys: [
			{
				type: "Function",
				name: "transfer",
				inputs: [
					{ type: "address", name: "to" },
					{ type: "uint256", name: "value" },
				],
			},
			{ type: "Function", name: "name", stateMutability: "View", outputs: [{ type: "string" }] },
			{ type: "Constructor", inputs: [{ type: "uint256" }] },
			"not an entry",
		],
	},
});

describe("interfaces of contracts", () => {
	test("keep functions, events and errors of the stored record", () => {
		expect(entries.map(signatureOf)).toEqual(["transfer(address,uint256)", "name()"]);
		expect(entries.map(selectorOf)).toEqual(["a9059cbb", "06fdde03"]);
		expect(entries.map(({ reads }) => reads)).toEqual([false, true]);
	});

	test("read calls, also without a stored interface", () => {
		const data = `a9059cbb${WORD_OF_ADDRESS}${word(5)}`;
		for (const known of [entries, []]) {
			const call = decodeCall(known, data);
			expect(call?.values.map(({ name, text }) => [name, text])).toEqual([
				["to", ADDRESS],
				["value", "5"],
			]);
		}
		expect(decodeCall(entries, "a9059cbb00")).toBeUndefined();
		expect(decodeCall(entries, "ffffffff")).toBeUndefined();
	});

	test("read events by what is indexed", () => {
		const topic = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
		const transfer = decodeEvent([], [topic, WORD_OF_ADDRESS, WORD_OF_ADDRESS], word(7));
		expect(transfer?.values.map(({ text }) => text)).toEqual([ADDRESS, ADDRESS, "7"]);
		const unique = decodeEvent([], [topic, WORD_OF_ADDRESS, WORD_OF_ADDRESS, word(9)], "");
		expect(unique?.values.at(-1)).toMatchObject({ name: "tokenId", text: "9" });
		expect(decodeEvent([], [topic], "")).toBeUndefined();
		const named: Entry = {
			kind: "event",
			name: "Named",
			inputs: [parameter("string", "s", true)],
			outputs: [],
			reads: false,
		};
		const hashed = "7dc7da6b7e4a0a3c8bbd7f3c0d1f0ad6e4d4a6f2f6b6a3c4a1b0e9d8c7b6a594";
		expect(decodeEvent([named], [hashed, word(1)], "")).toBeUndefined();
	});
});

describe("values", () => {
	test.each([
		["uint256", word(2n ** 200n), (2n ** 200n).toString()],
		["int8", "f".repeat(64), "-1"],
		["bool", word(1), "true"],
		["bytes4", `01020304${"0".repeat(56)}`, "0x01020304"],
		["address", WORD_OF_ADDRESS, ADDRESS],
		["uint8[2]", word(1) + word(2), "[1, 2]"],
		["uint8[]", word(32) + word(2) + word(3) + word(4), "[3, 4]"],
		["string", `${word(32)}${word(2)}6869${"0".repeat(60)}`, "hi"],
		["bytes", `${word(32)}${word(1)}ff${"0".repeat(62)}`, "0xff"],
		["string[]", `${word(32)}${word(1)}${word(32)}${word(1)}61${"0".repeat(62)}`, "[a]"],
	])("of %s", (type, data, text) => {
		expect(decodeValues([parameter(type)], data)?.[0]?.text).toBe(text);
	});

	test.each([
		["an offset beyond the data", "string", word(2n ** 255n)],
		["a length beyond the data", "bytes", word(32) + word(1000)],
		["a list of many empty lists", "uint8[1000][]", word(32) + word(9)],
		["more elements than a page shows", "uint8[501]", word(0).repeat(501)],
		["tuples, whose members nodes don't keep", "tuple", word(1)],
		["what ends early", "uint256", "00"],
	])("don't come of %s", (_, type, data) => {
		expect(decodeValues([parameter(type)], data)).toBeUndefined();
	});

	test("that point at themselves end", () => {
		const type = `uint8${"[]".repeat(40)}`;
		expect(decodeValues([parameter(type)], word(32).repeat(60))).toBeUndefined();
	});
});

describe("typed arguments", () => {
	test("become call data that reads back", () => {
		const types = ["address", "uint256", "string", "bool", "bytes2", "bytes", "int16"].map((type) =>
			parameter(type),
		);
		const typed = [ADDRESS, "12", "héllo", "true", "0xabcd", "010203", "-5"];
		const data = encodeArguments(types, typed);
		expect(decodeValues(types, data)?.map(({ text }) => text)).toEqual([
			ADDRESS,
			"12",
			"héllo",
			"true",
			"0xabcd",
			"0x010203",
			"-5",
		]);
	});

	test.each([
		["address", "T123"],
		["uint256", "1.5"],
		["bool", "yes"],
		["bytes2", "abc"],
		["uint256[]", "1"],
		["tuple", "1"],
	])("that don't fit %s are refused", (type, text) => {
		expect(() => encodeArguments([parameter(type)], [text])).toThrow(ArgumentError);
	});
});
