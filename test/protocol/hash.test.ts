import fc from "fast-check";
import { expect, test } from "vitest";
import { toHex, utf8 } from "../../src/protocol/bytes.js";
import { keccak256, sha256, useFastHashing } from "../../src/protocol/hash.js";

test("SHA-256 of a known text", () => {
	expect(toHex(sha256(utf8("abc")))).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("Keccak-256 pads as before the standard", () => {
	expect(toHex(keccak256(utf8("")))).toBe("c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470");
});

test("the compiled Keccak gives what the portable one gives, and keeps results apart", async () => {
	const inputs = fc.sample(fc.uint8Array({ maxLength: 400 }), 100);
	const portable = inputs.map((input) => toHex(keccak256(input)));
	await useFastHashing();
	const results = inputs.map((input) => keccak256(input));
	expect(results.map(toHex)).toEqual(portable);
});
