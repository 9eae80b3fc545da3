/** Levels of the tree of notes between a leaf and the root (protocol/shielded §2). */
export const TREE_DEPTH = 32;
