import { describe, expect, test } from "vitest";
import { fromHex, toHex, utf8 } from "../../../src/protocol/bytes.js";
import { keccak256 } from "../../../src/protocol/hash.js";
import { readArguments, readTopic } from "../../../src/wallet/abi/argument.js";
import { findItem } from "../../../src/wallet/abi/interface.js";
import { parseSignature } from "../../../src/wallet/abi/signature.js";
import { Failure } from "../../../src/wallet/failure.js";

const BOB = `0x${"22".repeat(20)}`;
const read = async (signature: string, ...texts: string[]) =>
	readArguments(parseSignature(signature).inputs, texts, async () => fromHex(`41${"22".repeat(20)}`));

describe("arguments of contracts", () => {
	test("take tuples by the names of their members, as results are printed", async () => {
		const batch = "batch((address to, uint256 amount, string note)[] orders)";
		expect(
			await read(batch, '[{"to":"bob","amount":5,"note":"a, } b"},{note: x, amount: 0x10, to: bob}]'),
		).toEqual([
			[
				[BOB, 5n, "a, } b"],
				[BOB, 16n, "x"],
			],
		]);
		expect(await read(batch, "[(bob,5,{x})]")).toEqual([[[BOB, 5n, "{x}"]]]);
		await expect(read(batch, '[{"to":"bob","sum":5}]')).rejects.toThrow('has no member "sum"');
		await expect(read(batch, '[{"to":"bob"}]')).rejects.toThrow("the member amount is missing");
		await expect(read(batch, "[bob]")).rejects.toThrow('a tuple is written as (a,b), [a,b] or {"name":a,…}');
	});

	test("of an enum are its number, which a refused name says", async () => {
		const resolve = async (): Promise<Uint8Array> => new Uint8Array();
		const state = { name: "state", type: "uint8", internalType: "enum Vault.State" };
		const said = '"Closed": the enum Vault.State is given by its number, counted from 0';
		expect(await readArguments([state], ["2"], resolve)).toEqual([2n]);
		await expect(readArguments([state], ["Closed"], resolve)).rejects.toThrow(said);
		const states = { name: "all", type: "uint8[]", internalType: "enum Vault.State[]" };
		await expect(readArguments([states], ["[1,Closed]"], resolve)).rejects.toThrow(said);
		await expect(readTopic(state, "Closed", resolve)).rejects.toThrow(said);
	});

	test("that a program gives are what they are, also where they look like named ones", async () => {
		const { inputs } = parseSignature("note(string text)");
		const resolve = async (): Promise<Uint8Array> => new Uint8Array();
		expect(await readArguments(inputs, ["text=hello"], resolve)).toEqual(["hello"]);
		expect(await readArguments(inputs, ["text=hello"], resolve, undefined, true)).toEqual(["text=hello"]);
	});

	test("are not read by a name that several parameters share: one text would stand for all of them", async () => {
		const pay = "pay(address to, address to)";
		await expect(read(pay, "to=bob")).rejects.toThrow("several parameters are called to");
		await expect(read("batch((address to, address to) a)", "{to: bob}")).rejects.toThrow('no member "to"');
		expect(await read(pay, "bob", "bob")).toEqual([BOB, BOB]);
	});

	test.each([
		["5e18", 5n * 10n ** 18n],
		["1.5e18", 15n * 10n ** 17n],
		[".5e18", 5n * 10n ** 17n],
		["1_000e2", 100_000n],
		["-2E1", -20n],
		["2.5coin", 2_500_000n],
		["7sun", 7n],
		["12500raw", 12_500n],
		["12_500 raw", 12_500n],
		["12_500 raw", 12_500n],
		["0xab", 171n],
	])("read %s as a whole number", async (text, value) => {
		expect(await read("f(int256)", text)).toEqual([value]);
	});

	test("take amounts of tokens where somebody knows their decimals, within the type", async () => {
		const { inputs } = parseSignature("f(uint16[])");
		const resolve = async () => new Uint8Array(21);
		const read5 = { read: async ({ amount }: { amount: string }) => BigInt(amount) * 10_000n };
		expect(await readArguments(inputs, ["[5@gold,7]"], resolve, read5)).toEqual([[50_000n, 7n]]);
		await expect(readArguments(inputs, ["[7@gold]"], resolve, read5)).rejects.toThrow("out of range");
		await expect(read("f(uint16)", "5@gold")).rejects.toThrow("how many decimals gold has isn't known here");
	});

	test("are no half of a smallest unit", async () => {
		await expect(read("f(uint256)", "1e1_0")).rejects.toThrow("is not a whole number");
		await expect(read("f(uint256)", "1.5raw")).rejects.toThrow("is not a whole number");
	});

	test("name the chain's units where another one is written", async () => {
		await expect(read("f(uint256)", "5ether")).rejects.toThrow(
			"the unit ether is unknown here: coins are written as 5coin or 5000000sun, tokens as 5@<token>, or in their smallest units, such as 5e18",
		);
		await expect(read("f(uint8)", "5coin")).rejects.toThrow("out of range");
	});

	test.each(["1.5", "1.55e1", "1e999", "e18", "1__0", "0x1e", "1e-1"])(
		"refuse or read %s exactly",
		async (text) => {
			if (text === "0x1e") expect(await read("f(uint256)", text)).toEqual([30n]);
			else await expect(read("f(uint256)", text)).rejects.toMatchObject({ code: "bad_value" });
		},
	);
});

