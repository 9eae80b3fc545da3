/** What is fixed about the tree of notes, without what calculates in it (protocol/shielded §6.2). */

import { fromHex } from "../bytes.js";

/** Levels of the tree of notes between a leaf and the root. */
export const TREE_DEPTH = 32;

/** Of the tree without a note. */
export const EMPTY_TREE_ROOT = fromHex("fbc2f4300c01f0b7820d00e3347c8da4ee614674376cbc45359daa54f9b5493e");
