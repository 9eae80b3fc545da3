import { expect, test } from "vitest";
import { concatBytes, fromHex, toHex } from "../../../src/protocol/bytes.js";
import { burnNonce, openBurn, sealBurn } from "../../../src/protocol/sapling/orc20-builder.js";

const ovk = new Uint8Array(32).fill(9);
const nullifier = fromHex("11".repeat(32));
const payTo = fromHex(`41${"33".repeat(20)}`);
const amount = fromHex("3e8".padStart(64, "0"));
const nonce = burnNonce(nullifier, amount, payTo);
const record = (marker: string, by = nonce) =>
	concatBytes(sealBurn(ovk, 1_000n, payTo, by), by, fromHex(marker));

test("a burn's nonce is made of its nullifier, amount and receiver", () => {
	expect(toHex(nonce)).toBe("91b97d8f49120b22ef1bea9e");
});

test("a burn is read with the nonce of its own, or with none as before", () => {
	const text = `${toHex(amount)}${toHex(payTo)}${"00".repeat(11)}`;
	const zero = new Uint8Array(12);
	expect(toHex(openBurn(ovk, record("00000001"), [payTo, nullifier]) ?? ovk)).toBe(text);
	expect(toHex(openBurn(ovk, record("00000000", zero), [nullifier]) ?? ovk)).toBe(text);
});

test.each([
	["another marker", record("00000002"), [nullifier]],
	["a nonce without its marker", record("00000000"), [nullifier]],
	["the nonce of another spend", record("00000001"), [amount]],
	[
		"another nonce than it was sealed with",
		record("00000001", new Uint8Array(12).fill(1)).fill(2, 80, 92),
		[],
	],
])("a burn is not read with %s", (_, bytes, nullifiers) => {
	expect(openBurn(ovk, bytes, nullifiers)).toBeUndefined();
});
