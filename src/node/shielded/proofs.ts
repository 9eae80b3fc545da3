/** What asks for shielded proofs, and what answers (protocol/shielded §6.3). */

/** A spend of a note; all parts are byte strings, those of other lengths than theirs never hold. */
export interface ShieldedSpend {
	readonly nullifier: Uint8Array;
	readonly anchor: Uint8Array;
	readonly valueCommitment: Uint8Array;
	readonly randomizedKey: Uint8Array;
	/** 192 bytes; the authorization has 64, all others have 32. */
	readonly proof: Uint8Array;
	readonly authorization: Uint8Array;
}

/** A new note. */
export interface ShieldedOutput {
	readonly noteCommitment: Uint8Array;
	readonly valueCommitment: Uint8Array;
	readonly ephemeralKey: Uint8Array;
	readonly proof: Uint8Array;
}

/** What binds the values of spends and outputs. */
export interface BindingBalance {
	/** Commitments to the values of all spends, and of all outputs. */
	readonly spent: readonly Uint8Array[];
	readonly created: readonly Uint8Array[];
	/** Coins or tokens that leave the pool, negative if they enter. */
	readonly value: bigint;
	/** 64 bytes. */
	readonly signature: Uint8Array;
}

/** The proof system. */
export interface ShieldedProofs {
	/** Whether a spend holds: its parts, authorization and proof. @param signHash 32 bytes */
	holdsSpend(spend: ShieldedSpend, signHash: Uint8Array): boolean;
	holdsOutput(output: ShieldedOutput): boolean;
	/** Whether values make the balance that is signed. */
	holdsBalance(balance: BindingBalance, signHash: Uint8Array): boolean;
	/** Hash of two nodes of the tree of notes at a level, 32 bytes. */
	merkleHash(level: number, left: Uint8Array, right: Uint8Array): Uint8Array;
}

/** Whether all parts of a transaction hold. The balance comes first: it costs a tenth of a proof. */
export function holdsTransfer(
	proofs: ShieldedProofs,
	spends: readonly ShieldedSpend[],
	outputs: readonly ShieldedOutput[],
	value: bigint,
	signature: Uint8Array,
	signHash: Uint8Array,
): boolean {
	const spent = spends.map(({ valueCommitment }) => valueCommitment);
	const created = outputs.map(({ valueCommitment }) => valueCommitment);
	return (
		proofs.holdsBalance({ spent, created, value, signature }, signHash) &&
		spends.every((spend) => proofs.holdsSpend(spend, signHash)) &&
		outputs.every((output) => proofs.holdsOutput(output))
	);
}

const NO_HASH = new Uint8Array(32);

/** Accepts every proof and hashes to zero: `node.fullNodeAllowShieldedTransaction` is false. */
export const unverifiedProofs: ShieldedProofs = {
	holdsSpend: () => true,
	holdsOutput: () => true,
	holdsBalance: () => true,
	merkleHash: () => NO_HASH,
};
