import { describe, expect, test } from "vitest";
import { addressData, data, quantity, seconds } from "../../../../src/node/api/jsonrpc/values.js";
import { fromHex } from "../../../../src/protocol/bytes.js";

const ADDRESS = "233100caac830994472dbe101e5d444a5cb647c6";

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

	test("times are told in whole seconds", () => {
		expect(seconds(1_785_000_679_999n)).toBe(`0x${(1_785_000_679).toString(16)}`);
	});
});
