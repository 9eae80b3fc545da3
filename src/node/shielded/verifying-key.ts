/**
 * Groth16 verifying keys, in the format at the beginning of parameter files (protocol/shielded §6.4): α and β
 * in the first group, β and γ in the second, δ in both, then the number of points for public inputs and those
 * points. All points are uncompressed.
 */

import { bls12_381 } from "@noble/curves/bls12-381.js";
import { readBe32 } from "../../protocol/bytes.js";

const G1 = 96;
const G2 = 192;
const HEAD = 3 * G1 + 3 * G2;

/** Points are compressed: 48 bytes in the first group, 96 in the second. */
export interface VerifyingKey {
	readonly alpha: Uint8Array;
	readonly beta: Uint8Array;
	readonly gamma: Uint8Array;
	readonly delta: Uint8Array;
	/** One more point than there are public inputs. */
	readonly inputs: readonly Uint8Array[];
}

/** The bytes are not a verifying key. */
export class VerifyingKeyError extends Error {}

/** Length in bytes of a key with that many public inputs. */
export const verifyingKeyLength = (inputs: number): number => HEAD + 4 + G1 * (inputs + 1);

/**
 * @param bytes a parameter file, or its beginning
 * @param inputs number of the circuit's public inputs
 * @throws {VerifyingKeyError}
 */
export function readVerifyingKey(bytes: Uint8Array, inputs: number): VerifyingKey {
	const length = verifyingKeyLength(inputs);
	if (bytes.length < length) {
		throw new VerifyingKeyError(`a verifying key has ${length} bytes, and there are ${bytes.length}`);
	}
	const count = readBe32(bytes, HEAD);
	if (count !== inputs + 1) {
		throw new VerifyingKeyError(`the key is for ${count - 1} public inputs, and the circuit has ${inputs}`);
	}
	const first = (offset: number) => readPoint(bls12_381.G1.Point, bytes.subarray(offset, offset + G1));
	const second = (offset: number) => readPoint(bls12_381.G2.Point, bytes.subarray(offset, offset + G2));
	return {
		alpha: first(0),
		beta: second(2 * G1),
		gamma: second(2 * G1 + G2),
		delta: second(3 * G1 + 2 * G2),
		inputs: Array.from({ length: count }, (_, i) => first(HEAD + 4 + G1 * i)),
	};
}

interface Group {
	fromBytes(bytes: Uint8Array): {
		is0(): boolean;
		isTorsionFree(): boolean;
		toBytes(isCompressed: boolean): Uint8Array;
	};
}

/** @returns the point compressed */
function readPoint(group: Group, bytes: Uint8Array): Uint8Array {
	try {
		const point = group.fromBytes(bytes);
		if (!point.is0() && point.isTorsionFree()) return point.toBytes(true);
	} catch {
		// Reported below.
	}
	throw new VerifyingKeyError("a point of the key is not in its group");
}
