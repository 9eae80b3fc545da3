/** Trees of notes as they are stored: encoded messages, of no bytes for the empty tree (protocol/shielded §9). */

import { IncrementalMerkleTree } from "../messages.js";
import { appendLeaf, checkTree, type NoteTree, treeRoot } from "./incremental-tree.js";

export const encodedTrees = {
	/** @throws {ShieldedError} if the tree is not sound, or full */
	append(bytes: Uint8Array, leaves: readonly Uint8Array[]): Uint8Array {
		let tree: NoteTree = IncrementalMerkleTree.decode(bytes);
		checkTree(tree);
		for (const leaf of leaves) tree = appendLeaf(tree, leaf);
		return IncrementalMerkleTree.encode(tree);
	},

	root: (bytes: Uint8Array): Uint8Array => treeRoot(IncrementalMerkleTree.decode(bytes)),
};
