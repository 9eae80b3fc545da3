/**
 * The incremental tree of note commitments (protocol/shielded §9): of completed subtrees, only nodes still
 * needed are kept. Values are the network's messages and immutable; every operation returns a new one.
 * *Present* is a node with content: one that moved up a level leaves an empty message behind.
 */

import { concatBytes } from "../bytes.js";
import { IncrementalMerkleTree, IncrementalMerkleVoucher, PedersenHash } from "../messages.js";
import { ShieldedError } from "./failure.js";
import { littleBytes } from "./jubjub.js";
import { pedersenX, putBits } from "./pedersen.js";
import { TREE_DEPTH } from "./sizes.js";

// Hashes of the tree of note commitments (protocol/shielded §6.2).

const LEVEL_BITS = 6;
const NODE_BITS = 255;

/**
 * Parent of two nodes. Their highest bits are ignored; values above the field are not reduced.
 * @param level of the two nodes, from 0 (leaves) to 62
 * @param left 32 bytes, like right
 */
export function noteTreeHash(level: number, left: Uint8Array, right: Uint8Array): Uint8Array {
	const bits = new Uint8Array(LEVEL_BITS + 2 * NODE_BITS);
	let at = putBits(bits, 0, Uint8Array.of(level), LEVEL_BITS);
	at = putBits(bits, at, left, NODE_BITS);
	putBits(bits, at, right, NODE_BITS);
	return littleBytes(pedersenX(bits));
}

/** Value of an unused leaf. */
const EMPTY_LEAF = littleBytes(1n);

const emptyRoots: Uint8Array[] = [EMPTY_LEAF];

/** Root of an empty tree of that height. @param level from 0 to 32 */
export function emptyNoteRoot(level: number): Uint8Array {
	for (let below = emptyRoots.length - 1; below < level; below++) {
		const root = emptyRoots[below] as Uint8Array;
		emptyRoots.push(noteTreeHash(below, root, root));
	}
	return emptyRoots[level] as Uint8Array;
}

export type NoteTree = Readonly<IncrementalMerkleTree>;
/** A witness in the Sapling sense: the tree ending with the note's leaf, and the subtrees appended since. */
export type NoteVoucher = Readonly<IncrementalMerkleVoucher>;

/** Merkle path of a leaf. */
export interface NotePath {
	/** 32 siblings, the one just below the root first. */
	readonly siblings: readonly Uint8Array[];
	readonly position: bigint;
}

/** Maximum level hashed by the network's library; voucher depths are untrusted. */
const HIGHEST_LEVEL = 62;

export const EMPTY_NOTE_TREE: NoteTree = IncrementalMerkleTree.create();

const node = (content: Uint8Array): PedersenHash => PedersenHash.create({ content });
const contentOf = (hash: Readonly<PedersenHash> | undefined): Uint8Array | undefined =>
	hash && hash.content.length > 0 ? hash.content : undefined;

/** Nodes for empty positions: known ones first, then roots of empty trees. */
function filler(known: readonly Uint8Array[]): (level: number) => Uint8Array {
	let next = 0;
	return (level) => known[next++] ?? emptyNoteRoot(level);
}

/** @param depth height of the whole tree @throws {ShieldedError} if the tree is full */
export function appendLeaf(tree: NoteTree, leaf: Uint8Array, depth = TREE_DEPTH): NoteTree {
	if (isComplete(tree, depth)) throw new ShieldedError("tree is full");
	const left = contentOf(tree.left);
	const right = contentOf(tree.right);
	if (!left) return IncrementalMerkleTree.create({ ...tree, left: node(leaf) });
	if (!right) return IncrementalMerkleTree.create({ ...tree, right: node(leaf) });
	let carried: Uint8Array = noteTreeHash(0, left, right);
	const parents = [...tree.parents];
	for (let i = 0; i < depth; i++) {
		const parent = contentOf(parents[i]);
		if (!parent) {
			parents[i] = node(carried);
			break;
		}
		carried = noteTreeHash(i + 1, parent, carried);
		parents[i] = PedersenHash.create();
	}
	return IncrementalMerkleTree.create({ ...tree, left: node(leaf), right: undefined, parents });
}

/** Number of leaves, wrapped to 32 bits like the network's counter. */
export function treeSize(tree: NoteTree): number {
	let size = (contentOf(tree.left) ? 1 : 0) + (contentOf(tree.right) ? 1 : 0);
	for (const [i, parent] of tree.parents.entries()) if (contentOf(parent)) size = (size + (2 << i)) | 0;
	return size;
}

function isComplete(tree: NoteTree, depth: number): boolean {
	return (
		contentOf(tree.left) !== undefined &&
		contentOf(tree.right) !== undefined &&
		tree.parents.length === depth - 1 &&
		tree.parents.every((parent) => contentOf(parent))
	);
}

/**
 * @param known right siblings of the last leaf's path that are no longer empty
 * @throws {ShieldedError} if the depth is more than the network's library hashes
 */
export function treeRoot(tree: NoteTree, depth = TREE_DEPTH, known: readonly Uint8Array[] = []): Uint8Array {
	const fill = filler(known);
	let root = noteTreeHash(0, contentOf(tree.left) ?? fill(0), contentOf(tree.right) ?? fill(0));
	for (let level = 1; level < depth; level++) {
		if (level > HIGHEST_LEVEL) throw new ShieldedError("Merkle tree depth must be smaller than 63");
		const parent = contentOf(tree.parents[level - 1]);
		root = parent ? noteTreeHash(level, parent, root) : noteTreeHash(level, root, fill(level));
	}
	return root;
}

