import { expect, test } from "vitest";
import { utf8 } from "../../../src/protocol/bytes.js";
import {
	decodePoint,
	encodePoint,
	FIELD_ORDER,
	GROUP_ORDER,
	littleBytes,
	multiplySecret,
	spendGenerator,
	valueRandomnessGenerator,
} from "../../../src/protocol/sapling/jubjub.js";
import { signRedJubjub, verifyRedJubjub } from "../../../src/protocol/sapling/redjubjub.js";
import { bindingKey, valueCommitment } from "../../../src/protocol/sapling/value-commitment.js";

const randomness = Uint8Array.from({ length: 80 }, (_, i) => i);
const key = 123_456_789n;
const message = utf8("pay");
const publicKey = multiplySecret(spendGenerator(), key);
const signature = signRedJubjub(key, spendGenerator(), message, randomness);

test("a signature holds for its key, generator and message only", () => {
	expect(verifyRedJubjub(publicKey, spendGenerator(), message, signature)).toBe(true);
	expect(verifyRedJubjub(publicKey, spendGenerator(), utf8("say"), signature)).toBe(false);
	expect(verifyRedJubjub(publicKey, valueRandomnessGenerator(), message, signature)).toBe(false);
	expect(verifyRedJubjub(publicKey.double(), spendGenerator(), message, signature)).toBe(false);
	for (let i = 0; i < 64; i++) {
		const changed = signature.map((byte, at) => (at === i ? byte ^ 4 : byte));
		expect(verifyRedJubjub(publicKey, spendGenerator(), message, changed)).toBe(false);
	}
});

test("S is not taken above its order, though the equation would hold", () => {
	const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString("hex")}`) + GROUP_ORDER;
	const long = Uint8Array.from([...signature.subarray(0, 32), ...littleBytes(s)]);
	expect(verifyRedJubjub(publicKey, spendGenerator(), message, long)).toBe(false);
});

test("a key with a part of small order holds too, as the cofactor is multiplied out", () => {
	const orderTwo = decodePoint(littleBytes(FIELD_ORDER - 1n));
	const dirty = publicKey.add(orderTwo ?? publicKey);
	expect(encodePoint(dirty)).not.toEqual(encodePoint(publicKey));
	expect(verifyRedJubjub(dirty, spendGenerator(), message, signature)).toBe(true);
});

test("amounts balance under the key of their randomness, and only if they do", () => {
	const spent = [valueCommitment(100n, 5n), valueCommitment(50n, 6n)];
	const created = [valueCommitment(120n, 4n)];
	const sign = (balance: bigint) => {
		const bvk = bindingKey(spent, created, balance);
		if (!bvk) return undefined;
		const signed = signRedJubjub(7n, valueRandomnessGenerator(), message, randomness);
		return verifyRedJubjub(bvk, valueRandomnessGenerator(), message, signed);
	};
	expect(sign(30n)).toBe(true);
	expect(sign(-30n)).toBe(false);
	expect(sign(-(2n ** 63n))).toBeUndefined();
});
