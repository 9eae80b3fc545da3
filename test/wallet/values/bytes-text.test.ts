import { expect, test } from "vitest";
import { fromHex, utf8 } from "../../../src/protocol/bytes.js";
import { memoBytes, parseHexBytes } from "../../../src/wallet/values/bytes-text.js";

test("hexadecimal is read with or without its prefix, and a long mistake isn't repeated whole", () => {
	expect(parseHexBytes(" 0Xab0F ")).toEqual(fromHex("ab0f"));
	expect(parseHexBytes("0x")).toHaveLength(0);
	expect(() => parseHexBytes("0xabc")).toThrow('"0xabc" has 3 hexadecimal digits, an odd number');
	expect(() => parseHexBytes("z".repeat(60))).toThrow(`"${"z".repeat(45)}..." is not hexadecimal`);
});

test("a memo is text, or bytes with the prefix", () => {
	expect(memoBytes(undefined)).toBeUndefined();
	expect(memoBytes("abcd €")).toEqual(utf8("abcd €"));
	expect(memoBytes("0xabcd")).toEqual(fromHex("abcd"));
	expect(() => memoBytes("0xabc")).toThrow(/odd number/);
});
