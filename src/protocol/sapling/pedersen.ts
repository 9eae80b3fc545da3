/**
 * The Pedersen hash of Sapling (protocol/shielded §6.2). A message is split into 3-bit chunks, 63 per
 * segment; chunk j of a segment, with bits a, b, c, encodes (1 + a + 2b) 16^j, negated if c is set; the hash
 * is the sum over segments of that number times the segment's generator.
 *
 * PERF: two chunks are one table lookup and point addition. A segment's table has 1,984 points and is built
 * on first use (about 30 ms). Additions are those of Hisil, Wong, Carter and Dawson ("Twisted Edwards Curves
 * Revisited", §3.1, with one point affine), which are complete on this curve.
 */

import { normalizeZ } from "@noble/curves/abstract/curve.js";
import { invert } from "@noble/curves/abstract/modular.js";
import { jubjub } from "@noble/curves/misc.js";
import { type Point, FIELD_ORDER as Q, segmentGenerator } from "./jubjub.js";

const CHUNK_BITS = 3;
const SEGMENT_CHUNKS = 63;
const PAIRS = (SEGMENT_CHUNKS - 1) / 2;
const PAIR_VALUES = 64;
const CHUNK_VALUES = 8;

const { d } = jubjub.Point.CURVE();
const TWO_D = (2n * d) % Q;

/** An affine point, precomputed for additions. */
interface Addend {
	/** y - x */
	readonly minus: bigint;
	/** y + x */
	readonly plus: bigint;
	/** 2d x y */
	readonly product: bigint;
}

/** Addends of a segment, by position and bits: for pairs of chunks, and for a single last one. */
interface Segment {
	readonly pairs: readonly Addend[];
	readonly singles: readonly Addend[];
}

const segments: Segment[] = [];

function segmentTable(index: number): Segment {
	segments[index] ??= makeSegment(segmentGenerator(index));
	return segments[index];
}

function makeSegment(generator: Point): Segment {
	const singles: Point[] = [];
	let power = generator;
	for (let place = 0; place < SEGMENT_CHUNKS; place++) {
		const double = power.double();
		const multiples = [power, double, double.add(power), double.double()];
		singles.push(...multiples, ...multiples.map((point) => point.negate()));
		power = double.double().double().double();
	}
	const pairs: Point[] = [];
	for (let pair = 0; pair < PAIRS; pair++) {
		for (let bits = 0; bits < PAIR_VALUES; bits++) {
			const first = singles[2 * pair * CHUNK_VALUES + (bits % CHUNK_VALUES)] as Point;
			const second = singles[(2 * pair + 1) * CHUNK_VALUES + Math.floor(bits / CHUNK_VALUES)] as Point;
			pairs.push(first.add(second));
		}
	}
	return { pairs: toAddends(pairs), singles: toAddends(singles) };
}

function toAddends(points: readonly Point[]): Addend[] {
	// All points derive from the library's own generators.
	return normalizeZ(jubjub.Point, [...points] as (typeof jubjub.Point.ZERO)[]).map(({ X, Y }) => ({
		minus: (Y - X + Q) % Q,
		plus: (Y + X) % Q,
		product: (((TWO_D * X) % Q) * Y) % Q,
	}));
}

/** A running sum in extended coordinates. Values may be negative; they are normalised at the end. */
class Sum {
	private x = 0n;
	private y = 1n;
	private z = 1n;
	private t = 0n;

	add({ minus, plus, product }: Addend): void {
		const a = ((this.y - this.x) * minus) % Q;
		const b = ((this.y + this.x) * plus) % Q;
		const c = (this.t * product) % Q;
		const e = b - a;
		const f = 2n * this.z - c;
		const g = 2n * this.z + c;
		const h = b + a;
		this.x = (e * f) % Q;
		this.y = (g * h) % Q;
		this.z = (f * g) % Q;
		this.t = (e * h) % Q;
	}

	affineX(): bigint {
		const x = (this.x * invert(this.z, Q)) % Q;
		return x < 0n ? x + Q : x;
	}

	toPoint(): Point {
		const inverse = invert(this.z, Q);
		const affine = (value: bigint) => (((value * inverse) % Q) + Q) % Q;
		return jubjub.Point.fromAffine({ x: affine(this.x), y: affine(this.y) });
	}
}

/** @param bits one bit per element, 0 or 1; missing bits of the last chunk are 0 */
function sumOf(bits: Uint8Array): Sum {
	const sum = new Sum();
	const chunks = Math.ceil(bits.length / CHUNK_BITS);
	const chunk = (index: number): number => {
		const at = index * CHUNK_BITS;
		return (bits[at] ?? 0) + 2 * (bits[at + 1] ?? 0) + 4 * (bits[at + 2] ?? 0);
	};
	for (let start = 0; start < chunks; start += SEGMENT_CHUNKS) {
		const { pairs, singles } = segmentTable(start / SEGMENT_CHUNKS);
		const count = Math.min(SEGMENT_CHUNKS, chunks - start);
		for (let place = 0; place + 1 < count; place += 2) {
			const value = chunk(start + place) + CHUNK_VALUES * chunk(start + place + 1);
			sum.add(pairs[(place / 2) * PAIR_VALUES + value] as Addend);
		}
		if (count % 2 === 1) {
			sum.add(singles[(count - 1) * CHUNK_VALUES + chunk(start + count - 1)] as Addend);
		}
	}
	return sum;
}

/** The hash as a point. */
export const pedersenPoint = (bits: Uint8Array): Point => sumOf(bits).toPoint();

/** The x-coordinate of the hash. */
export const pedersenX = (bits: Uint8Array): bigint => sumOf(bits).affineX();

/** Appends the lowest bits of bytes. @returns the new end of the list */
export function putBits(bits: Uint8Array, at: number, bytes: Uint8Array, count = 8 * bytes.length): number {
	for (let i = 0; i < count; i++) bits[at + i] = ((bytes[i >> 3] as number) >> (i & 7)) & 1;
	return at + count;
}
