import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import {
	addressOfKeys,
	diversifierAt,
	keysOfIncomingKey,
	keysOfSpendingKey,
	keysOfViewingKey,
	narrowed,
	type ShieldedKeys,
} from "../../../src/protocol/sapling/key-set.js";
import { diversifiedBase } from "../../../src/protocol/sapling/shielded-keys.js";

const SK = fromHex("0bfc211444fa877ba546ffb3a64e8b7aa58dd7bdd23a7b22166e9da923add0e6");
const keys = keysOfSpendingKey(SK) as ShieldedKeys;
const { ak, nk } = keys.full as { ak: Uint8Array; nk: Uint8Array };
const ovk = keys.ovk as Uint8Array;

describe("the keys of a holder", () => {
	it("follow from the spending key", () => {
		expect(toHex(keys.ivk)).toBe("9c3eacfe786e67c6f3b567cfcf129dcfdc21347ce6f192cc3ca1e994df570c05");
		expect(toHex(ovk)).toBe("a8fa18b039e2cd8aeb04c8cf299b2bbc43cb5ab4dd67eec8884e3563223e5908");
		expect(keys.reach).toBe("spending");
	});

	it("lead to the same address by every key that is given on", () => {
		const address = addressOfKeys(keys);
		expect(addressOfKeys(narrowed(keys, "viewing"))).toEqual(address);
		expect(addressOfKeys(narrowed(keys, "incoming"))).toEqual(address);
		expect(addressOfKeys(keysOfViewingKey(ak, nk, ovk, keys.diversifier) as ShieldedKeys)).toEqual(address);
		expect(addressOfKeys(keysOfIncomingKey(keys.ivk, ovk, keys.diversifier) as ShieldedKeys)).toEqual(
			address,
		);
	});

	it("hold nothing that spends in a viewing key, and nothing that tells spends in an incoming one", () => {
		expect(narrowed(keys, "viewing")).toEqual({
			reach: "viewing",
			full: { ak, nk },
			ivk: keys.ivk,
			ovk,
			diversifier: keys.diversifier,
		});
		expect(narrowed(keys, "incoming").full).toBeUndefined();
		expect(narrowed(narrowed(keys, "incoming"), "viewing").reach).toBe("incoming");
	});

	it("have an address of their own without a diversifier", () => {
		const first = keysOfViewingKey(ak, nk, ovk) as ShieldedKeys;
		expect(first.diversifier).toEqual(diversifierAt(keys.ivk, 0));
		expect(diversifiedBase(first.diversifier)).toBeDefined();
		expect(diversifierAt(keys.ivk, 1)).not.toEqual(first.diversifier);
	});

	it.each([
		["a spending key of another length", () => keysOfSpendingKey(SK.subarray(1))],
		["a spending key above the first byte's limit", () => keysOfSpendingKey(new Uint8Array(32).fill(0x10))],
		["an incoming key of more than 251 bits", () => keysOfIncomingKey(new Uint8Array(32).fill(0xff))],
		["an incoming key of nothing", () => keysOfIncomingKey(new Uint8Array(32))],
		["a diversifier that is not valid", () => keysOfIncomingKey(keys.ivk, ovk, invalidDiversifier())],
	])("are not made of %s", (_, make) => {
		expect(make()).toBeUndefined();
	});
});

function invalidDiversifier(): Uint8Array {
	for (let first = 0; ; first++) {
		const diversifier = new Uint8Array(11).fill(first);
		if (!diversifiedBase(diversifier)) return diversifier;
	}
}
