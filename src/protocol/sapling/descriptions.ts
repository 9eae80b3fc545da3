/**
 * Spend and output descriptions with their proofs (protocol/shielded §10.1). The randomness of each value
 * commitment is kept until the binding signature is made.
 */

import { ReceiveDescription, SpendDescription } from "../messages.js";
import { checkLength, checkPosition, checkValue, ShieldedError } from "./failure.js";
import type { NotePath } from "./incremental-tree.js";
import { encodePoint, littleBytes, type Point, reduceScalar } from "./jubjub.js";
import { type Note, noteCommitment, nullifier } from "./note.js";
import { ephemeralKey, outgoingKey, sealNote, sealOutgoing } from "./note-encryption.js";
import { type Prover, ProvingError, type ProvingOptions } from "./prover.js";
import { nullifierKey } from "./shielded-keys.js";
import { DIVERSIFIER_SIZE, KEY_SIZE } from "./sizes.js";
import { randomizedKey } from "./spend-authorization.js";
import { valueCommitment } from "./value-commitment.js";

/** Source of unpredictable bytes. */
export type Randomness = (length: number) => Uint8Array;

/** Dependencies of the builders. */
export interface BuildingTools {
	readonly prover: Prover;
	readonly random: Randomness;
	readonly options?: ProvingOptions;
}

/** Keys that spend notes without authorizing the spend. */
export interface SpendingKeys {
	readonly ak: Uint8Array;
	readonly nsk: Uint8Array;
}

export interface NoteToSpend {
	readonly note: Note;
	/** Spend authorization randomness, a scalar. */
	readonly alpha: Uint8Array;
	/** Root of the tree that the path leads to. */
	readonly anchor: Uint8Array;
	readonly path: NotePath;
}

export interface NoteToSend {
	readonly note: Note;
	/** Truncated at 512 bytes. */
	readonly memo: Uint8Array;
}

/** Total value of notes. */
export const sumOf = (notes: readonly { readonly note: Pick<Note, "value"> }[]): bigint =>
	notes.reduce((total, { note }) => total + note.value, 0n);

/** A description with the opening of its value commitment. */
export interface Described<T> {
	readonly description: T;
	readonly commitment: Point;
	/** rcv. */
	readonly randomness: bigint;
}

const ABSENT_NULLIFIER = new Uint8Array(KEY_SIZE);

/** A random scalar. */
export const randomScalar = (random: Randomness): Uint8Array => littleBytes(reduceScalar(random(64)));

/** @throws {ShieldedError} for a part of the wrong length, or a negative value */
export function checkNote(note: Note): void {
	checkLength(note.diversifier, DIVERSIFIER_SIZE);
	checkLength(note.transmissionKey, KEY_SIZE);
	checkValue(note.value);
	checkLength(note.randomness, KEY_SIZE);
}

/**
 * Nullifier of a note; 32 zero bytes if the note or a key is invalid, as the network answers.
 * @throws {ShieldedError} for a part of the wrong length, or a negative position
 */
export function publishedNullifier(note: Note, ak: Uint8Array, nk: Uint8Array, position: bigint): Uint8Array {
	checkNote(note);
	checkLength(ak, KEY_SIZE);
	checkLength(nk, KEY_SIZE);
	checkPosition(position);
	return nullifier(note, ak, nk, position) ?? ABSENT_NULLIFIER;
}

/** @throws {ShieldedError} with this text if the witness is rejected; rethrows other proving errors */
async function proofOr(text: string, proof: Promise<Uint8Array>): Promise<Uint8Array> {
	try {
		return await proof;
	} catch (error) {
		if (error instanceof ProvingError && error.failure === "witness") throw new ShieldedError(text);
		throw error;
	}
}

/**
 * A spend without its authorization.
 * @throws {ShieldedError} if a part has the wrong length, or can't be proved
 * @throws {ProvingError}
 */
export async function describeSpend(
	{ prover, random, options }: BuildingTools,
	{ ak, nsk }: SpendingKeys,
	{ note, alpha, anchor, path }: NoteToSpend,
): Promise<Described<SpendDescription>> {
	checkNote(note);
	const cm = noteCommitment(note);
	checkLength(nsk, KEY_SIZE);
	const nf = publishedNullifier(note, ak, nullifierKey(nsk), path.position);
	if (!cm) throw new ShieldedError("Spend is invalid");
	checkLength(alpha, KEY_SIZE);
	checkLength(anchor, KEY_SIZE);
	const rcv = randomScalar(random);
	const { diversifier, randomness: rcm, value } = note;
	const witness = { ak, nsk, diversifier, rcm, alpha, value, anchor, rcv };
	const zkproof = await proofOr(
		"Spend proof failed",
		prover.spend({ ...witness, path: path.siblings, position: path.position }, options),
	);
	const rk = randomizedKey(ak, alpha);
	if (!rk) throw new ShieldedError("Spend proof failed");
	const commitment = valueCommitment(value, reduceScalar(rcv));
	return {
		description: SpendDescription.create({
			value_commitment: encodePoint(commitment),
			anchor,
			nullifier: nf,
			rk,
			zkproof,
		}),
		commitment,
		randomness: reduceScalar(rcv),
	};
}

/**
 * A new note.
 * @param ovk outgoing viewing key of the sender
 * @throws {ShieldedError} if a part has the wrong length, or can't be proved
 * @throws {ProvingError}
 */
export async function describeOutput(
	{ prover, random, options }: BuildingTools,
	ovk: Uint8Array,
	{ note, memo }: NoteToSend,
): Promise<Described<ReceiveDescription>> {
	checkNote(note);
	const cm = noteCommitment(note);
	if (!cm) throw new ShieldedError("Output is invalid");
	const esk = randomScalar(random);
	const rcv = randomScalar(random);
	const { diversifier, transmissionKey: pkD, randomness: rcm, value } = note;
	const epk = ephemeralKey(diversifier, esk);
	const forReceiver = sealNote(note, memo, esk);
	if (!epk || !forReceiver) throw new ShieldedError("Failed to encrypt note");
	const zkproof = await proofOr(
		"Output proof failed",
		prover.output({ esk, diversifier, pkD, rcm, value, rcv }, options),
	);
	if (ovk.length !== KEY_SIZE) {
		throw new ShieldedError("ovk is null or invalid and ovk should be 32 bytes (256 bit)");
	}
	const commitment = valueCommitment(value, reduceScalar(rcv));
	const cv = encodePoint(commitment);
	return {
		description: ReceiveDescription.create({
			value_commitment: cv,
			note_commitment: cm,
			epk,
			c_enc: forReceiver,
			c_out: sealOutgoing(outgoingKey(ovk, cv, cm, epk), pkD, esk),
			zkproof,
		}),
		commitment,
		randomness: reduceScalar(rcv),
	};
}
