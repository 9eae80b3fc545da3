import { p256 } from "@noble/curves/nist.js";
import { describe, expect, it } from "vitest";
import type { Machine } from "../../../../src/node/vm/machine.js";
import { p256Verify } from "../../../../src/node/vm/precompiles/p256.js";
import { findPrecompile } from "../../../../src/node/vm/precompiles/precompiles.js";
import { concatBytes, fromHex, toHex } from "../../../../src/protocol/bytes.js";
import { CALLER, latestGates } from "../machine-fixture.js";
import { seededRandom } from "../random.js";

const N = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const P = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;

const VECTOR = [
	"1fdc3c15f1769dda9b989e830562d4778429e1fc140051eb678a764406a165f3",
	"e0205d33ecf5a43638ffc45098d8f3a2622480f24bf16fe4ab3090f0076008f5",
	"010689205046e546af4576fdf1f7b2c067789a258a116e11548a5fd0515ae643",
	"471c3e758c4904285bba7e53118ed0f524adeb0757d25bd2f8e7b0d76dfa714c",
	"dd520f7aca8a8b917acc37f51de8f0c9bbe3ad858382e702dc25a12d09f7a858",
];
const VALID = "01".padStart(64, "0");

const hex = (value: bigint): string => value.toString(16).padStart(64, "0");
const big = (digits: string): bigint => BigInt(`0x${digits}`);

function verify(input: string | Uint8Array): string {
	const bytes = typeof input === "string" ? fromHex(input) : input;
	const { success, output } = p256Verify.run(bytes, { machine: {} as Machine, caller: CALLER });
	expect(success).toBe(true);
	return toHex(output);
}

describe("p256Verify", () => {
	it("is at 0x100 since #96, for 6900 energy", () => {
		expect(findPrecompile(latestGates, 0x100)).toBeUndefined();
		expect(findPrecompile({ ...latestGates, osaka: true }, 0x100)).toBe(p256Verify);
		expect(p256Verify.energy(new Uint8Array(0), latestGates)).toBe(6900n);
	});

	it("accepts a valid signature, with a high s as well", () => {
		const [h = "", r = "", s = "", x = "", y = ""] = VECTOR;
		expect(verify(h + r + s + x + y)).toBe(VALID);
		expect(verify(h + r + hex(N - big(s)) + x + y)).toBe(VALID);
	});

	it.each([0, 1, 2, 3, 4])("answers nothing if word %i is another", (index) => {
		for (const change of [1n, -1n]) {
			const words = VECTOR.map((word, i) => (i === index ? hex(big(word) + change) : word));
			expect(verify(words.join(""))).toBe("");
		}
	});

	it.each([159, 161, 0, 320])("answers nothing to %i bytes", (length) => {
		expect(verify(Buffer.concat([fromHex(VECTOR.join("")), Buffer.alloc(160)]).subarray(0, length))).toBe("");
	});

	it.each<[string, number, bigint]>([
		["r of zero", 1, 0n],
		["r of the order", 1, N],
		["s of zero", 2, 0n],
		["s of the order", 2, N],
		["x of the field's order", 3, P],
		["y beyond the field", 4, (1n << 256n) - 1n],
	])("answers nothing to %s", (_, index, value) => {
		expect(verify(VECTOR.map((word, i) => (i === index ? hex(value % (1n << 256n)) : word)).join(""))).toBe(
			"",
		);
	});

	it("answers nothing to the point (0, 0)", () => {
		expect(verify([...VECTOR.slice(0, 3), hex(0n), hex(0n)].join(""))).toBe("");
	});

	it("counts all bits of the hash, those above the order too", () => {
		const key = new Uint8Array(32).fill(7);
		const [x, y] = coordinates(key);
		for (const hash of [0n, 1n, N - 1n, N, N + 1n, (1n << 256n) - 1n]) {
			const signature = p256.sign(fromHex(hex(hash)), key, { prehash: false, lowS: false });
			expect(verify(hex(hash) + toHex(signature) + x + y), hex(hash)).toBe(VALID);
		}
	});

	it("adds equal points, and tells the sum of opposite ones from a valid one", () => {
		// The key is 1: Q = G. With h = r the points to be added are equal, with h = -r they are opposite.
		const key = new Uint8Array(32);
		key[31] = 1;
		const [x, y] = coordinates(key);
		const G = p256.Point.BASE;
		const r = G.multiply(5n).toAffine().x % N;
		// u2 (Q + h/r G) = u2 * 2G must be 5G: u2 = 5/2 = r/s.
		const s = (r * 2n * inverse(5n)) % N;
		expect(verify(hex(r) + hex(r) + hex(s) + x + y)).toBe(VALID);
		expect(verify(hex(N - r) + hex(r) + hex(s) + x + y)).toBe("");
	});

	it("agrees with another library on random signatures, valid and spoilt", () => {
		const random = seededRandom(96);
		let valid = 0;
		for (let i = 0; i < 60; i++) {
			const bytes = (): Uint8Array => Uint8Array.from({ length: 32 }, () => random(256));
			const [key, hash] = [bytes(), bytes()];
			const signature = p256.sign(hash, key, { prehash: false, lowS: false });
			const publicKey = p256.getPublicKey(key, false);
			const input = concatBytes(hash, signature, publicKey.subarray(1));
			if (random(2) === 0) input[random(96)] = random(256);
			const expected = p256.verify(input.subarray(32, 96), input.subarray(0, 32), publicKey, {
				prehash: false,
				lowS: false,
			});
			if (expected) valid++;
			expect(verify(input), toHex(input)).toBe(expected ? VALID : "");
		}
		expect(valid).toBeGreaterThan(15);
		expect(valid).toBeLessThan(50);
	});
});

function coordinates(key: Uint8Array): [string, string] {
	const publicKey = toHex(p256.getPublicKey(key, false)).slice(2);
	return [publicKey.slice(0, 64), publicKey.slice(64)];
}

/** By Fermat's little theorem. */
function inverse(value: bigint): bigint {
	let [result, square] = [1n, value];
	for (let rest = N - 2n; rest > 0n; rest >>= 1n) {
		if ((rest & 1n) === 1n) result = (result * square) % N;
		square = (square * square) % N;
	}
	return result;
}
