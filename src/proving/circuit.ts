/** The two circuits, and where their files of parameters have what (protocol/shielded §6.4 and §8.2). */

import { COORDINATE } from "../protocol/bls12-381.js";
import { readBe32 } from "../protocol/bytes.js";

/** Uncompressed points. */
export const G1_BYTES = 2 * COORDINATE;
export const G2_BYTES = 4 * COORDINATE;
const COUNT_BYTES = 4;

/** The lists of points that a proof's sums are made of, in the order of the file. */
export type PointList = "h" | "l" | "a" | "b1" | "b2";
export const POINT_LISTS: readonly PointList[] = ["h", "l", "a", "b1", "b2"];

/** Bytes of a point of a list. */
export const pointBytes = (list: PointList): number => (list === "b2" ? G2_BYTES : G1_BYTES);

export interface Circuit {
	readonly name: "spend" | "output";
	/** As the compiled module counts. */
	readonly number: number;
	/** Public inputs and the one before them. */
	readonly inputs: number;
	/** How many points each list has. */
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

/** Bytes of the verifying key before its list of points. */
export const KEY_HEAD = 3 * G1_BYTES + 3 * G2_BYTES;

/** Bytes of the verifying key, with which a file begins. */
export const keyBytes = ({ inputs }: Circuit): number => KEY_HEAD + COUNT_BYTES + inputs * G1_BYTES;

/** Offset of the first point of a list; its count stands before it. */
export function listOffset(circuit: Circuit, list: PointList): number {
	let offset = keyBytes(circuit);
	for (const other of POINT_LISTS) {
		offset += COUNT_BYTES;
		if (other === list) break;
		offset += circuit.points[other] * pointBytes(other);
	}
	return offset;
}

/** Where a file states a count, and the count that belongs there. */
export function countsOf(circuit: Circuit): readonly { readonly offset: number; readonly count: number }[] {
	return [
		{ offset: KEY_HEAD, count: circuit.inputs },
		...POINT_LISTS.map((list) => ({
			offset: listOffset(circuit, list) - COUNT_BYTES,
			count: circuit.points[list],
		})),
	];
}

/** Bytes of a file without the record of its contributions. */
export const listsEnd = (circuit: Circuit): number =>
	listOffset(circuit, "b2") + circuit.points.b2 * G2_BYTES;

/** @param at reads 4 bytes of the file. @returns whether all lists have the lengths of the circuit's */
export const hasLists = (circuit: Circuit, at: (offset: number) => Uint8Array): boolean =>
	countsOf(circuit).every(({ offset, count }) => readBe32(at(offset), 0) === count);
