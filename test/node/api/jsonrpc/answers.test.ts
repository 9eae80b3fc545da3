/** Parameters by the rules of each release; the cases are those of the recordings, and what lies beside them. */

import { describe, expect, test } from "vitest";
import { refuseTags, rpcAnswersOf } from "../../../../src/node/api/jsonrpc/answers.js";
import { type RawValue, readRawJson } from "../../../../src/node/api/jsonrpc/json-reader.js";
import { RpcError } from "../../../../src/node/api/jsonrpc/rpc-error.js";
import { toHex } from "../../../../src/protocol/bytes.js";
import { NamedError } from "../../../../src/protocol/json/exceptions.js";

/** The value, or why it is refused. */
function outcome<T>(read: (value: T) => unknown, given: T): unknown {
	try {
		const value = read(given);
		return value instanceof Uint8Array ? toHex(value) : value;
	} catch (error) {
		if (error instanceof RpcError) return `${error.code} ${error.message}`;
		if (error instanceof NamedError) return `${error.name}: ${error.text}`;
		throw error;
	}
}

const MANY = 0x7fffffff;
const ADDRESS = "233100caac830994472dbe101e5d444a5cb647c6";
const HEX = "exception decoding Hex string: invalid characters encountered in Hex string";
const AMOUNT = "-32602 invalid param value: invalid hex number";

describe("up to release 4.8.1", () => {
	const loose = rpcAnswersOf({ release: "4.8.1" }).readers;

	test.each<[string | null, string]>([
		[`0x${ADDRESS}`, `41${ADDRESS}`],
		[ADDRESS.toUpperCase(), `41${ADDRESS}`],
		[`0x41${ADDRESS}`, `41${ADDRESS}`],
		[`0xa0${ADDRESS}`, "-32602 invalid address hash value"],
		["0x12", "-32602 invalid address hash value"],
		["", "-32602 invalid address hash value"],
		[null, "-32602 invalid address hash value"],
		["TDBHMZsk84v2141gma7pGtkyh2ST4mFVqw", `-32602 ${HEX}`],
		[`0X${ADDRESS}`, `-32602 ${HEX}`],
	])("the address %j reads as %s", (text, expected) => {
		expect(outcome(loose.address, text)).toBe(expected);
	});

	test.each<[string | null, string]>([
		["ab".repeat(32), "ab".repeat(32)],
		[`0x${"AB".repeat(32)}`, "ab".repeat(32)],
		["zz".repeat(32), `-32602 ${HEX}`],
		["0x12", "-32602 invalid hash value"],
		["", "-32602 invalid hash value"],
		[null, "NullPointerException: null"],
	])("the hash %j reads as %s", (text, expected) => {
		expect(outcome(loose.hash, text)).toBe(expected);
	});

	test.each<[string | null, unknown]>([
		["0xce", 206n],
		["206", 206n],
		["-1", -1n],
		["+5", 5n],
		["0x-5", -5n],
		["0x10000000000000001", 1n],
		["18446744073709551617", 1n],
		["safe", "-32602 invalid block number"],
		["0x", "-32602 invalid block number"],
		["0xzz", "-32602 invalid block number"],
		["", "-32602 invalid block number"],
		[null, "-32602 invalid block number"],
	])("the block number %j reads as %s", (text, expected) => {
		expect(outcome(loose.blockNumber, text)).toBe(expected);
	});

	test.each<[string, unknown]>([
		["0x5", 5n],
		["0x-1", -1n],
		["5", "-32602 Incorrect hex syntax"],
		["safe", "-32602 Incorrect hex syntax"],
		["0xzz", 'NumberFormatException: For input string: "zz"'],
		["0x8000000000000000", 'NumberFormatException: For input string: "8000000000000000"'],
	])("the bound %j of a filter reads as %s", (text, expected) => {
		expect(outcome((bound) => loose.filterBound(bound as string), text)).toBe(expected);
	});

	test.each<[string | null, unknown]>([
		[null, 0n],
		["", 0n],
		["0x0005", 5n],
		["0x-5", -5n],
		["0x7fffffffffffffff", 0x7fffffffffffffffn],
		["0x8000000000000000", AMOUNT],
		["0x", AMOUNT],
		["5", AMOUNT],
		["-0x1", AMOUNT],
	])("the amount %j reads as %s", (text, expected) => {
		expect(outcome(loose.amount, text)).toBe(expected);
	});

	test.each<[string | null, unknown]>([
		["0x0", 0],
		["0x7ffffffe", 0x7ffffffe],
		["0x7fffffff", undefined],
		["0x-1", "IndexOutOfBoundsException: Index -1 out of bounds for length 2147483647"],
		["0x80000000", "-32602 invalid index value"],
		["1", "-32602 invalid index value"],
		[null, "-32602 invalid index value"],
	])("the index %j reads as %s", (text, expected) => {
		expect(outcome((place) => loose.index(place, MANY), text)).toBe(expected);
	});
});

