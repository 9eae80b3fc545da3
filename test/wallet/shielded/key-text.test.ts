import { describe, expect, it } from "vitest";
import { toHex } from "../../../src/protocol/bytes.js";
import { narrowed } from "../../../src/protocol/sapling/key-set.js";
import { readShieldedKeys, viewingKeyText } from "../../../src/wallet/shielded/key-text.js";
import { keysNumbered } from "./keys.js";

const keys = keysNumbered(1);
const sk = toHex(keys.spending?.sk ?? new Uint8Array(0));

describe("keys as text", () => {
	it("are read as they are written", () => {
		expect(readShieldedKeys(` 0x${sk.toUpperCase()}\n`)).toEqual(keys);
		for (const reach of ["viewing", "incoming"] as const)
			expect(readShieldedKeys(viewingKeyText(narrowed(keys, reach)))).toEqual(narrowed(keys, reach));
	});

	it("are read from an answer of the network's own method", () => {
		expect(readShieldedKeys(JSON.stringify({ sk, ivk: toHex(keys.ivk), payment_address: "zcoin1" }))).toEqual(
			keys,
		);
	});

	it.each([
		["another number of digits", sk.slice(2), "64 hexadecimal digits"],
		["half a record", '{"ivk":', "not valid JSON"],
		["a list", '["a"]', "64 hexadecimal digits"],
		["a record without a key", '{"ovk":"00"}', "member ovk"],
		["a record of nothing", "{}", "neither sk"],
		["a member of another length", `{"ivk":"${sk.slice(2)}"}`, "the member ivk"],
		["a key that the network doesn't use", "ff".repeat(32), "not keys that the network uses"],
	])("are refused without being repeated: %s", (_, text, message) => {
		expect(() => readShieldedKeys(text)).toThrow(message);
		try {
			readShieldedKeys(text);
		} catch (error) {
			expect((error as Error).message).not.toContain(sk.slice(2));
		}
	});
});
