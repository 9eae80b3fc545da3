import { describe, expect, it } from "vitest";
import { AbiDataError } from "../../../src/abi/codec.js";
import { decodeValues, encodeCall, encodeValues } from "../../../src/abi/coder.js";
import { decodeEvent } from "../../../src/abi/log.js";
import { describeItem, hashedSignature } from "../../../src/abi/parameter.js";
import { selectorOf, topicOf } from "../../../src/abi/selector.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { asFailure } from "../../../src/terminal/output/failure-report.js";
import { readArguments } from "../../../src/wallet/abi/argument.js";
import { findItem, readInterface } from "../../../src/wallet/abi/interface.js";
import { revertReason } from "../../../src/wallet/abi/revert.js";
import { parseSignature } from "../../../src/wallet/abi/signature.js";
import { readAddress } from "../../../src/wallet/values/address-text.js";

const OWNER = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
const word = (value: number | bigint): string =>
	BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, "0");
const ownerWord = "7e5f4552091a69125d5dfcb7b8c2659029395bdf".padStart(64, "0");

/** Only addresses stand for accounts here. */
const resolve = async (text: string): Promise<Uint8Array> => readAddress(text) as Uint8Array;

async function encode(signature: string, ...texts: string[]): Promise<string> {
	const item = parseSignature(signature);
	return toHex(await encodeValues(item.inputs, await readArguments(item.inputs, texts, resolve)));
}

