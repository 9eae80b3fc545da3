/** Interface between users and implementations of the shielded proof system (protocol/shielded §6.3). */

/** A spend of a note. All parts are byte strings; one of the wrong length makes it invalid. */
export interface ShieldedSpend {
	readonly nullifier: Uint8Array;
	readonly anchor: Uint8Array;
	readonly valueCommitment: Uint8Array;
	readonly randomizedKey: Uint8Array;
	/** 192 bytes; the authorization has 64, all other parts 32. */
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

/** The values of spends and outputs, and the signature that binds them. */
export interface BindingBalance {
	/** Value commitments of all spends, and of all outputs. */
	readonly spent: readonly Uint8Array[];
	readonly created: readonly Uint8Array[];
	/** Value that leaves the pool, negative if it enters; in coins or tokens. */
	readonly value: bigint;
	/** 64 bytes. */
	readonly signature: Uint8Array;
}

/** The proof system. */
export interface ShieldedProofs {
	/** Whether a spend's parts, authorization and proof are valid. @param signHash 32 bytes */
	holdsSpend(spend: ShieldedSpend, signHash: Uint8Array): boolean;
	holdsOutput(output: ShieldedOutput): boolean;
	/** Whether the values balance and the binding signature is valid. */
	holdsBalance(balance: BindingBalance, signHash: Uint8Array): boolean;
	/** Hash of two nodes of the note tree at a level, 32 bytes. */
	merkleHash(level: number, left: Uint8Array, right: Uint8Array): Uint8Array;
}

/** Whether all parts of a transfer are valid. Checks the balance first: it costs a tenth of a proof. */
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
