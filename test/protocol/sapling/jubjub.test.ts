import { expect, test } from "vitest";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import {
	decodePoint,
	encodePoint,
	FIELD_ORDER,
	GROUP_ORDER,
	INFINITY,
	isPrimeOrder,
	isSmallOrder,
	littleBytes,
	multiplySecret,
	noteRandomnessGenerator,
	positionGenerator,
	proofGenerator,
	readField,
	readLittle,
	readScalar,
	segmentGenerator,
	spendGenerator,
	valueGenerator,
	valueRandomnessGenerator,
} from "../../../src/protocol/sapling/jubjub.js";

test.each([
	["spend", spendGenerator, "30b5f2aaad325630bcdddbce4d67656d05fd1cc2d037bb5375b6e96d9e01a1d7"],
	["proof", proofGenerator, "e7e85de0f7f97a46d249a1f5ea51df50cc48490f8401c9de7a2adf1807d1b6d4"],
	["note", noteRandomnessGenerator, "ac776c796563fcd44cc49cfaea8bb796952c266e47779d94574c10ad01754b11"],
	["position", positionGenerator, "65002bc736faf7a3422effffe8b855e18fba96a0158a9efca584bf40549d36e1"],
	["value", valueGenerator, "d7c86706f5817aa718cd1cfad03233bcd64a7789fd9422d3b17af6823a7e6ac6"],
	[
		"randomness",
		valueRandomnessGenerator,
		"8b6a0b38b9faae3c3b803b47b0f146ad50ab221e6e2afbe6dbde45cba9d381ed",
	],
	[
		"segment 0",
		() => segmentGenerator(0),
		"ca3c2432d4abbf7732464ec08b2e47f95edc7e836b16c979571b52d3a2879ea8",
	],
	[
		"segment 1",
		() => segmentGenerator(1),
		"9118bf4e3cc50d7be8d3fa98ebbe3a1f25d901c0421189f733fe435b7f8c5d01",
	],
	[
		"segment 2",
		() => segmentGenerator(2),
		"57d493972c50ed8098b484177f2ab28b53e88c8e6ca400e09eee4ed200152eb6",
	],
	[
		"segment 3",
		() => segmentGenerator(3),
		"e97035a3ec4b7184856a1fa1a1af0351b747d9d8cb0a0791d8ca564b0ce47e2f",
	],
	[
		"segment 4",
		() => segmentGenerator(4),
		"ef8a65c3998296994cd1595809d8b9b3e5c90614383278390a9dab0321c54bc9",
	],
])("the generator of %s is the one of the construction", (_, generator, expected) => {
	expect(toHex(encodePoint(generator()))).toBe(expected);
	expect(isPrimeOrder(generator())).toBe(true);
});

test("points of order 1, 2 and 4 decode and are of small order, also with a sign that zero doesn't have", () => {
	const one = littleBytes(1n);
	const minusOne = littleBytes(FIELD_ORDER - 1n);
	const signed = (bytes: Uint8Array) => bytes.map((byte, i) => (i === 31 ? byte | 0x80 : byte));
	for (const bytes of [one, signed(one), minusOne, signed(minusOne), littleBytes(0n)]) {
		const point = decodePoint(bytes);
		expect(point && isSmallOrder(point)).toBe(true);
	}
	expect(decodePoint(signed(one))?.equals(INFINITY)).toBe(true);
	expect(isSmallOrder(spendGenerator())).toBe(false);
	expect(isPrimeOrder(INFINITY)).toBe(true);
	expect(isPrimeOrder(decodePoint(minusOne) ?? INFINITY)).toBe(false);
});

test("a coordinate at or above the field's order, or that no point has, doesn't decode", () => {
	expect(decodePoint(littleBytes(FIELD_ORDER))).toBeUndefined();
	expect(decodePoint(littleBytes(FIELD_ORDER + 1n))).toBeUndefined();
	expect(decodePoint(new Uint8Array(32).fill(0xff))).toBeUndefined();
	expect(decodePoint(new Uint8Array(31))).toBeUndefined();
	const without = [2n, 3n, 4n, 5n, 6n, 7n, 8n].filter((y) => decodePoint(littleBytes(y)) === undefined);
	expect(without.length).toBeGreaterThan(0);
});

test("numbers are read lowest byte first and only below their order", () => {
	expect(readLittle(fromHex("0102"))).toBe(0x201n);
	expect(readScalar(littleBytes(GROUP_ORDER - 1n))).toBe(GROUP_ORDER - 1n);
	expect(readScalar(littleBytes(GROUP_ORDER))).toBeUndefined();
	expect(readField(littleBytes(FIELD_ORDER - 1n))).toBe(FIELD_ORDER - 1n);
	expect(readField(littleBytes(FIELD_ORDER))).toBeUndefined();
});

test("zero times a point is the point at infinity", () => {
	expect(multiplySecret(spendGenerator(), 0n).is0()).toBe(true);
});
