/**
 * The chain, as the peer network sees it. `node-chain.ts` gives it over the node's chain; simulations may give a
 * smaller one.
 */

import type { SignedBlock } from "../../protocol/block.js";
import type { PQAuthSig } from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { HeaderVerdict } from "../consensus/announced-block.js";

/** A block's id and height. */
export interface BlockRef {
	/** 32 bytes; the first eight are the number. */
	readonly id: Uint8Array;
	readonly number: bigint;
}

/** How a pushed block ended. `failed` leaves no trace. */
export type PushResult =
	/** It is part of the chain or of a kept branch now, or was before. */
	| { readonly kind: "accepted"; readonly isNew: boolean }
	/** Its parent is not known. */
	| { readonly kind: "unlinked" }
	/** Its witness signature, a transaction signature or its Merkle root is wrong: its sender made it so. */
	| { readonly kind: "forged"; readonly message: string }
	/** It breaks a rule of the network; or its branch leaves the chain below what is final here, which is nobody's fault. */
	| { readonly kind: "failed"; readonly message: string; readonly isLostBranch?: boolean };

/** How a transaction from the network ended. */
export type TransactionResult =
	/** In the pool; `served` is what is passed on, with the result of our execution. */
	| { readonly kind: "accepted"; readonly served: SignedTransaction }
	/** The sender should have known better (protocol/peers §8.3): not one contract, or code that can't be. */
	| { readonly kind: "forbidden"; readonly message: string }
	/** No longer or not yet good here; no peer's fault. */
	| { readonly kind: "refused"; readonly message: string };

export interface LocalChain {
	readonly genesis: BlockRef;
	readonly head: BlockRef;
	/** Latest solidified block; genesis at first. */
	readonly solid: BlockRef;
	readonly solidTimestampMs: bigint;
	/** Lowest stored block above genesis if this node began from a snapshot; 0 if it has all. */
	readonly lowestNumber: bigint;
	/** Lowest height at which a branch may still leave the chain. */
	readonly lowestForkPoint: bigint;
	/** Id of the main chain's block of a height. */
	idAt(number: bigint): Uint8Array | undefined;
	/** Whether a block is part of the main chain. */
	isOnChain(id: Uint8Array): boolean;
	/** Whether a block is on the main chain or on a branch that is linked to it. */
	isKnown(id: Uint8Array): boolean;
	/**
	 * The branch that ends in a known block off the main chain, lowest first, without the common ancestor; empty for a
	 * block of the main chain; undefined if it isn't linked.
	 */
	branchTo(id: Uint8Array): readonly BlockRef[] | undefined;
	block(id: Uint8Array): SignedBlock | undefined;
	transaction(id: Uint8Array): SignedTransaction | undefined;
	/** Begins checking signatures on other threads; resolves when a push will not have to wait for them. */
	prepare(block: SignedBlock): Promise<void>;
	/** Offers a block. Synchronous: the chain is as before or as after. @throws {Error} only if the node can't go on */
	push(block: SignedBlock): PushResult;
	/** Judges the header of an announced block by itself. */
	announcedHeader(block: SignedBlock): HeaderVerdict;
	/** Why the form of a transaction's signatures is not taken, in the words for peers; undefined: it is. */
	signatureFormRefusal(transaction: SignedTransaction): string | undefined;
	/** Whether it pays to prepare a transaction: it has shielded proofs or signatures that take long, and other threads can check them. */
	needsPreparing(transaction: SignedTransaction): boolean;
	/** Begins checking these on other threads; undefined if there is nothing to wait for. It rejects where too much waits already. */
	prepareTransaction(transaction: SignedTransaction): Promise<void> | undefined;
	submit(transaction: SignedTransaction): TransactionResult;
	/** Pending and waiting transactions. */
	readonly queuedTransactions: number;
	/** Whether the pool takes up as much memory as it may. */
	readonly isPoolFull: boolean;
	/** Time of the next slot, milliseconds: transactions that expire before it are not taken. */
	readonly nextSlotMs: bigint;
	/** Whether the schema's filter is on (protocol/peers §6.2, chain parameter 24). */
	readonly filtersUnknownFields: boolean;
	/** Chain parameter 40. */
	readonly allowPbft: boolean;
	/** Addresses of the witnesses that produce in this cycle, in their order, and in the one before. */
	readonly activeWitnesses: readonly Uint8Array[];
	readonly formerWitnesses: readonly Uint8Array[];
	readonly nextMaintenanceMs: bigint;
	readonly maintenanceIntervalMs: bigint;
	/** Address that signs for a witness: its permission's, where accounts may have one (protocol/peers §5.3). */
	signerOf(witness: Uint8Array): Uint8Array;
	/** Whether the key that signs for a witness made a post-quantum signature of an allowed scheme. @param hash 32 bytes */
	isSignedByWitness(witness: Uint8Array, hash: Uint8Array, entry: Readonly<PQAuthSig>): boolean;
	/** Stored signatures of a confirmed block or cycle (`BLOCK<number>`, `SRL<epoch>`), encoded PBFTCommitResult. */
	commit(key: string): Uint8Array | undefined;
	storeCommit(key: string, value: Uint8Array): void;
	/** A block was confirmed by the votes of witnesses: what the PBFT servers show. */
	confirmBlock?(number: bigint): void;
	/** Called after each block that became part of the chain, with whether it came with a reorg. */
	observe(committed: (block: SignedBlock, inReorg: boolean) => void): () => void;
}