/** @throws {ShieldedError} if the tree is inconsistent */
export function checkTree(tree: NoteTree): void {
	const { parents } = tree;
	if (parents.length >= TREE_DEPTH) throw new ShieldedError("tree has too many parents");
	if (parents.length > 0 && !contentOf(parents.at(-1))) {
		throw new ShieldedError("tree has non-canonical representation of parent");
	}
	if (contentOf(tree.left)) return;
	if (contentOf(tree.right)) {
		throw new ShieldedError("tree has non-canonical representation; right should not exist");
	}
	if (parents.length > 0) {
		throw new ShieldedError("tree has non-canonical representation; parents should be empty");
	}
}

/** Level of the next empty sibling on the last leaf's path, after `filled` ones. */
function nextDepth(tree: NoteTree, filled: number): number {
	let skip = filled;
	for (const leaf of [tree.left, tree.right]) {
		if (contentOf(leaf)) continue;
		if (skip === 0) return 0;
		skip--;
	}
	for (const [i, parent] of tree.parents.entries()) {
		if (contentOf(parent)) continue;
		if (skip === 0) return i + 1;
		skip--;
	}
	return tree.parents.length + 1 + skip;
}

/** @param tree with the note as its last leaf */
export const issueVoucher = (tree: NoteTree): NoteVoucher => IncrementalMerkleVoucher.create({ tree });

const treeOf = (voucher: NoteVoucher): NoteTree => voucher.tree ?? EMPTY_NOTE_TREE;

function isEmpty(tree: NoteTree | undefined): boolean {
	return !tree || (!contentOf(tree.left) && !contentOf(tree.right) && tree.parents.length === 0);
}

/** Appends the next leaf of the whole tree. @throws {ShieldedError} if the tree is full */
export function appendToVoucher(voucher: NoteVoucher, leaf: Uint8Array): NoteVoucher {
	const { filled, cursor } = voucher;
	if (cursor && !isEmpty(cursor)) {
		const depth = Number(voucher.cursor_depth);
		const grown = appendLeaf(cursor, leaf, depth);
		if (!isComplete(grown, depth)) return IncrementalMerkleVoucher.create({ ...voucher, cursor: grown });
		return IncrementalMerkleVoucher.create({
			...voucher,
			filled: [...filled, node(treeRoot(grown, depth))],
			cursor: undefined,
		});
	}
	const depth = nextDepth(treeOf(voucher), filled.length);
	if (depth >= TREE_DEPTH) throw new ShieldedError("tree is full");
	const next = { ...voucher, cursor_depth: BigInt(depth) };
	if (depth === 0) return IncrementalMerkleVoucher.create({ ...next, filled: [...filled, node(leaf)] });
	return IncrementalMerkleVoucher.create({ ...next, cursor: appendLeaf(EMPTY_NOTE_TREE, leaf, depth) });
}

function knownBeside({ filled, cursor, cursor_depth }: NoteVoucher): Uint8Array[] {
	const known = filled.map(({ content }) => content);
	if (cursor && !isEmpty(cursor)) known.push(treeRoot(cursor, Number(cursor_depth)));
	return known;
}

/** Root of the whole tree, up to the last appended leaf. */
export const voucherRoot = (voucher: NoteVoucher): Uint8Array =>
	treeRoot(treeOf(voucher), TREE_DEPTH, knownBeside(voucher));

/** Position of the note; -1 if the voucher is empty. */
export const voucherPosition = (voucher: NoteVoucher): bigint => BigInt(treeSize(treeOf(voucher)) - 1);

/** @throws {ShieldedError} if the voucher is empty */
export function voucherPath(voucher: NoteVoucher): NotePath {
	const tree = treeOf(voucher);
	if (!contentOf(tree.left)) {
		throw new ShieldedError("can't create an authentication path for the beginning of the tree");
	}
	const fill = filler(knownBeside(voucher));
	const siblings = [contentOf(tree.right) ? (contentOf(tree.left) as Uint8Array) : fill(0)];
	for (let level = 1; level < TREE_DEPTH; level++) {
		siblings.push(contentOf(tree.parents[level - 1]) ?? fill(level));
	}
	return { siblings: siblings.reverse(), position: voucherPosition(voucher) };
}

const NODE = 32;
const LENGTH_BYTE = Uint8Array.of(NODE);

/** 1065 bytes: the node count, each node prefixed with its length, and the little-endian position. */
export const encodePath = ({ siblings, position }: NotePath): Uint8Array =>
	concatBytes(
		Uint8Array.of(TREE_DEPTH),
		...siblings.flatMap((sibling) => [LENGTH_BYTE, sibling]),
		littleBytes(position, 8),
	);

/** Stored note trees: encoded messages; no bytes encode the empty tree (protocol/shielded §9). */
export const encodedTrees = {
	/** @throws {ShieldedError} if the tree is inconsistent or full */
	append(bytes: Uint8Array, leaves: readonly Uint8Array[]): Uint8Array {
		let tree: NoteTree = IncrementalMerkleTree.decode(bytes);
		checkTree(tree);
		for (const leaf of leaves) tree = appendLeaf(tree, leaf);
		return IncrementalMerkleTree.encode(tree);
	},

	root: (bytes: Uint8Array): Uint8Array => treeRoot(IncrementalMerkleTree.decode(bytes)),
};