describe("from release 4.8.2 on", () => {
	const strict = rpcAnswersOf({ release: "4.8.2" }).readers;
	const NUMBER = "-32602 invalid block number";

	test.each<[string | null, unknown]>([
		["0xce", 206n],
		["206", 206n],
		["+5", 5n],
		["0x0", 0n],
		["0x00000000000000001", 1n],
		["0x7fffffffffffffff", 0x7fffffffffffffffn],
		["9223372036854775807", 0x7fffffffffffffffn],
		["0x8000000000000000", NUMBER],
		["9223372036854775808", NUMBER],
		["0x0000000000000000001", NUMBER],
		["-1", NUMBER],
		["0x-1", NUMBER],
		["0X1", NUMBER],
		["0x", NUMBER],
		["0xzz", NUMBER],
		["nonsense", NUMBER],
		["", NUMBER],
		[null, NUMBER],
	])("the block number %j reads as %s", (text, expected) => {
		expect(outcome(strict.blockNumber, text)).toBe(expected);
	});

	test.each<[string, unknown]>([
		["0x5", 5n],
		["5", "-32602 Incorrect hex syntax"],
		["0X5", "-32602 Incorrect hex syntax"],
		["", "-32602 Incorrect hex syntax"],
		["0x-1", NUMBER],
		["0x", NUMBER],
		["0xzz", NUMBER],
		["0x8000000000000000", NUMBER],
	])("the bound %j of a filter reads as %s", (text, expected) => {
		expect(outcome(strict.filterBound, text)).toBe(expected);
	});

	test.each(["hash", "filterHash"] as const)("the %s has 64 digits", (kind) => {
		const read = (text: string | null): unknown =>
			outcome(strict[kind] as (text: string | null) => unknown, text);
		expect(read("AB".repeat(32))).toBe("ab".repeat(32));
		expect(read(`0x${"ab".repeat(32)}`)).toBe("ab".repeat(32));
		for (const text of [
			"zz".repeat(32),
			"0x12",
			`0X${"ab".repeat(32)}`,
			`${"ab".repeat(32)} `,
			"latest",
			"",
			null,
		]) {
			expect(read(text)).toBe("-32602 invalid hash value");
		}
	});

	test.each<[string | null, string]>([
		[`0x${ADDRESS}`, `41${ADDRESS}`],
		[`0x41${ADDRESS}`, `41${ADDRESS}`],
		[`0x${ADDRESS.slice(1)}`, `410${ADDRESS.slice(1)}`],
		[`0xa0${ADDRESS}`, "-32602 invalid address"],
		["0x12", "-32602 invalid address"],
		["0x", "-32602 invalid address"],
		["", "-32602 invalid address"],
		[null, "-32602 invalid address"],
		[`0x${"z".repeat(43)}`, "-32602 invalid address"],
		["TDBHMZsk84v2141gma7pGtkyh2ST4mFVqw", `-32602 ${HEX}`],
		["zz", `-32602 ${HEX}`],
	])("the address %j reads as %s", (text, expected) => {
		expect(outcome(strict.address, text)).toBe(expected);
	});

	test.each<[string, string]>([
		[`"0x${ADDRESS}"`, ADDRESS],
		[`"${ADDRESS}"`, ADDRESS],
		[`"41${ADDRESS}"`, `-32602 invalid address: 41${ADDRESS}`],
		[`"0x41${ADDRESS}"`, `-32602 invalid address: 0x41${ADDRESS}`],
		['"zz"', "-32602 invalid address: zz"],
		['""', "-32602 invalid address: "],
		["5", "-32602 invalid address: 5"],
		["null", "-32602 invalid address: null"],
		['["a",{"b":1.5,"c":[]}]', "-32602 invalid address: [a, {b=1.5, c=[]}]"],
	])("the address %s of a filter reads as %s", (json, expected) => {
		const read = (value: RawValue): unknown => strict.filterAddress(value, "invalid address");
		expect(outcome(read, readRawJson(json))).toBe(expected);
	});

	test.each<[string, string]>([
		[`"0x${"ab".repeat(32)}"`, "ab".repeat(32)],
		[`"${"ab".repeat(31)}a"`, `0${"ab".repeat(31)}a`],
		[`"${"ab".repeat(32)}0"`, `-32602 invalid topic(s): ${"ab".repeat(32)}0`],
		[`"${"ab".repeat(31)}"`, `-32602 invalid topic(s): ${"ab".repeat(31)}`],
		['"zz"', "-32602 invalid topic(s): zz"],
		['["x"]', "-32602 invalid topic(s): [x]"],
		["null", "-32602 invalid topic(s): null"],
	])("the topic %s reads as %s", (json, expected) => {
		expect(outcome(strict.topic, readRawJson(json))).toBe(expected);
	});

	test.each<[string | null, unknown]>([
		["0x1", 1],
		["0x2", undefined],
		["0x-1", undefined],
		["0x12345678", undefined],
		["0x000000001", "-32602 invalid index value"],
		["0x80000000", "-32602 invalid index value"],
		["-0x1", "-32602 invalid index value"],
		["0", "-32602 invalid index value"],
		["", "-32602 invalid index value"],
		[null, "-32602 invalid index value"],
	])("the index %j of two reads as %s", (text, expected) => {
		expect(outcome((place) => strict.index(place, 2), text)).toBe(expected);
	});

	test.each<[string | null, string]>([
		["0x5", "5".padStart(64, "0")],
		["", "0".repeat(64)],
		[`0x${"f".repeat(64)}`, "f".repeat(64)],
		[`0x${"1".repeat(66)}`, "-32602 invalid storage key value"],
		["1".repeat(66), "-32602 invalid storage key value"],
		["zz", "-32602 invalid storage key value"],
		["-1", "-32602 invalid storage key value"],
		[null, "-32602 invalid storage key value"],
	])("the slot %j reads as %s", (text, expected) => {
		expect(outcome(strict.slot, text)).toBe(expected);
	});

	test.each<[string | null, unknown]>([
		[null, 0n],
		["0x7fffffffffffffff", 0x7fffffffffffffffn],
		["0x-5", "-32602 invalid param value: negative"],
		["-0x5", AMOUNT],
		["0x8000000000000000", AMOUNT],
	])("the amount %j reads as %s", (text, expected) => {
		expect(outcome(strict.amount, text)).toBe(expected);
	});

	test.each<[string | null, unknown]>([
		["0x10", 6_720n],
		[null, 0n],
		["0x7fffffffffffffff", "-32602 invalid gas: fee limit overflow"],
		["0x-1", "-32602 invalid param value: negative"],
		["q", AMOUNT],
	])("gas of %j at a price of 420 is paid with %s", (gas, expected) => {
		expect(outcome((text) => strict.feeLimitSun(text, 420n), gas)).toBe(expected);
	});

	const BAD_INPUT = '-32602 invalid hex string for "input"';
	const BAD_DATA = '-32602 invalid hex string for "data"';
	const CONFLICT =
		'-32602 both "data" and "input" are set and not equal. Please use "input" to pass transaction call data';

	test.each<[{ data?: string | null; input?: string | null }, string, string]>([
		[{}, "", ""],
		[{ data: "abc" }, "0abc", "0abc"],
		[{ data: "0xzz" }, BAD_DATA, BAD_DATA],
		[{ input: "0xab" }, "ab", "ab"],
		[{ input: "" }, "", ""],
		[{ input: "ab" }, BAD_INPUT, BAD_INPUT],
		[{ input: "0XAB" }, BAD_INPUT, BAD_INPUT],
		[{ input: "0xabc" }, BAD_INPUT, BAD_INPUT],
		[{ data: "0xab", input: "0xAB" }, "ab", "ab"],
		[{ data: "0xab", input: null }, "ab", "ab"],
		[{ data: null, input: "0xab" }, "ab", "ab"],
		[{ data: "0xcd", input: "0xab" }, "ab", CONFLICT],
		[{ data: "0xcd", input: "" }, "", CONFLICT],
		[{ data: "0xzz", input: "0xab" }, "ab", BAD_DATA],
	])("what is called with %j reads as %s, and in a transaction as %s", (call, one, agreed) => {
		expect(outcome((given) => strict.input(given)(), call)).toBe(one);
		expect(outcome((given) => strict.agreedInput(given)(), call)).toBe(agreed);
	});

	test("an interface that can't be read is refused", () => {
		expect(outcome((abi) => strict.contractAbi(abi, false), "not")).toBe("-32602 invalid abi");
		expect(strict.contractAbi('[{"type":"Function","name":"a"}]', false).entrys).toHaveLength(1);
	});
});

test.each(["4.8.1", "4.8.2"] as const)(
	"release %s knows no pending blocks, and 4.8.2 no safe ones",
	(release) => {
		const refused = (tag: string): unknown =>
			outcome((text) => refuseTags(rpcAnswersOf({ release }).readers, text), tag);
		expect(refused("Pending")).toBe("-32602 TAG pending not supported");
		expect(refused("safe")).toBe(release === "4.8.2" ? "-32602 TAG safe not supported" : undefined);
		expect(refused("latest")).toBeUndefined();
	},
);
