/** Precompiles of the curve alt_bn128: addition, multiplication, pairing (protocol/precompiles §1). */

import { bn254 } from "@noble/curves/bn254.js";
import { type Word, wordToBytes } from "../word.js";
import type { Curve, PairingProduct } from "./alt-bn128.js";
import { LoadedLibrary } from "./loaded-library.js";
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

/** Portable implementation of alt_bn128. */
const G1 = bn254.G1.Point;
const G2 = bn254.G2.Point;
const { Fp, Fp2, Fp12 } = bn254.fields;
type PointG1 = InstanceType<typeof G1>;
type PointG2 = InstanceType<typeof G2>;

/** Pairs multiplied per batch: about 40 ms of work including validation. */
const BATCH = 4;

/** Reads a point of the first group; undefined if it is invalid. */
function readG1(x: Word, y: Word): PointG1 | undefined {
	if (x === 0 && y === 0) return G1.ZERO;
	const point = { x: BigInt(x), y: BigInt(y) };
	if (point.x >= Fp.ORDER || point.y >= Fp.ORDER) return undefined;
	return onCurve(() => G1.fromAffine(point));
}

/** Reads a point of the second group and checks its subgroup; imaginary parts come first. */
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

/** The point if it is on its curve. */
function onCurve<P extends { assertValidity(): void }>(read: () => P): P | undefined {
	try {
		const point = read();
		point.assertValidity();
		return point;
	} catch {
		// The library only offers a throwing check, and nothing but the coordinates can be wrong here.
		return undefined;
	}
}

function writeG1(point: PointG1): Uint8Array {
	if (point.is0()) return new Uint8Array(64);
	const { x, y } = point.toAffine();
	return Buffer.concat([wordToBytes(x), wordToBytes(y)]);
}

class PortableProduct implements PairingProduct {
	private product = Fp12.ONE;
	private pairs: { g1: PointG1; g2: PointG2 }[] = [];

	multiply(pair: Uint8Array): boolean {
		const g1 = readG1(wordAt(pair, 0), wordAt(pair, 1));
		const g2 = readG2(pair.subarray(64));
		if (!g1 || !g2) return false;
		// The pairing with a point at infinity is one.
		if (!g1.is0() && !g2.is0()) this.pairs.push({ g1, g2 });
		if (this.pairs.length === BATCH) this.collect();
		return true;
	}

	private collect(): void {
		if (this.pairs.length > 0) {
			this.product = Fp12.mul(this.product, bn254.pairingBatch(this.pairs, false));
		}
		this.pairs = [];
	}

	isOne(): boolean {
		this.collect();
		return Fp12.eql(Fp12.finalExponentiate(this.product), Fp12.ONE);
	}
}

export const portableCurve: Curve = {
	name: "portable",
	add(input) {
		const a = readG1(wordAt(input, 0), wordAt(input, 1));
		const b = readG1(wordAt(input, 2), wordAt(input, 3));
		return a && b && writeG1(a.add(b));
	},
	multiply(input) {
		const point = readG1(wordAt(input, 0), wordAt(input, 1));
		if (!point) return undefined;
		const scalar = BigInt(wordAt(input, 2)) % G1.Fn.ORDER;
		return writeG1(scalar === 0n ? G1.ZERO : point.multiplyUnsafe(scalar));
	},
	pairings: () => new PortableProduct(),
};

/** The alt_bn128 library in use. The compiled one takes 70 ms and 15 MB to load, so it is loaded on first use. */
const library = new LoadedLibrary<Curve>(portableCurve, async () =>
	(await import("./curve-compiled.js")).compiledCurve(),
);

/** The best library available now; the first call starts loading a better one. */
export const curve = (): Curve => library.best();

/** Loads the compiled library if it can run here. @returns the library in use from now on */
export const loadCurve = (): Promise<Curve> => library.loaded();

const PAIR = 192;

export const bn128Add: Precompile = {
	name: "bn128Add",
	word: 0x06,
	energy: (_input, gates) => (gates.istanbul ? 150n : 500n),
	run(input) {
		const sum = curve().add(paddedSlice(input, 0, 128));
		return sum ? succeed(sum) : failed;
	},
};

export const bn128Multiply: Precompile = {
	name: "bn128Mul",
	word: 0x07,
	energy: (_input, gates) => (gates.istanbul ? 6000n : 40_000n),
	run(input) {
		const product = curve().multiply(paddedSlice(input, 0, 96));
		return product ? succeed(product) : failed;
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
		const product = curve().pairings();
		for (let at = 0; at < input.length; at += PAIR) {
			checkTime(machine, "bn128Pairing");
			if (!product.multiply(input.subarray(at, at + PAIR))) return failed;
		}
		return succeed(product.isOne() ? ONE_WORD : ZERO_WORD);
	},
};