describe("signatures", () => {
	// Selectors and topics as published with these standard functions.
	it.each([
		["transfer(address,uint256)", "a9059cbb"],
		["function balanceOf(address owner) external view returns (uint256)", "70a08231"],
		["approve(address spender, uint value)", "095ea7b3"],
		["totalSupply()", "18160ddd"],
	])("%s has the selector %s", (signature, selector) => {
		expect(toHex(selectorOf(parseSignature(signature)))).toBe(selector);
	});

	it("hashes an event by its types alone", () => {
		const event = parseSignature(
			"Transfer(address indexed from, address indexed to, uint256 value)",
			"event",
		);
		expect(toHex(topicOf(event))).toBe("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
	});

	it.each([
		["f(tuple(uint256 a, address b)[2] x)", "f((uint256,address)[2])"],
		["f((uint,(bool,bytes32)[]) x, string y)", "f((uint256,(bool,bytes32)[]),string)"],
		["f(orcToken id)", "f(trcToken)"],
		["f(trcToken[] ids)", "f(trcToken[])"],
	])("%s is hashed as %s", (signature, hashed) => {
		expect(hashedSignature(parseSignature(signature))).toBe(hashed);
	});

	it("reads back what it shows", () => {
		const text = "function get(uint256 id) view returns ((address owner, uint96 paid)[] list)";
		expect(describeItem(parseSignature(text))).toBe(text);
	});

	it.each([
		["transfer(address,uint7)", '"uint7" is not a contract type'],
		["transfer(address", '")" is missing, at 17'],
		["transfer(address a b)", 'a comma is missing after "a"'],
		["transfer() sometimes", '"sometimes" has no meaning here'],
	])("refuses %s", (signature, why) => {
		expect(() => parseSignature(signature)).toThrow(why);
	});
});

describe("arguments", () => {
	it.each([
		[["f(uint256)", "1_000"], word(1000)],
		[["f(int8)", "-3"], word(-3)],
		[["f(uint256)", "0xff"], word(255)],
		[["f(bool)", "true"], word(1)],
		[["f(bytes4)", "0x01020304"], "01020304".padEnd(64, "0")],
		[["f(address)", OWNER], ownerWord],
		[["f(address)", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"], ownerWord],
		[["f(orcToken)", "1000001"], word(1000001)],
		[["f(uint8[2])", "[1, 2]"], word(1) + word(2)],
		[["f((uint8,address))", `(7,${OWNER})`], word(7) + ownerWord],
		[["f(string)", "[a,b]"], word(32) + word(5) + Buffer.from("[a,b]").toString("hex").padEnd(64, "0")],
		[["f(uint8 a,uint8 b)", "b=2", "a=1"], word(1) + word(2)],
	] as const)("%j", async ([signature, ...texts], encoded) => {
		expect(await encode(signature, ...texts)).toBe(encoded);
	});

	it("takes texts with separators in quotes", async () => {
		const item = parseSignature("f(string[])");
		const [values] = await readArguments(item.inputs, ['["a,b", c]'], resolve);
		expect(values).toEqual(["a,b", "c"]);
	});

	it.each([
		[["f(uint8 small)", "256"], "the argument uint8 small: 256 is out of range"],
		[["f(uint8)", "1.5"], '"1.5" is not a whole number'],
		[["f(uint8[2])", "[1]"], "1 elements were given, 2 are needed"],
		[["f((uint8,bool) p)", "(1)"], "1 members were given, 2 are needed"],
		[["f(bytes4)", "0x01"], "4 bytes are needed, 1 were given"],
		[["f(bytes)", "01"], "bytes are written as 0x"],
		[["f(bool)", "maybe"], "true or false is needed"],
		[["f(uint8 a,uint8 b)", "1"], "1 arguments were given, 2 are needed: uint8 a, uint8 b"],
		[["f(uint8 a,uint8 b)", "a=1", "a=2"], "the argument a was given twice"],
	] as const)("refuses %j", async ([signature, ...texts], why) => {
		await expect(encode(signature, ...texts)).rejects.toThrow(why);
	});
});

describe("values", () => {
	it("reads back what it writes, by name where there are names", async () => {
		const { inputs } = parseSignature("f((uint256 a, address who)[] list, bool ok, int8, bytes raw)");
		const values = await readArguments(inputs, [`[(1,${OWNER})]`, "false", "-1", "0x0102"], resolve);
		const bytes = await encodeValues(inputs, values);
		expect(await decodeValues(inputs, bytes)).toEqual([[{ a: 1n, who: OWNER }], false, -1n, "0x0102"]);
	});

	it("puts the selector before the arguments of a call", async () => {
		const item = parseSignature("set(uint256)");
		expect(toHex(await encodeCall(item, [7n]))).toBe(toHex(selectorOf(item)) + word(7));
	});

	it("says that data doesn't fit", async () => {
		const { inputs } = parseSignature("f(uint256,uint256)");
		const short = fromHex(word(1));
		expect(() => decodeValues(inputs, short)).toThrowError(AbiDataError);
		expect(asFailure(new AbiDataError("the data doesn't fit: it ends early"))).toMatchObject({
			code: "bad_value",
			message: expect.stringContaining("the data doesn't fit"),
		});
	});
});

describe("interfaces", () => {
	const compiled = readInterface(
		JSON.stringify([
			{
				type: "function",
				name: "get",
				inputs: [{ name: "id", type: "uint256" }],
				outputs: [{ type: "bool" }],
			},
			{ type: "function", name: "put", inputs: [{ name: "p", type: "tuple" }] },
			{ type: "function", name: "two", inputs: [] },
			{ type: "function", name: "two", inputs: [{ type: "uint8" }] },
		]),
	);

	it("gives a typed signature the names and results that it knows", () => {
		expect(findItem(compiled, "get(uint256)", "function")).toMatchObject({
			inputs: [{ name: "id" }],
			outputs: [{ type: "bool" }],
		});
	});

	it.each([
		["nope", "the functions are get, put, two"],
		["two", "several functions are called two: two(), two(uint8)"],
		["put", "doesn't say what the tuples of put hold"],
	])("refuses the bare name %s", (name, why) => {
		expect(() => findItem(compiled, name, "function")).toThrow(why);
	});

	it.each([
		[["hello you"], "set(string)"],
		[["[(a,1)]"], "set(tuple[])", "set(string)"],
		[["5"], "set(uint8)", "set(string)"],
		[["ann"], "set(address)", "set(string)"],
		[["0x12", "true"], "set(bytes,bool)", "set(uint8,string)"],
		[["12", "yes"], "set(uint8,string)"],
		[["a=5"], "set(uint8)", "set(address)", "set(string)", "set(tuple[])"],
	])("chooses one of several functions by the form of %j, where no other may be meant", (given, ...meant) => {
		const types = [["uint8"], ["address"], ["string"], ["tuple[]"], ["bytes", "bool"], ["uint8", "string"]];
		const inputs = types.map((list) => list.map((type) => ({ type, components: [] })));
		const items = readInterface(
			JSON.stringify(inputs.map((each) => ({ type: "function", name: "set", inputs: each }))),
		);
		const found = () => findItem(items, "set", "function", given);
		if (meant.length > 1) return expect(found).toThrow(/several functions are called set/);
		const { name, inputs: chosen } = found();
		expect(`${name}(${chosen.map(({ type }) => type).join(",")})`).toBe(meant[0]);
	});

	it("reads the form of a node, with its own words", () => {
		const items = readInterface(
			'{"entrys":[{"type":"Function","stateMutability":"View","name":"a","inputs":[{"type":"trcToken"}]}]}',
		);
		expect(items).toEqual([
			{
				kind: "function",
				name: "a",
				inputs: [{ name: "", type: "orcToken" }],
				outputs: [],
				mutability: "view",
			},
		]);
	});
});

describe("reverts", () => {
	const reason = Buffer.from("no thirteen").toString("hex").padEnd(64, "0");

	it.each([
		["", ""],
		[`08c379a0${word(32)}${word(11)}${reason}`, "no thirteen"],
		[`4e487b71${word(0x11)}`, "arithmetic overflow or underflow"],
		[`4e487b71${word(0x99)}`, "panic 153"],
		["deadbeef", "0xdeadbeef"],
		[`08c379a0${word(32)}`, `0x08c379a0${word(32)}`],
	])("%s means %j", async (data, text) => {
		expect((await revertReason(fromHex(data))).reason).toBe(text);
	});

	it("names the contract's own errors", async () => {
		const own = parseSignature("TooLarge(uint256 given, uint256 limit)", "error");
		const data = fromHex(toHex(selectorOf(own)) + word(5) + word(3));
		expect(await revertReason(data, [own])).toEqual({
			reason: "TooLarge(5, 3)",
			error: "TooLarge",
			arguments: { given: 5n, limit: 3n },
		});
	});
});

describe("logs", () => {
	const event = parseSignature("Set(address indexed by, string indexed name, uint256 value)", "event");
	const hash = "ab".repeat(32);

	it("puts topics and data together, and keeps hashes of what doesn't fit a topic", async () => {
		const topics = [topicOf(event), fromHex(ownerWord), fromHex(hash)];
		expect(await decodeEvent(event, { topics, data: fromHex(word(9)) })).toEqual({
			event: "Set",
			signature: "Set(address,string,uint256)",
			args: { by: OWNER, name: `0x${hash}`, value: 9n },
		});
	});

	it("leaves a log that doesn't fit", async () => {
		expect(await decodeEvent(event, { topics: [topicOf(event)], data: fromHex(word(9)) })).toBeUndefined();
	});
});
