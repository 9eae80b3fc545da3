/** The compiled curve against the portable one: every answer must be the same. */

import { bn254 } from "@noble/curves/bn254.js";
import { beforeAll, describe, expect, it } from "vitest";
import { BN128_FIELD_ORDER, type Curve } from "../../../src/node/vm/precompiles/alt-bn128.js";
import { curve, loadCurve, portableCurve } from "../../../src/node/vm/precompiles/bn128.js";
import { wordToBytes } from "../../../src/node/vm/word.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { seededRandom } from "./random.js";

const { Fp, Fp2, Fr } = bn254.fields;
const ORDER = Fr.ORDER;
const MAX = 2n ** 256n - 1n;
const G1 = bn254.G1.Point;
const G2 = bn254.G2.Point;

const words = (...values: readonly bigint[]): Uint8Array => Buffer.concat(values.map(wordToBytes));

const g1 = (scalar: bigint): bigint[] => {
	if (scalar === 0n) return [0n, 0n];
	const { x, y } = G1.BASE.multiply(scalar).toAffine();
	return [x, y];
};

const g2Of = ({ x, y }: { x: { c0: bigint; c1: bigint }; y: { c0: bigint; c1: bigint } }): bigint[] => [
	x.c1,
	x.c0,
	y.c1,
	y.c0,
];

const g2 = (scalar: bigint): bigint[] =>
	scalar === 0n ? [0n, 0n, 0n, 0n] : g2Of(G2.BASE.multiply(scalar).toAffine());

/** A point of the twist that is, all but surely, outside the subgroup. */
function outsideSubgroup(seed: bigint): bigint[] {
	const b = Fp2.fromBigTuple([
		19485874751759354771024239261021720505790618469301721065564631296452457478373n,
		266929791119991161246907387137283842545076965332900288569378510910307636690n,
	]);
	for (let c0 = seed; ; c0++) {
		const x = Fp2.fromBigTuple([c0, 3n]);
		try {
			const y = Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), b));
			return g2Of({ x, y });
		} catch {
			// Not the square of anything: the next one.
		}
	}
}

/** Coordinates at and around every limit. */
const EDGES = [
	0n,
	1n,
	2n,
	3n,
	BN128_FIELD_ORDER - 1n,
	BN128_FIELD_ORDER,
	BN128_FIELD_ORDER + 1n,
	BN128_FIELD_ORDER + 2n,
	MAX,
];
const SCALARS = [0n, 1n, 2n, ORDER - 1n, ORDER, ORDER + 1n, 2n * ORDER, BN128_FIELD_ORDER, MAX - 1n, MAX];

const answer = (bytes: Uint8Array | undefined): string => (bytes ? toHex(bytes) : "failed");

function pairing(of: Curve, pairs: readonly Uint8Array[]): string {
	const product = of.pairings();
	for (const pair of pairs) if (!product.multiply(pair)) return "failed";
	return String(product.isOne());
}

describe("the compiled curve", () => {
	let compiled: Curve;
	const random = seededRandom(5);
	const scalar = (): bigint => BigInt(random(2 ** 32)) * BigInt(random(2 ** 32)) + 1n;

	beforeAll(async () => {
		compiled = await loadCurve();
	});

	const same = (operation: "add" | "multiply", input: Uint8Array): string => {
		const ours = answer(compiled[operation](input));
		expect(ours, toHex(input)).toBe(answer(portableCurve[operation](input)));
		return ours;
	};

	it("is in use once it is loaded", () => {
		expect(compiled.name).toBe("compiled");
		expect(curve().name).toBe("compiled");
	});

	it("adds edge points as the portable one", () => {
		const points = [
			...EDGES.flatMap((x) => EDGES.map((y) => [x, y])),
			g1(1n),
			g1(ORDER - 1n),
			g1(7n),
			[1n, BN128_FIELD_ORDER + 2n],
		];
		let failures = 0;
		for (const a of points) {
			if (same("add", words(...a, ...g1(1n))) === "failed") failures++;
			same("add", words(...g1(3n), ...a));
			same("add", words(...a, ...a));
		}
		expect(failures).toBeGreaterThan(50);
		expect(failures).toBeLessThan(points.length);
	});

	it("adds random points as the portable one", () => {
		for (let i = 0; i < 60; i++) same("add", words(...g1(scalar()), ...g1(scalar())));
		for (let i = 0; i < 60; i++) {
			same("add", words(...g1(scalar()), Fp.create(scalar() * scalar()), Fp.create(scalar() * scalar())));
		}
	});

	it("multiplies as the portable one", () => {
		for (const point of [[0n, 0n], [1n, 3n], [BN128_FIELD_ORDER, 2n], g1(1n), g1(scalar()), g1(ORDER - 1n)]) {
			for (const k of SCALARS) same("multiply", words(...point, k));
		}
		for (let i = 0; i < 30; i++)
			same("multiply", words(...g1(scalar()), scalar() * scalar() * scalar() * scalar()));
	});

	it("pairs as the portable one", () => {
		const a = scalar();
		const b = scalar();
		const opposite = [a, BN128_FIELD_ORDER - (g1(a)[1] as bigint)];
		const cases: readonly (readonly (readonly bigint[])[])[] = [
			[],
			[[...g1(0n), ...g2(0n)]],
			[[...g1(0n), ...g2(1n)]],
			[[...g1(1n), ...g2(0n)]],
			[[...g1(1n), ...g2(1n)]],
			[
				[...g1(a), ...g2(b)],
				[...g1(ORDER - a), ...g2(b)],
			],
			[
				[...g1(a), ...g2(b)],
				[g1(a)[0] as bigint, opposite[1] as bigint, ...g2(b)],
			],
			[
				[...g1((a * b) % ORDER), ...g2(1n)],
				[...g1(ORDER - a), ...g2(b)],
			],
			[
				[...g1(a), ...g2(b)],
				[...g1(b), ...g2(a)],
				[...g1(ORDER - 2n), ...g2((a * b) % ORDER)],
			],
			[1n, 2n, 3n, 4n, 5n, 6n].map((k) => [...g1(k), ...g2(k)]),
		];
		const answers = cases.map((pairs) => {
			const bytes = pairs.map((pair) => words(...pair));
			const ours = pairing(compiled, bytes);
			expect(ours).toBe(pairing(portableCurve, bytes));
			return ours;
		});
		expect(answers.filter((each) => each === "true").length).toBe(8);
	});

	it("refuses what isn't in the second group as the portable one", () => {
		const good = g2(1n);
		const bad = [
			...[0, 1, 2, 3].flatMap((i) => EDGES.map((edge) => good.map((part, at) => (at === i ? edge : part)))),
			[good[1], good[0], good[3], good[2]] as bigint[],
			...[1n, 50n, 900n].map(outsideSubgroup),
			[0n, 0n, 0n, 1n],
		];
		for (const point of bad) {
			for (const first of [g1(1n), g1(0n)]) {
				const pair = words(...first, ...point);
				expect(pairing(compiled, [pair]), toHex(pair)).toBe("failed");
				expect(pairing(portableCurve, [pair])).toBe("failed");
			}
		}
		const offCurve = words(1n, 3n, ...good);
		expect(pairing(compiled, [offCurve])).toBe(pairing(portableCurve, [offCurve]));
	});
});
