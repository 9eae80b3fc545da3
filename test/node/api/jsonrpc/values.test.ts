import { describe, expect, test } from "vitest";
import { RpcError } from "../../../../src/node/api/jsonrpc/rpc-error.js";
import {
	addressData,
	data,
	quantity,
	readAddress,
	readBlockNumber,
	readFilterBound,
	readHash,
	readIndex,
	readQuantity,
} from "../../../../src/node/api/jsonrpc/values.js";
import { fromHex, toHex } from "../../../../src/protocol/bytes.js";
import { NamedError } from "../../../../src/protocol/json/exceptions.js";

/** The value, or why it is refused. */
function outcome(read: (text: string | null) => unknown, text: string | null): unknown {
	try {
		const value = read(text);
		return value instanceof Uint8Array ? toHex(value) : value;
	} catch (error) {
		if (error instanceof RpcError) return `${error.code} ${error.message}`;
		if (error instanceof NamedError) return `${error.name}: ${error.text}`;
		throw error;
	}
}

const ADDRESS = "233100caac830994472dbe101e5d444a5cb647c6";
const HEX = "exception decoding Hex string: invalid characters encountered in Hex string";
const AMOUNT = "-32602 invalid param value: invalid hex number";

describe("values of JSON-RPC", () => {
	test.each<[bigint | number, string]>([
		[0, "0x0"],
		[0n, "0x0"],
		[255, "0xff"],
		[1n << 62n, "0x4000000000000000"],
		[-1n, "0xffffffffffffffff"],
		[-256n, "0xffffffffffffff00"],
	])("%s is the QUANTITY %s", (value, text) => {
		expect(quantity(value)).toBe(text);
	});

	test("addresses lose their prefix, and none is null", () => {
		expect(addressData(fromHex(`41${ADDRESS}`))).toBe(`0x${ADDRESS}`);
		expect(addressData(fromHex(ADDRESS))).toBe(`0x${ADDRESS}`);
		expect(addressData(new Uint8Array(0))).toBeNull();
		expect(data(new Uint8Array(0))).toBe("0x");
	});

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
		expect(outcome(readAddress, text)).toBe(expected);
	});

	test.each<[string | null, string]>([
		["ab".repeat(32), "ab".repeat(32)],
		[`0x${"AB".repeat(32)}`, "ab".repeat(32)],
		["zz".repeat(32), `-32602 ${HEX}`],
		["0x12", "-32602 invalid hash value"],
		["", "-32602 invalid hash value"],
		[null, "NullPointerException: null"],
	])("the hash %j reads as %s", (text, expected) => {
		expect(outcome(readHash, text)).toBe(expected);
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
		expect(outcome(readBlockNumber, text)).toBe(expected);
	});

	test.each<[string, unknown]>([
		["0x5", 5n],
		["0x-1", -1n],
		["5", "-32602 Incorrect hex syntax"],
		["safe", "-32602 Incorrect hex syntax"],
		["0xzz", 'NumberFormatException: For input string: "zz"'],
		["0x8000000000000000", 'NumberFormatException: For input string: "8000000000000000"'],
	])("the bound %j of a filter reads as %s", (text, expected) => {
		expect(outcome((bound) => readFilterBound(bound as string), text)).toBe(expected);
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
		expect(outcome(readQuantity, text)).toBe(expected);
	});

	test.each<[string | null, unknown]>([
		["0x0", 0],
		["0x7fffffff", 0x7fffffff],
		["0x-1", -1],
		["0x80000000", "-32602 invalid index value"],
		["1", "-32602 invalid index value"],
		[null, "-32602 invalid index value"],
	])("the index %j reads as %s", (text, expected) => {
		expect(outcome(readIndex, text)).toBe(expected);
	});
});
