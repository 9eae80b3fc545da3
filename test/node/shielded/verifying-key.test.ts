import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
	readVerifyingKey,
	VerifyingKeyError,
	verifyingKeyLength,
} from "../../../src/node/shielded/verifying-key.js";

const bytes = readFileSync("test/golden/shielded/sapling-output.vk");

test("a key is as long as the network's files begin", () => {
	expect(verifyingKeyLength(7)).toBe(1636);
	expect(verifyingKeyLength(5)).toBe(1444);
	expect(bytes.length).toBe(1444);
});

test("a key, and a whole file that begins with it, are read alike", () => {
	const key = readVerifyingKey(bytes, 5);
	expect(key.inputs.length).toBe(6);
	expect(readVerifyingKey(Buffer.concat([bytes, Buffer.alloc(1000, 7)]), 5)).toEqual(key);
});

test.each([
	["a byte is missing", () => bytes.subarray(0, 1443), "a verifying key has 1444 bytes, and there are 1443"],
	["it is another circuit's", () => readFileSync("test/golden/shielded/sapling-spend.vk"), "7 public inputs"],
	["a point is not on its curve", () => Buffer.from(bytes).fill(1, 40, 41), "not in its group"],
	["a point is at infinity", () => Buffer.from(bytes).fill(0, 0, 96).fill(0x40, 0, 1), "not in its group"],
])("a key is refused if %s", (_, read, message) => {
	expect(() => readVerifyingKey(read(), 5)).toThrow(VerifyingKeyError);
	expect(() => readVerifyingKey(read(), 5)).toThrow(message);
});
