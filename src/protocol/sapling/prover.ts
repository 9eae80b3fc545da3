/**
 * Interface of provers for shielded transfers (protocol/shielded §8.1). Encodings are the network's: scalars
 * and field elements are 32 bytes, little-endian and reduced; points 32 bytes.
 */

/** Witness of a spend proof. */
export interface SpendWitness {
	/** Authorization key, a point of prime order. */
	readonly ak: Uint8Array;
	/** Nullifier secret, a scalar. */
	readonly nsk: Uint8Array;
	/** Of the note's address, 11 bytes. The address key follows from it with `ak` and `nsk`. */
	readonly diversifier: Uint8Array;
	/** Randomness of the note commitment, a scalar. */
	readonly rcm: Uint8Array;
	/** Authorization randomness, a scalar: rk is ak + [alpha] of the spend generator. */
	readonly alpha: Uint8Array;
	/** Of the note, from 0 to 2^63 - 1. */
	readonly value: bigint;
	/** Root of the note tree, a field element. */
	readonly anchor: Uint8Array;
	/** 32 siblings, field elements, in the order of an encoded path: from below the root to the leaf. */
	readonly path: readonly Uint8Array[];
	/** Leaf index of the note's commitment, from 0 to 2^32 - 1. */
	readonly position: bigint;
	/** Randomness of the value commitment, a scalar: cv is [value] V + [rcv] R for two generators. */
	readonly rcv: Uint8Array;
}

/** Witness of an output proof. */
export interface OutputWitness {
	/** Ephemeral secret, a scalar: epk is [esk] of the diversifier's base point. */
	readonly esk: Uint8Array;
	/** 11 bytes. */
	readonly diversifier: Uint8Array;
	/** Key of the address, a point of prime order. */
	readonly pkD: Uint8Array;
	/** Randomness of the note commitment, a scalar. */
	readonly rcm: Uint8Array;
	/** From 0 to 2^63 - 1. */
	readonly value: bigint;
	/** Randomness of the value commitment, a scalar. */
	readonly rcv: Uint8Array;
}

/** Progress of a proof. */
export interface ProvingProgress {
	/** `queued`: waiting for other proofs; `parameters`: files are loaded, or made for a development chain. */
	readonly stage: "queued" | "parameters" | "proving";
	/** Fraction of the stage, from 0 to 1. */
	readonly share: number;
}

export interface ProvingOptions {
	/** Cancels the proof: the promise rejects with the signal's reason. */
	readonly signal?: AbortSignal;
	readonly onProgress?: (progress: ProvingProgress) => void;
}

/** Proofs have 192 bytes and were checked with the verifying key. */
export interface Prover {
	/** @throws {ProvingError} */
	spend(witness: SpendWitness, options?: ProvingOptions): Promise<Uint8Array>;
	/** @throws {ProvingError} */
	output(witness: OutputWitness, options?: ProvingOptions): Promise<Uint8Array>;
	/** Cancels running and queued proofs, rejecting their promises. */
	close(): Promise<void>;
}

/**
 * - `witness`: a part has no valid encoding, or parts contradict each other (path, anchor, value, keys);
 * - `parameters`: parameter files are missing, or not the expected ones;
 * - `busy`: the queue is full;
 * - `closed`: the prover has been closed;
 * - `failed`: the machine failed, e.g. out of memory.
 */
export type ProvingFailure = "witness" | "parameters" | "busy" | "closed" | "failed";

/** A proof failed. The message names parts of a witness, never their contents. */
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
