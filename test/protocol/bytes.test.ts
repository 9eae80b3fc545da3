import { expect, test } from "vitest";
import { fromKey, toKey } from "../../src/protocol/bytes.js";

test("keys have one unit a byte, whatever their length and whatever memory the bytes are in", () => {
	for (let length = 0; length < 70; length++) {
		const bytes = Buffer.from(Array.from({ length }, (_, i) => (i * 37 + length * 11) & 0xff));
		const within = Uint8Array.from([1, ...bytes, 2]).subarray(1, length + 1);
		for (const each of [bytes, Uint8Array.from(bytes), within]) {
			expect(toKey(each)).toBe(bytes.toString("latin1"));
			expect(Buffer.from(fromKey(toKey(each)))).toEqual(bytes);
		}
	}
});
