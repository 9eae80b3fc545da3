import { expect, test } from "vitest";
import { toHex } from "../../../src/protocol/bytes.js";
import {
	IncrementalMerkleTree,
	IncrementalMerkleVoucher,
	PedersenHash,
} from "../../../src/protocol/messages.js";
import {
	appendLeaf,
	appendToVoucher,
	checkTree,
	EMPTY_NOTE_TREE,
	emptyNoteRoot,
	encodePath,
	issueVoucher,
	type NoteTree,
	type NoteVoucher,
	noteTreeHash,
	treeRoot,
	treeSize,
	voucherPath,
	voucherPosition,
	voucherRoot,
} from "../../../src/protocol/sapling/incremental-tree.js";
import { littleBytes } from "../../../src/protocol/sapling/jubjub.js";

const leaf = (index: number): Uint8Array => littleBytes(BigInt(1000 + index));
const DEPTH = 4;

/** The root of a whole tree, hashed level by level. */
function plainRoot(count: number, depth: number): Uint8Array {
	let nodes = Array.from({ length: count }, (_, i) => leaf(i));
	for (let level = 0; level < depth; level++) {
		const next: Uint8Array[] = [];
		for (let i = 0; i < Math.max(nodes.length, 1); i += 2) {
			const empty = emptyNoteRoot(level);
			next.push(noteTreeHash(level, nodes[i] ?? empty, nodes[i + 1] ?? empty));
		}
		nodes = next;
	}
	return nodes[0] as Uint8Array;
}

function grow(count: number, depth?: number): NoteTree {
	let tree = EMPTY_NOTE_TREE;
	for (let i = 0; i < count; i++) tree = appendLeaf(tree, leaf(i), depth);
	return tree;
}

/** Where a path leads from a leaf. */
function rootOf(start: Uint8Array, { siblings, position }: ReturnType<typeof voucherPath>): Uint8Array {
	return siblings
		.toReversed()
		.reduce<Uint8Array>(
			(node, sibling, level) =>
				(position >> BigInt(level)) & 1n
					? noteTreeHash(level, sibling, node)
					: noteTreeHash(level, node, sibling),
			start,
		);
}

test("roots are those of the whole tree, until it is full", () => {
	for (let count = 0; count <= 2 ** DEPTH; count++) {
		const tree = grow(count, DEPTH);
		expect(toHex(treeRoot(tree, DEPTH)), `${count} leaves`).toBe(toHex(plainRoot(count, DEPTH)));
		expect(treeSize(tree)).toBe(count);
		expect(() => checkTree(tree)).not.toThrow();
	}
	expect(() => appendLeaf(grow(16, DEPTH), leaf(16), DEPTH)).toThrow("tree is full");
});

test("the root of the empty tree is the network's, and its message has no bytes", () => {
	expect(toHex(treeRoot(EMPTY_NOTE_TREE))).toBe(
		"fbc2f4300c01f0b7820d00e3347c8da4ee614674376cbc45359daa54f9b5493e",
	);
	expect(IncrementalMerkleTree.encode(EMPTY_NOTE_TREE)).toHaveLength(0);
});

test("vouchers of all notes lead to the root while the tree grows", () => {
	let tree = EMPTY_NOTE_TREE;
	let vouchers: NoteVoucher[] = [];
	for (let i = 0; i < 11; i++) {
		tree = appendLeaf(tree, leaf(i));
		vouchers = [...vouchers.map((voucher) => appendToVoucher(voucher, leaf(i))), issueVoucher(tree)];
		const root = toHex(treeRoot(tree));
		for (const [j, voucher] of vouchers.entries()) {
			expect(voucherPosition(voucher)).toBe(BigInt(j));
			expect(toHex(voucherRoot(voucher)), `note ${j} of ${i + 1}`).toBe(root);
			if (i % 5 === 0) expect(toHex(rootOf(leaf(j), voucherPath(voucher)))).toBe(root);
		}
	}
});

test("a path has 1065 bytes, its top first", () => {
	const path = voucherPath(issueVoucher(grow(3)));
	const bytes = encodePath(path);
	expect(bytes).toHaveLength(1065);
	expect(toHex(bytes.subarray(0, 2))).toBe("2020");
	expect(toHex(bytes.subarray(2, 34))).toBe(toHex(emptyNoteRoot(31)));
	expect(toHex(bytes.subarray(-8))).toBe("0200000000000000");
});

test("an empty voucher has the position -1 and no path", () => {
	const voucher = IncrementalMerkleVoucher.create();
	expect(voucherPosition(voucher)).toBe(-1n);
	expect(() => voucherPath(voucher)).toThrow(
		"can't create an authentication path for the beginning of the tree",
	);
});

test.each([
	[{ parents: Array(32).fill(PedersenHash.create({ content: leaf(0) })) }, "tree has too many parents"],
	[{ parents: [PedersenHash.create()] }, "tree has non-canonical representation of parent"],
	[
		{ right: PedersenHash.create({ content: leaf(0) }) },
		"tree has non-canonical representation; right should not exist",
	],
	[
		{ parents: [PedersenHash.create({ content: leaf(0) })] },
		"tree has non-canonical representation; parents should be empty",
	],
])("a tree whose parts don't belong together is refused", (parts, message) => {
	expect(() => checkTree(IncrementalMerkleTree.create(parts))).toThrow(message);
});

test("a voucher from outside can't ask for more levels than there are hashes", () => {
	const voucher = IncrementalMerkleVoucher.create({
		tree: grow(1),
		cursor: grow(1),
		cursor_depth: 2n ** 62n,
	});
	expect(() => voucherRoot(voucher)).toThrow("Merkle tree depth must be smaller than 63");
});
