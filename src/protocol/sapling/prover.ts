/**
 * What makes the proofs of shielded transfers (protocol/shielded §8.1). Byte strings are as the network has them: scalars and
 * field elements 32 bytes, lowest first and reduced; points 32 bytes.
 */

/** What proves that a note may be spent, without telling which. */
export interface SpendWitness {
	/** Authorization key, a point of prime order. */
	readonly ak: Uint8Array;
	/** Secret of the nullifier key, a scalar. */
	readonly nsk: Uint8Array;
	/** Of the note's address, 11 bytes. The address's key is not asked for: it follows from `ak`, `nsk` and this. */
	readonly diversifier: Uint8Array;
	/** Randomness of the note's commitment, a scalar. */
	readonly rcm: Uint8Array;
	/** Randomness of the authorization: rk is ak + [alpha] of the spend generator. A scalar. */
	readonly alpha: Uint8Array;
	/** Of the note, from 0 to 2^63 - 1. */
	readonly value: bigint;
	/** Root of the tree of notes, a field element. */
	readonly anchor: Uint8Array;
	/** 32 siblings, field elements, in the order of an encoded path: first the one below the root, last the leaf's. */
	readonly path: readonly Uint8Array[];
	/** Of the note's commitment among the leaves, from 0 to 2^32 - 1. */
	readonly position: bigint;
	/** Randomness of the commitment to the value, a scalar: cv is [value] of the value generator + [rcv] of the other. */
	readonly rcv: Uint8Array;
}

/** What proves that a new note is well formed, without telling what it holds. */
export interface OutputWitness {
	/** Secret of the ephemeral key: epk is [esk] of the diversifier's base point. A scalar. */
	readonly esk: Uint8Array;
	/** 11 bytes. */
	readonly diversifier: Uint8Array;
	/** Key of the address, a point of prime order. */
	readonly pkD: Uint8Array;
	/** Randomness of the note's commitment, a scalar. */
	readonly rcm: Uint8Array;
	/** From 0 to 2^63 - 1. */
	readonly value: bigint;
	/** Randomness of the commitment to the value, a scalar. */
	readonly rcv: Uint8Array;
}

/** How far a proof is. */
export interface ProvingProgress {
	/** `queued`: others are made first; `parameters`: files are read and checked, or made for a development chain. */
	readonly stage: "queued" | "parameters" | "proving";
	/** Of the stage, from 0 to 1. */
	readonly share: number;
}

export interface ProvingOptions {
	/** Gives the proof up: the promise is rejected with the signal's reason. */
	readonly signal?: AbortSignal;
	readonly onProgress?: (progress: ProvingProgress) => void;
}

/** A proof has 192 bytes. What is made has been checked with the verifying key. */
export interface Prover {
	/** @throws {ProvingError} */
	spend(witness: SpendWitness, options?: ProvingOptions): Promise<Uint8Array>;
	/** @throws {ProvingError} */
	output(witness: OutputWitness, options?: ProvingOptions): Promise<Uint8Array>;
	/** Ends what runs and waits, with errors for those who asked. */
	close(): Promise<void>;
}

/**
 * - `witness`: a part has no valid encoding, or the parts contradict each other (path, anchor, value, keys);
 * - `parameters`: the files of parameters are missing, or not those that are expected;
 * - `busy`: as many proofs wait as may;
 * - `closed`: the prover has been closed;
 * - `failed`: the machine, as by lack of memory.
 */
export type ProvingFailure = "witness" | "parameters" | "busy" | "closed" | "failed";

/** Why there is not a proof. The message names parts of a witness, never their contents. */
export class ProvingError extends Error {
	override readonly name = "ProvingError";

	constructor(
		readonly failure: ProvingFailure,
		message: string,
		options?: ErrorOptions,
	) {
		super(message, options);
	}
}