describe("a function by its name", () => {
	const items = ["set(uint8 a)", "set(string a, uint8 b)", "set(bool a)", "title()"].map((text) =>
		parseSignature(text),
	);

	test("is chosen among several by the number of arguments, and by their form", () => {
		expect(findItem(items, "set", "function", ["x", "1"]).inputs).toHaveLength(2);
		expect(findItem(items, "set", "function", ["7"]).inputs).toMatchObject([{ type: "uint8" }]);
		expect(() => findItem(items, "set", "function", ["1"])).toThrow(
			expect.objectContaining({
				code: "bad_value",
				facts: { hint: expect.stringContaining("'set(uint8)'") },
			}),
		);
	});

	test("takes no account where a number is given, which is none", () => {
		const picks = ["pick(uint256 id)", "pick(address to)"].map((text) => parseSignature(text));
		expect(findItem(picks, "pick", "function", ["5"])).toBe(picks[0]);
		expect(findItem(picks, "pick", "function", ["bob"])).toBe(picks[1]);
		expect(() => findItem(picks, "pick", "function", ["1".repeat(40)])).toThrow("several");
	});

	test("is suggested where it was mistyped", () => {
		expect(() => findItem(items, "titel", "function")).toThrow(
			expect.objectContaining({ facts: { hint: "did you mean title?" } }),
		);
		// Behind a proxy that isn't recognised: as many types as there are arguments.
		expect(() => findItem(items, "value", "function", [])).toThrow(
			expect.objectContaining({ facts: { hint: expect.stringMatching(/such as value\(\); --as names/) } }),
		);
	});

	test("has its results behind the arguments, as other tools write them", () => {
		expect(parseSignature("version()(string)").outputs).toMatchObject([{ type: "string" }]);
	});
});

test("a misspelt name of a parameter isn't taken for a text, nor a name among arguments by order", async () => {
	const set = "set(uint256 next, string note)";
	expect(await read(set, "next=7", "note=hi")).toEqual([7n, "hi"]);
	await expect(read(set, "next=7", "nota=hi")).rejects.toMatchObject({
		message: '"nota=hi": there is no parameter nota',
		facts: { hint: expect.stringMatching(/^did you mean note=…\?.*: note=nota=hi,/) },
	});
	await expect(read("deposit(string note)", "nota=hi")).rejects.toThrow("no parameter nota");
	await expect(read(set, "7", "note=hi")).rejects.toThrow("not all arguments do");
	expect(await read("deposit(string note)", "note=nota=hi")).toEqual(["nota=hi"]);
	expect(await read("put(string k, string v)", "a=b", "http://x?v=1")).toEqual(["a=b", "http://x?v=1"]);
});

test("an account that isn't found is told with those that are near", async () => {
	const resolve = async () => {
		throw new Failure("wallet_not_found", '"bobb" is not an address', { hint: "did you mean bob?" });
	};
	const { inputs } = parseSignature("f((address to,uint256 n) order)");
	await expect(readArguments(inputs, ["(bobb,5)"], resolve)).rejects.toMatchObject({
		code: "bad_value",
		facts: { hint: "did you mean bob?" },
	});
});

test("topics are read by the types of indexed parameters", async () => {
	const word = (value: bigint): string => BigInt.asUintN(256, value).toString(16).padStart(64, "0");
	const bob = `${"0".repeat(24)}${"22".repeat(20)}`;
	const account = async (text: string): Promise<Uint8Array> => {
		if (text !== "bob" && text !== `0x${"22".repeat(20)}`) throw new Failure("wallet_not_found", text);
		return fromHex(`41${"22".repeat(20)}`);
	};
	for (const [type, text, topic] of [
		["uint256", "5e6", word(5_000_000n)],
		["int8", "-1", word(-1n)],
		["uint64", "5coin", word(5_000_000n)],
		["bool", "true", word(1n)],
		["bytes4", "0x01020304", "01020304".padEnd(64, "0")],
		["string", "5", toHex(keccak256(utf8("5")))],
		["bytes", "0x05", toHex(keccak256(fromHex("05")))],
		["string", `0x${"ab".repeat(32)}`, "ab".repeat(32)],
		["address", "bob", bob],
		[undefined, "5e6", word(5_000_000n)],
		[undefined, "-5", word(-5n)],
		[undefined, "0x2a", word(42n)],
		[undefined, `0x${"22".repeat(20)}`, bob],
		[undefined, "bob", bob],
	] as const) {
		const parameter = type === undefined ? undefined : { name: "", type };
		expect(toHex(await readTopic(parameter, text, account)), `${type} ${text}`).toBe(topic);
	}
	const amounts = { read: async ({ amount }: { readonly amount: string }) => BigInt(amount) * 100n };
	for (const type of [undefined, { name: "", type: "uint64" }])
		expect(toHex(await readTopic(type, "5@gold", account, amounts))).toBe(word(500n));
	for (const [type, text, said] of [
		["uint256", "bob", '"bob" is not a whole number'],
		["uint8", "256", "out of range"],
		["uint256[]", "[1]", "the topic of uint256[] (number 1) is a hash"],
		[undefined, "1e80", "out of range"],
	] as const)
		await expect(readTopic(type && { name: "", type }, text, account), text).rejects.toThrow(said);
});
