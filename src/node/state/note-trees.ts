/**
 * Note commitment trees of the chain's own shielded pool, as stored (protocol/shielded §4.3): the growing tree, that of the
 * last block, and one per root at the end of a block. The empty tree has no bytes and counts as absent.
 */

import { be64, EMPTY, equalBytes } from "../../protocol/bytes.js";
import { EMPTY_TREE_ROOT } from "../../protocol/sapling/sizes.js";
import type { StateView } from "./view.js";

const LAST = Buffer.from("LAST_TREE", "latin1");
const CURRENT = Buffer.from("CURRENT_TREE", "latin1");
/** The root that release 4.8.0 writes where shielded transactions are off. */
const NO_ROOT = new Uint8Array(32);

/** Hashes note trees; loaded only if there can be any. */
export interface NoteTreeHasher {
	/**
	 * Appends leaves to a tree. PERF: a leaf is up to 32 hashes, one on average.
	 * @throws {ShieldedError} if it is not sound, or full
	 */
	append(tree: Uint8Array, leaves: readonly Uint8Array[]): Uint8Array;
	/** PERF: 32 hashes. */
	root(tree: Uint8Array): Uint8Array;
}

/** Before a block's transactions: the growing tree starts as that of the last block. */
export function startNoteTree(state: StateView): void {
	state.merkleTree.put(CURRENT, state.merkleTree.get(LAST) ?? EMPTY);
}

/** Appends notes to the growing tree. @throws {ShieldedError} if the stored tree is not sound, or is full */
export function appendNotes(
	state: StateView,
	hasher: NoteTreeHasher,
	commitments: readonly Uint8Array[],
): void {
	state.merkleTree.put(CURRENT, hasher.append(state.merkleTree.get(CURRENT) ?? EMPTY, commitments));
}

/**
 * After a block's transactions: records its tree and root.
 * @param keepsRoots whether roots are written at all
 * @param hasher undefined: nothing can have let the tree grow
 */
export function recordNoteTree(
	state: StateView,
	number: bigint,
	keepsRoots: boolean,
	hasher: NoteTreeHasher | undefined,
): void {
	const bytes = state.merkleTree.get(CURRENT) ?? EMPTY;
	const root = keepsRoots ? rootOf(state, number, bytes, hasher) : NO_ROOT;
	state.merkleTree.put(LAST, bytes);
	state.merkleTree.put(root, bytes);
	state.treeBlockIndex.put(be64(number), root);
}

/** The root of a tree; if no transaction of this block changed it, the previous block's. */
function rootOf(
	state: StateView,
	number: bigint,
	bytes: Uint8Array,
	hasher: NoteTreeHasher | undefined,
): Uint8Array {
	if (bytes.length === 0) return EMPTY_TREE_ROOT;
	if (equalBytes(bytes, state.merkleTree.get(LAST) ?? EMPTY)) {
		const before = rootAfter(state, number - 1n);
		if (before && !equalBytes(before, NO_ROOT)) return before;
	}
	if (!hasher) throw new Error("a tree of notes has grown, and nothing is loaded that hashes it");
	return hasher.root(bytes);
}

/** The root at the end of a block; undefined for the genesis block and for blocks the node doesn't have. */
export const rootAfter = (state: StateView, number: bigint): Uint8Array | undefined =>
	state.treeBlockIndex.get(be64(number));

/** The encoded tree of a root at the end of a block; undefined for an unknown root, and for the empty tree's. */
export function treeOfRoot(state: StateView, root: Uint8Array): Uint8Array | undefined {
	const bytes = state.merkleTree.get(root);
	return bytes && bytes.length > 0 ? bytes : undefined;
}

/** Whether transactions of the chain may require shielded proofs, for its own pool or shielded token contracts. */
export const asksForProofs = ({ properties }: StateView): boolean =>
	properties.on("ALLOW_SHIELDED_ORC20_TRANSACTION") || properties.on("ALLOW_SHIELDED_TRANSACTION");

/** Whether a note was spent. */
export const isNullifierKnown = (state: StateView, nullifier: Uint8Array): boolean =>
	(state.nullifier.get(nullifier)?.length ?? 0) > 0;

export function putNullifier(state: StateView, nullifier: Uint8Array): void {
	state.nullifier.put(nullifier, nullifier);
}
