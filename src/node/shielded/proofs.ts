/** What asks for shielded proofs, and what answers (protocol/shielded §6.3). */

/** A spend of a note; all parts are byte strings of fixed lengths. */
export interface SpendDescription {
	readonly nullifier: Uint8Array;
	readonly anchor: Uint8Array;
	readonly valueCommitment: Uint8Array;
	readonly randomizedKey: Uint8Array;
	/** 192 bytes; the authorization has 64, all others have 32. */
	readonly proof: Uint8Array;
	readonly authorization: Uint8Array;
}

/** A new note. */
export interface OutputDescription {
	readonly noteCommitment: Uint8Array;
	readonly valueCommitment: Uint8Array;
	readonly ephemeralKey: Uint8Array;
	readonly proof: Uint8Array;
}

/** The proof system. */
export interface ShieldedProofs {
	/**
	 * Whether all spends, outputs and the signature that binds them to a balance hold.
	 * @param valueBalance coins or tokens that leave the pool, negative if they enter
	 */
	verify(
		spends: readonly SpendDescription[],
		outputs: readonly OutputDescription[],
		valueBalance: bigint,
		bindingSignature: Uint8Array,
		signHash: Uint8Array,
	): boolean;
	/** Hash of two nodes of the tree of notes at a level, 32 bytes. */
	merkleHash(level: number, left: Uint8Array, right: Uint8Array): Uint8Array;
}

const NO_HASH = new Uint8Array(32);

/** Accepts every proof and hashes to zero: `node.fullNodeAllowShieldedTransaction` is false. */
export const unverifiedProofs: ShieldedProofs = {
	verify: () => true,
	merkleHash: () => NO_HASH,
};
