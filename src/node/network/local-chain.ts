/**
 * The chain as the peer network sees it. `node-chain.ts` implements it for the node's chain; simulations may
 * provide a simpler one.
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

/** The result of pushing a block. `failed` leaves no trace. */
export type PushResult =
	/** It is now part of the chain or of a kept branch, or already was. */
	| { readonly kind: "accepted"; readonly isNew: boolean }
	/** Its parent is not known. */
	| { readonly kind: "unlinked" }
	/** Its witness signature, a transaction signature or its Merkle root is wrong, which its sender should have noticed. */
	| { readonly kind: "forged"; readonly message: string }
	/** It breaks a network rule; or its branch forks below our finalized block, which isn't the peer's fault. */
	| { readonly kind: "failed"; readonly message: string; readonly isLostBranch?: boolean };

/** The result of a transaction from the network. */
export type TransactionResult =
	/** In the pool; `served` is relayed, with the result of our execution. */
	| { readonly kind: "accepted"; readonly served: SignedTransaction }
	/** The sender should have known better (protocol/peers §8.3): not exactly one contract, or impossible code. */
	| { readonly kind: "forbidden"; readonly message: string }
	/** No longer valid here, or not yet; not the peer's fault. */
	| { readonly kind: "refused"; readonly message: string };

export interface LocalChain {
	readonly genesis: BlockRef;
	readonly head: BlockRef;
	/** Latest solidified block; genesis at first. */
	readonly solid: BlockRef;
	readonly solidTimestampMs: bigint;
	/** Lowest stored block above genesis if this node started from a snapshot; 0 if it has all. */
	readonly lowestNumber: bigint;
	/** Lowest height from which a branch may still fork off. */
	readonly lowestForkPoint: bigint;
	/** Id of the main chain's block at a height. */
	idAt(number: bigint): Uint8Array | undefined;
	/** Whether a block is part of the main chain. */
	isOnChain(id: Uint8Array): boolean;
	/** Whether a block is on the main chain or on a branch linked to it. */
	isKnown(id: Uint8Array): boolean;
	/**
	 * The branch ending in a known block off the main chain, lowest first, without the common ancestor; empty
	 * for a block of the main chain; undefined if not linked.
	 */
	branchTo(id: Uint8Array): readonly BlockRef[] | undefined;
	block(id: Uint8Array): SignedBlock | undefined;
	transaction(id: Uint8Array): SignedTransaction | undefined;
	/** Starts checking signatures on other threads; resolves when a push won't have to wait for them. */
	prepare(block: SignedBlock): Promise<void>;
	/**
	 * Pushes a block. Synchronous: the chain is in the state before or after.
	 * @throws {Error} only if the node can't go on
	 */
	push(block: SignedBlock): PushResult;
	/** Validates the header of an announced block by itself. */
	announcedHeader(block: SignedBlock): HeaderVerdict;
	/** Why a transaction's signatures are malformed, worded for peers; undefined if they aren't. */
	signatureFormRefusal(transaction: SignedTransaction): string | undefined;
	/** Whether preparing a transaction pays off: other threads can check its shielded proofs or slow signatures. */
	needsPreparing(transaction: SignedTransaction): boolean;
	/** Starts checking these on other threads; undefined if there is nothing to await. Rejects if too many are queued. */
	prepareTransaction(transaction: SignedTransaction): Promise<void> | undefined;
	submit(transaction: SignedTransaction): TransactionResult;
	/** Pending and waiting transactions. */
	readonly queuedTransactions: number;
	/** Whether the pool's memory budget is used up. */
	readonly isPoolFull: boolean;
	/** Time of the next slot, milliseconds: transactions that expire before it are refused. */
	readonly nextSlotMs: bigint;
	/** Whether the schema's filter is on (protocol/peers §6.2, chain parameter 24). */
	readonly filtersUnknownFields: boolean;
	/** Chain parameter 40. */
	readonly allowPbft: boolean;
	/** Addresses of the current cycle's active witnesses, in order; and those of the previous cycle. */
	readonly activeWitnesses: readonly Uint8Array[];
	readonly formerWitnesses: readonly Uint8Array[];
	readonly nextMaintenanceMs: bigint;
	readonly maintenanceIntervalMs: bigint;
	/** Address that signs for a witness: its witness permission's, if permissions are enabled (protocol/peers §5.3). */
	signerOf(witness: Uint8Array): Uint8Array;
	/**
	 * Whether the key signing for a witness made this post-quantum signature, with an allowed scheme.
	 * @param hash 32 bytes
	 */
	isSignedByWitness(witness: Uint8Array, hash: Uint8Array, entry: Readonly<PQAuthSig>): boolean;
	/** Stored signatures of a confirmed block or cycle (`BLOCK<number>`, `SRL<epoch>`), encoded PBFTCommitResult. */
	commit(key: string): Uint8Array | undefined;
	storeCommit(key: string, value: Uint8Array): void;
	/** Called for a block confirmed by witness votes: what the PBFT servers show. */
	confirmBlock?(number: bigint): void;
	/** Called after each block that joins the chain, with whether it came with a reorg. */
	observe(committed: (block: SignedBlock, inReorg: boolean) => void): () => void;
}
