/** The curve alt_bn128: addition, multiplication, pairing (sheet 05 §13.1). */

import { bn254 } from "@noble/curves/bn254.js";
import type { Word } from "../word.js";
import { wordFromBytes, wordToBytes } from "../word.js";
import {
	checkTime,
	failed,
	ONE_WORD,
	type Precompile,
	paddedSlice,
	succeed,
	wordAt,
	ZERO_WORD,
} from "./precompile.js";

const G1 = bn254.G1.Point;
const G2 = bn254.G2.Point;
const { Fp, Fp2, Fp12 } = bn254.fields;
type PointG1 = InstanceType<typeof G1>;
type PointG2 = InstanceType<typeof G2>;

const PAIR = 192;

/** Pairs that are multiplied together, some 40 ms of work with their checks; thousands can come in one call. */
const BATCH = 4;

/** A point of the first group; undefined if the coordinates are none. */
function readG1(x: Word, y: Word): PointG1 | undefined {
	if (x === 0 && y === 0) return G1.ZERO;
	const point = { x: BigInt(x), y: BigInt(y) };
	if (point.x >= Fp.ORDER || point.y >= Fp.ORDER) return undefined;
	return onCurve(() => G1.fromAffine(point));
}

/** A point of the second group and its right subgroup; imaginary parts come first. */
function readG2(input: Uint8Array): PointG2 | undefined {
	const [xi, xr, yi, yr] = [0, 1, 2, 3].map((i) => BigInt(wordAt(input, i))) as [
		bigint,
		bigint,
		bigint,
		bigint,
	];
	if ([xi, xr, yi, yr].some((part) => part >= Fp.ORDER)) return undefined;
	const x = Fp2.fromBigTuple([xr, xi]);
	const y = Fp2.fromBigTuple([yr, yi]);
	if (Fp2.is0(x) && Fp2.is0(y)) return G2.ZERO;
	const point = onCurve(() => G2.fromAffine({ x, y }));
	return point?.isTorsionFree() ? point : undefined;
}

/** The point if it lies on its curve. */
function onCurve<P extends { assertValidity(): void }>(read: () => P): P | undefined {
	try {
		const point = read();
		point.assertValidity();
		return point;
	} catch {
		// The library has no question without an exception; the coordinates are all that can be wrong here.
		return undefined;
	}
}

function writeG1(point: PointG1): Uint8Array {
	if (point.is0()) return new Uint8Array(64);
	const { x, y } = point.toAffine();
	return Buffer.concat([wordToBytes(x), wordToBytes(y)]);
}

export const bn128Add: Precompile = {
	name: "bn128Add",
	word: 0x06,
	energy: (_input, gates) => (gates.istanbul ? 150n : 500n),
	run(input) {
		const a = readG1(wordAt(input, 0), wordAt(input, 1));
		const b = readG1(wordAt(input, 2), wordAt(input, 3));
		return a && b ? succeed(writeG1(a.add(b))) : failed;
	},
};

export const bn128Multiply: Precompile = {
	name: "bn128Mul",
	word: 0x07,
	energy: (_input, gates) => (gates.istanbul ? 6000n : 40_000n),
	run(input) {
		const point = readG1(wordAt(input, 0), wordAt(input, 1));
		if (!point) return failed;
		const scalar = BigInt(wordAt(input, 2)) % G1.Fn.ORDER;
		return succeed(writeG1(scalar === 0n ? G1.ZERO : point.multiplyUnsafe(scalar)));
	},
};

export const bn128Pairing: Precompile = {
	name: "bn128Pairing",
	word: 0x08,
	energy(input, gates) {
		const pairs = BigInt(Math.floor(input.length / PAIR));
		return gates.istanbul ? 45_000n + 34_000n * pairs : 100_000n + 80_000n * pairs;
	},
	run(input, { machine }) {
		if (input.length % PAIR !== 0) return failed;
		let product = Fp12.ONE;
		let pairs: { g1: PointG1; g2: PointG2 }[] = [];
		const multiply = (): void => {
			if (pairs.length > 0) product = Fp12.mul(product, bn254.pairingBatch(pairs, false));
			pairs = [];
		};
		for (let at = 0; at < input.length; at += PAIR) {
			checkTime(machine, "bn128Pairing");
			const g1 = readG1(
				wordFromBytes(paddedSlice(input, at, 32)),
				wordFromBytes(paddedSlice(input, at + 32, 32)),
			);
			const g2 = readG2(input.subarray(at + 64, at + PAIR));
			if (!g1 || !g2) return failed;
			// A pair with a point at infinity multiplies the product by one.
			if (!g1.is0() && !g2.is0()) pairs.push({ g1, g2 });
			if (pairs.length === BATCH) multiply();
		}
		multiply();
		const isOne = Fp12.eql(Fp12.finalExponentiate(product), Fp12.ONE);
		return succeed(isOne ? ONE_WORD : ZERO_WORD);
	},
};
