/** The public inputs of a proof, calculated from its witness without the circuit (protocol/shielded §6.3). */

import { concatBytes } from "../protocol/bytes.js";
import {
	decodePoint,
	littleBytes,
	multiplySecret,
	type Point,
	readLittle,
	spendGenerator,
} from "../protocol/sapling/jubjub.js";
import { noteCommitment, nullifier, nullifierInputs } from "../protocol/sapling/note.js";
import type { OutputWitness, SpendWitness } from "../protocol/sapling/prover.js";
import {
	diversifiedBase,
	incomingViewingKey,
	nullifierKey,
	transmissionKey,
} from "../protocol/sapling/shielded-keys.js";
import { valueCommitment } from "../protocol/sapling/value-commitment.js";

/** @returns field elements of 32 bytes, lowest first; undefined if a part of the witness is not valid */
export function spendInputs(witness: SpendWitness): Uint8Array | undefined {
	const { ak, diversifier, value, rcm } = witness;
	const nk = nullifierKey(witness.nsk);
	const pkD = transmissionKey(incomingViewingKey(ak, nk), diversifier);
	const akPoint = decodePoint(ak);
	if (!pkD || !akPoint) return undefined;
	const note = { diversifier, transmissionKey: pkD, value, randomness: rcm };
	const nf = nullifier(note, ak, nk, witness.position);
	if (!nf) return undefined;
	const rk = akPoint.add(multiplySecret(spendGenerator(), readLittle(witness.alpha)));
	return concatBytes(
		...coordinates(rk),
		...coordinates(valueCommitment(value, readLittle(witness.rcv))),
		witness.anchor,
		...nullifierInputs(nf).map((input) => littleBytes(input)),
	);
}

/** @returns as {@link spendInputs} */
export function outputInputs(witness: OutputWitness): Uint8Array | undefined {
	const { diversifier, value, rcm } = witness;
	const cm = noteCommitment({ diversifier, transmissionKey: witness.pkD, value, randomness: rcm });
	const base = diversifiedBase(diversifier);
	if (!cm || !base) return undefined;
	return concatBytes(
		...coordinates(valueCommitment(value, readLittle(witness.rcv))),
		...coordinates(multiplySecret(base, readLittle(witness.esk))),
		cm,
	);
}

function coordinates(point: Point): [x: Uint8Array, y: Uint8Array] {
	const { x, y } = point.toAffine();
	return [littleBytes(x), littleBytes(y)];
}
