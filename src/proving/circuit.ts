/** The two circuits, and the layout of their parameter files (protocol/shielded §6.4 and §8.2). */

import { COORDINATE } from "../protocol/bls12-381.js";
import { readBe32 } from "../protocol/bytes.js";

/** Sizes of uncompressed points. */
export const G1_BYTES = 2 * COORDINATE;
export const G2_BYTES = 4 * COORDINATE;
const COUNT_BYTES = 4;

/** The point lists that a proof's sums are computed over, in file order. */
export type PointList = "h" | "l" | "a" | "b1" | "b2";
export const POINT_LISTS: readonly PointList[] = ["h", "l", "a", "b1", "b2"];

/** Bytes per point of a list. */
export const pointBytes = (list: PointList): number => (list === "b2" ? G2_BYTES : G1_BYTES);

export interface Circuit {
	readonly name: "spend" | "output";
	/** The circuit's number in the compiled module. */
	readonly number: number;
	/** Number of public inputs plus one, for the constant one. */
	readonly inputs: number;
	/** Number of points in each list. */
	readonly points: Readonly<Record<PointList, number>>;
}

export const SPEND: Circuit = {
	name: "spend",
	number: 0,
	inputs: 8,
	points: { h: 131_071, l: 98_638, a: 85_390, b1: 61_300, b2: 61_300 },
};

export const OUTPUT: Circuit = {
	name: "output",
	number: 1,
	inputs: 6,
	points: { h: 8_191, l: 7_821, a: 6_298, b1: 4_850, b2: 4_850 },
};

/** Length of the verifying key before its point list. */
export const KEY_HEAD = 3 * G1_BYTES + 3 * G2_BYTES;

/** Length of the verifying key at the start of a file. */
export const keyBytes = ({ inputs }: Circuit): number => KEY_HEAD + COUNT_BYTES + inputs * G1_BYTES;

/** Offset of a list's first point, which follows its count. */
export function listOffset(circuit: Circuit, list: PointList): number {
	let offset = keyBytes(circuit);
	for (const other of POINT_LISTS) {
		offset += COUNT_BYTES;
		if (other === list) break;
		offset += circuit.points[other] * pointBytes(other);
	}
	return offset;
}

/** Offsets of all counts in a file, with their expected values. */
export function countsOf(circuit: Circuit): readonly { readonly offset: number; readonly count: number }[] {
	return [
		{ offset: KEY_HEAD, count: circuit.inputs },
		...POINT_LISTS.map((list) => ({
			offset: listOffset(circuit, list) - COUNT_BYTES,
			count: circuit.points[list],
		})),
	];
}

/** Length of a file without its record of contributions. */
export const listsEnd = (circuit: Circuit): number =>
	listOffset(circuit, "b2") + circuit.points.b2 * G2_BYTES;

/** @param at reads 4 bytes of the file. @returns whether all lists have the circuit's lengths */
export const hasLists = (circuit: Circuit, at: (offset: number) => Uint8Array): boolean =>
	countsOf(circuit).every(({ offset, count }) => readBe32(at(offset), 0) === count);
