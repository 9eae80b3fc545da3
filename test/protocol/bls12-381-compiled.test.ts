import { beforeAll, expect, test } from "vitest";
import { GENERATOR_G1, GENERATOR_G2 } from "../../src/node/vm/precompiles/kzg-setup.js";
import {
	type CompiledBls12381,
	compiledBls12381,
	G1_SIZE,
	G2_SIZE,
	GT_SIZE,
} from "../../src/protocol/bls12-381-compiled.js";
import { fromHex } from "../../src/protocol/bytes.js";

let curve: CompiledBls12381;

beforeAll(async () => {
	curve = await compiledBls12381();
});

/** A compressed point of a small first coordinate. */
function small(size: number, x: number): Uint8Array {
	const bytes = new Uint8Array(size);
	bytes[0] = 0x80;
	bytes[size - 1] = x;
	return bytes;
}

test("points of the groups are read, and nothing else", () => {
	const [g1, g2] = [curve.allocate(G1_SIZE), curve.allocate(G2_SIZE)];
	expect(curve.readG1(g1, fromHex(GENERATOR_G1))).toBe(true);
	expect(curve.readG2(g2, fromHex(GENERATOR_G2))).toBe(true);
	// On the curve where there is a root, but of another order.
	for (let x = 1; x < 8; x++) {
		expect(curve.readG1(g1, small(48, x))).toBe(false);
		expect(curve.readG2(g2, small(96, x))).toBe(false);
	}
	expect(curve.readG1(g1, fromHex(GENERATOR_G1).subarray(1))).toBe(false);
});

test("a scalar is the same number in both orders of bytes", () => {
	const { mcl } = curve;
	const bytes = Uint8Array.from({ length: 32 }, (_, i) => i);
	const [scalar, point, other] = [curve.allocate(32), curve.allocate(G1_SIZE), curve.allocate(G1_SIZE)];
	const sum = curve.allocate(G1_SIZE);
	curve.readG1(point, fromHex(GENERATOR_G1));
	curve.readBigEndianScalar(scalar, bytes);
	mcl._mclBnG1_mulVec(other, point, scalar, 1);
	mcl._mclBnG1_neg(other, other);
	curve.readLittleEndianScalar(scalar, bytes.toReversed());
	mcl._mclBnG1_mulVec(sum, point, scalar, 1);
	expect(mcl._mclBnG1_isZero(sum)).toBe(0);
	mcl._mclBnG1_add(sum, sum, other);
	expect(mcl._mclBnG1_isZero(sum)).toBe(1);
});

test("a loop over a precomputed point equals the loop over the point", () => {
	const { mcl } = curve;
	const [p, q, none] = [curve.allocate(G1_SIZE), curve.allocate(G2_SIZE), curve.allocate(G1_SIZE)];
	const [ahead, plain] = [curve.allocate(GT_SIZE), curve.allocate(GT_SIZE)];
	curve.readG1(p, fromHex(GENERATOR_G1));
	curve.readG2(q, fromHex(GENERATOR_G2));
	// The point at infinity: the second loop multiplies by one.
	expect(curve.readG1(none, Uint8Array.from([0xc0, ...new Uint8Array(47)]))).toBe(true);
	const precomputed = curve.precompute(q);
	mcl._mclBn_precomputedMillerLoop2(ahead, p, precomputed, none, precomputed);
	mcl._mclBn_finalExp(ahead, ahead);
	mcl._mclBn_pairing(plain, p, q);
	expect(mcl._mclBnGT_isEqual(ahead, plain)).toBe(1);
	expect(mcl._mclBnGT_isOne(plain)).toBe(0);
});
