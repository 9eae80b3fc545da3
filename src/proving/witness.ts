/** Encodes witnesses for the compiled module: all parts in sequence, paths from the leaf upwards. */

import { concatBytes } from "../protocol/bytes.js";
import { littleBytes } from "../protocol/sapling/jubjub.js";
import { type OutputWitness, ProvingError, type SpendWitness } from "../protocol/sapling/prover.js";
import { TREE_DEPTH } from "../protocol/sapling/sizes.js";

const DIVERSIFIER_BYTES = 11;
const FIELD = 32;
const VALUE_END = 2n ** 63n;
const POSITION_END = 2n ** BigInt(TREE_DEPTH);

/** @throws {ProvingError} if a part doesn't have its length or range */
export function spendWitnessBytes(witness: SpendWitness): Uint8Array {
	const { path, position } = witness;
	if (path.length !== TREE_DEPTH) {
		throw invalidPart("path", `has ${path.length} siblings, and the tree ${TREE_DEPTH} levels`);
	}
	if (position < 0n || position >= POSITION_END) throw invalidPart("position", "is not below 2^32");
	return concatBytes(
		sized("ak", witness.ak),
		sized("nsk", witness.nsk),
		sized("diversifier", witness.diversifier, DIVERSIFIER_BYTES),
		sized("rcm", witness.rcm),
		sized("alpha", witness.alpha),
		valueBytes(witness.value),
		sized("anchor", witness.anchor),
		...path.map((sibling) => sized("path", sibling)).reverse(),
		littleBytes(position, 8),
		sized("rcv", witness.rcv),
	);
}

/** @throws {ProvingError} if a part doesn't have its length or range */
export function outputWitnessBytes(witness: OutputWitness): Uint8Array {
	return concatBytes(
		sized("esk", witness.esk),
		sized("diversifier", witness.diversifier, DIVERSIFIER_BYTES),
		sized("pkD", witness.pkD),
		sized("rcm", witness.rcm),
		valueBytes(witness.value),
		sized("rcv", witness.rcv),
	);
}

function sized(part: string, bytes: Uint8Array, length = FIELD): Uint8Array {
	if (bytes.length !== length) throw invalidPart(part, `has ${bytes.length} bytes instead of ${length}`);
	return bytes;
}

function valueBytes(value: bigint): Uint8Array {
	if (value < 0n || value >= VALUE_END) throw invalidPart("value", "is not between 0 and 2^63 - 1");
	return littleBytes(value, 8);
}

const invalidPart = (part: string, problem: string) =>
	new ProvingError("witness", `the witness can't be proved: ${part} ${problem}`);

/** Meaning of the compiled module's failure codes (`Invalid` in `crates/sapling-prover/src/witness.rs`). */
const REFUSALS: ReadonlyMap<number, readonly [part: string, problem: string]> = new Map([
	[2, ["ak", "is not a point of prime order"]],
	[3, ["nsk", "is not a reduced scalar"]],
	[4, ["diversifier", "has no base point"]],
	[5, ["rcm", "is not a reduced scalar"]],
	[6, ["alpha", "is not a reduced scalar"]],
	[7, ["anchor", "is not a reduced field element"]],
	[8, ["path", "has a sibling that is not a reduced field element"]],
	[9, ["position", "is not below 2^32"]],
	[10, ["rcv", "is not a reduced scalar"]],
	[11, ["esk", "is not a reduced scalar"]],
	[12, ["pkD", "is not a point of prime order"]],
]);

/** The error for a failure code of the compiled module. */
export function witnessError(number: number): ProvingError {
	const refusal = REFUSALS.get(number);
	if (refusal) return invalidPart(...refusal);
	return new ProvingError("witness", "the witness can't be proved: its parts don't belong together");
}
