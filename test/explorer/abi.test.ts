import { describe, expect, test } from "vitest";
import { type AbiItem, type AbiParameter, hashedSignature } from "../../src/abi/parameter.js";
import {
	decodeCall,
	decodeEvent,
	hashOf,
	itemsOf,
	itemsOfList,
	reads,
	refusalOf,
	selectorOf,
} from "../../src/explorer/abi.js";
import { ArgumentError, encodeArguments } from "../../src/explorer/abi-arguments.js";
import { type Decoded, decodeValues, valueText } from "../../src/explorer/abi-values.js";

const ADDRESS = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
const WORD_OF_ADDRESS = "0000000000000000000000007e5f4552091a69125d5dfcb7b8c2659029395bdf";
const word = (value: bigint | number): string => BigInt(value).toString(16).padStart(64, "0");
const parameter = (type: string, name = "", indexed = false): AbiParameter => ({ type, name, indexed });
const tuple = (type: string, ...components: AbiParameter[]): AbiParameter => ({ type, name: "", components });
const texts = (values: readonly Decoded[] | undefined) => values?.map(({ value }) => valueText(value));

const items = itemsOf({
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
	test("keep what the stored record has", () => {
		expect(items.map(hashedSignature)).toEqual(["transfer(address,uint256)", "name()", "(uint256)"]);
		expect(items.slice(0, 2).map(selectorOf)).toEqual(["a9059cbb", "06fdde03"]);
		expect(items.map(reads)).toEqual([false, true, false]);
	});

	test("read calls, also without a stored interface", () => {
		const data = `a9059cbb${WORD_OF_ADDRESS}${word(5)}`;
		for (const known of [items, []]) {
			const call = decodeCall(known, data);
			expect(call?.values.map(({ name, value }) => [name, valueText(value)])).toEqual([
				["to", ADDRESS],
				["value", "5"],
			]);
		}
		expect(decodeCall(items, "a9059cbb00")).toBeUndefined();
		expect(decodeCall(items, "ffffffff")).toBeUndefined();
	});

	test("read what many contracts have without one, but for what takes tuples", () => {
		const named = (data: string) => decodeCall([], data)?.item.name;
		expect(named(`a694fc3a${word(5)}`)).toBe("stake");
		expect(named(`2f2ff15d${word(1)}${WORD_OF_ADDRESS}`)).toBe("grantRole");
		expect(named("252dba42")).toBeUndefined();
		expect(refusalOf([], `118cdaa7${WORD_OF_ADDRESS}`)).toMatchObject({
			kind: "error",
			item: { name: "OwnableUnauthorizedAccount" },
		});
	});

	test("read events by what is indexed", () => {
		const topic = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
		const transfer = decodeEvent([], [topic, WORD_OF_ADDRESS, WORD_OF_ADDRESS], word(7));
		expect(texts(transfer?.values)).toEqual([ADDRESS, ADDRESS, "7"]);
		const unique = decodeEvent([], [topic, WORD_OF_ADDRESS, WORD_OF_ADDRESS, word(9)], "");
		expect(unique?.values.at(-1)).toMatchObject({ name: "tokenId", value: { text: "9" } });
		expect(decodeEvent([], [topic], "")).toBeUndefined();
		const [named] = itemsOfList([
			{ type: "event", name: "Named", inputs: [{ name: "s", type: "string", indexed: true }] },
		]);
		const hash = hashOf(named as AbiItem);
		expect(texts(decodeEvent([named as AbiItem], [hash, word(1)], "")?.values)).toEqual([`hash ${word(1)}`]);
		expect(decodeEvent([named as AbiItem], [hash], "")).toBeUndefined();
		expect(decodeEvent([named as AbiItem], [word(0), word(1)], "")).toBeUndefined();
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
		expect(texts(decodeValues([parameter(type)], data))).toEqual([text]);
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
		expect(texts(decodeValues(types, data))).toEqual([
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
		["1.5e6", "1500000"],
		[".5e18", `5${"0".repeat(17)}`],
		["1.5coin", "1500000"],
		["-2e3", "-2000"],
	])("are numbers as the commands take them: %s", (typed, text) => {
		const types = [parameter("int256")];
		expect(texts(decodeValues(types, encodeArguments(types, [typed])))).toEqual([text]);
	});

	test.each([
		["uint256", "coin"],
		["uint256", "-0x1"],
		["uint256", "1e200"],
		["address", "T123"],
		["uint256", "1.5"],
		["bool", "yes"],
		["bytes2", "abc"],
		["uint256[]", "1"],
		["uint256[]", "not json"],
		["uint8[2]", "[1]"],
		["uint8", "256"],
		["int8", "-129"],
		["uint8[]", "[[1]]"],
		["tuple", "1"],
		["tuple[]", "[1]"],
		["fixed128x18", "1"],
	])("that don't fit %s are refused", (type, text) => {
		expect(() => encodeArguments([parameter(type)], [text])).toThrow(ArgumentError);
	});
});

describe("lists and tuples", () => {
	const point = tuple("tuple", parameter("uint8", "x"), parameter("string", "label"));
	const points = { ...point, type: "tuple[]" };

	test("are typed as JSON and read back", () => {
		const types = [parameter("uint256[]"), parameter("address[2]"), point, points, parameter("string[][]")];
		const typed = [
			"[1, 2, 300000000000000000000000000000]",
			`["${ADDRESS}", "${ADDRESS}"]`,
			'{"x": 7, "label": "a"}',
			'[[1, "b"], {"x": 2, "label": "c"}]',
			'[["x"], [], ["y", "z"]]',
		];
		expect(texts(decodeValues(types, encodeArguments(types, typed)))).toEqual([
			"[1, 2, 300000000000000000000000000000]",
			`[${ADDRESS}, ${ADDRESS}]`,
			"(x: 7, label: a)",
			"[(x: 1, label: b), (x: 2, label: c)]",
			"[[x], [], [y, z]]",
		]);
	});

	test("of a known size stand where their parameter does", () => {
		const fixed = tuple("tuple", parameter("uint8", "x"), parameter("uint8[2]", "pair"));
		const data = encodeArguments([fixed, parameter("bool")], ['{"x": 1, "pair": [2, 3]}', "true"]);
		expect(data).toBe(word(1) + word(2) + word(3) + word(1));
		expect(texts(decodeValues([fixed, parameter("bool")], data))).toEqual(["(x: 1, pair: [2, 3])", "true"]);
	});

	test("of a tuple that is its own member, as deep as anybody can write it, end", () => {
		let deep = parameter("uint8");
		for (let depth = 0; depth < 200; depth++) deep = tuple("tuple", deep);
		expect(decodeValues([deep], word(1))).toBeUndefined();
		expect(() => encodeArguments([deep], ["[1]"])).toThrow(ArgumentError);
		const written = itemsOfList([
			{ type: "function", name: "f", inputs: [{ type: "tuple", components: nested(50) }] },
		]);
		expect(written).toEqual([]);
	});

	test("of interfaces that compilers write are hashed by their members", () => {
		const [item] = itemsOfList([
			{
				type: "function",
				name: "f",
				inputs: [{ type: "tuple[]", name: "p", components: [{ type: "uint8" }, { type: "string" }] }],
			},
		]);
		expect(item && hashedSignature(item)).toBe("f((uint8,string)[])");
	});
});

function nested(depth: number): object[] {
	return depth === 0 ? [{ type: "uint8" }] : [{ type: "tuple", components: nested(depth - 1) }];
}

describe("why a call was reverted", () => {
	const [custom] = itemsOfList([
		{ type: "Error", name: "TooMuch", inputs: [{ name: "most", type: "uint256" }] },
	]) as [AbiItem];
	const text = `${word(32)}${word(2)}6e6f${"0".repeat(60)}`;

	test.each([
		["a reason", `08c379a0${text}`, { kind: "reason", text: "no" }],
		[
			"an overflow",
			`4e487b71${word(17)}`,
			{ kind: "panic", text: "arithmetic overflow or underflow (panic 0x11)" },
		],
		[
			"another panic",
			`4e487b71${word(999)}`,
			{ kind: "panic", text: "a fault without a name (panic 0x3e7)" },
		],
		["a reason that is cut off", "08c379a000", { kind: "unknown", data: "08c379a000" }],
	])("is %s", (_, data, refusal) => {
		expect(refusalOf([], data)).toEqual(refusal);
	});

	test("is an error of the contract, where its interface is known", () => {
		const data = `${selectorOf(custom)}${word(5)}`;
		expect(refusalOf([], data)).toEqual({ kind: "unknown", data });
		const refusal = refusalOf([custom], data);
		expect(refusal).toMatchObject({ kind: "error", item: { name: "TooMuch" } });
		expect(refusalOf([custom], "")).toBeUndefined();
	});
});
