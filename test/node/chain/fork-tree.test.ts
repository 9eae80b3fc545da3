import { beforeEach, describe, expect, test } from "vitest";
import { ForkTree } from "../../../src/node/chain/fork-tree.js";
import {
	BadNumberBlockError,
	NonCommonBlockError,
	RuntimeRuleError,
	UnlinkedBlockError,
} from "../../../src/node/rules/errors.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { Block, BlockHeader, BlockHeaderRaw } from "../../../src/protocol/messages.js";
import { SLOT_MS } from "../../../src/protocol/timing.js";

/** A block on another; the mark tells brothers apart. */
function on(parent: SignedBlock | Uint8Array, number: bigint, mark = 0): SignedBlock {
	const raw = BlockHeaderRaw.create({
		number,
		parentHash: parent instanceof SignedBlock ? parent.id : parent,
		timestamp: BigInt(mark) * SLOT_MS,
	});
	return new SignedBlock(Block.create({ block_header: BlockHeader.create({ raw_data: raw }) }));
}

/** Blocks one on another. */
function chainOn(parent: SignedBlock, count: number, mark = 0): SignedBlock[] {
	const blocks: SignedBlock[] = [];
	for (let at = parent; blocks.length < count; ) {
		at = on(at, at.number + 1n, mark);
		blocks.push(at);
	}
	return blocks;
}

const ids = (blocks: readonly SignedBlock[]): string[] => blocks.map(({ idHex }) => idHex);

let tree: ForkTree;
let root: SignedBlock;
beforeEach(() => {
	tree = new ForkTree();
	root = on(new Uint8Array(32), 10n);
	tree.start(root);
});

/** Adds a block while the chain is the longest branch. */
const pushOne = (block: SignedBlock): SignedBlock =>
	tree.push(block, { headId: tree.head.id, finalizedNumber: tree.head.number });

function push(...blocks: readonly SignedBlock[]): void {
	for (const block of blocks) pushOne(block);
}

describe("the head of the tree", () => {
	test("is the first block of the greatest height", () => {
		const [a] = chainOn(root, 1, 1) as [SignedBlock];
		const [b, c] = chainOn(root, 2, 2) as [SignedBlock, SignedBlock];
		expect(pushOne(a).idHex).toBe(a.idHex);
		expect(pushOne(b).idHex).toBe(a.idHex);
		expect(pushOne(c).idHex).toBe(c.idHex);
	});

	test("after a removal is the first that remains there", () => {
		const [a, b] = [1, 2].map((mark) => on(root, 11n, mark)) as [SignedBlock, SignedBlock];
		push(a, b);
		tree.remove(a.id);
		expect(tree.head.idHex).toBe(b.idHex);
		tree.remove(b.id);
		expect(tree.head.idHex).toBe(root.idHex);
	});
});

describe("a block that doesn't fit", () => {
	test("is not kept while its parent is unknown, and joins when it is offered again", () => {
		const [parent, orphan] = chainOn(root, 2) as [SignedBlock, SignedBlock];
		expect(() => pushOne(orphan)).toThrow(UnlinkedBlockError);
		expect(tree.has(orphan.id)).toBe(false);
		push(parent);
		expect(tree.head.idHex).toBe(parent.idHex);
		expect(tree.has(orphan.id)).toBe(false);
		push(orphan);
		expect(tree.head.idHex).toBe(orphan.idHex);
	});

	test("by its number is told both numbers", () => {
		expect(() => pushOne(on(root, 12n))).toThrow(
			new BadNumberBlockError("parent number: 10 , block number: 12"),
		);
	});

	test("for a parent id of another length is a runtime error of the network's", () => {
		expect(() => pushOne(on(new Uint8Array(31), 11n))).toThrow(RuntimeRuleError);
	});
});

describe("two branches", () => {
	test("meet at their newest common block", () => {
		const [shared] = chainOn(root, 1) as [SignedBlock];
		const left = chainOn(shared, 2, 1);
		const right = chainOn(shared, 4, 2);
		push(shared, ...left, ...right);
		const { newBlocks, oldBlocks } = tree.branch((right[3] as SignedBlock).id, (left[1] as SignedBlock).id);
		expect(ids(newBlocks)).toEqual(ids([...right].reverse()));
		expect(ids(oldBlocks)).toEqual(ids([...left].reverse()));
	});

	test("of one line differ by its end alone", () => {
		const line = chainOn(root, 3);
		push(...line);
		const { newBlocks, oldBlocks } = tree.branch((line[2] as SignedBlock).id, root.id);
		expect(ids(newBlocks)).toEqual(ids([...line].reverse()));
		expect(oldBlocks).toEqual([]);
	});

	test("without a common block in the tree are refused", () => {
		const left = chainOn(root, 1, 1);
		const right = chainOn(root, 2, 2);
		push(...left, ...right);
		tree.remove(root.id);
		expect(() => tree.branch((right[1] as SignedBlock).id, (left[0] as SignedBlock).id)).toThrow(
			NonCommonBlockError,
		);
	});
});

describe("the capacity", () => {
	test("forgets heights far below the head when a new height comes", () => {
		tree.setCapacity(2n);
		const line = chainOn(root, 5);
		push(...line);
		const kept = [root, ...line].filter(({ id }) => tree.has(id));
		expect(kept.map(({ number }) => number)).toEqual([12n, 13n, 14n, 15n]);
	});

	test("forgets nothing for a brother of the head", () => {
		tree.setCapacity(2n);
		const line = chainOn(root, 3);
		push(...line);
		tree.setCapacity(0n);
		push(on(line[1] as SignedBlock, 13n, 7));
		expect(tree.has((line[0] as SignedBlock).id)).toBe(true);
	});
});

test("blocks above a height come parents first, brothers as they came", () => {
	const left = chainOn(root, 2, 1);
	const right = chainOn(root, 2, 2);
	push(left[0] as SignedBlock, right[0] as SignedBlock, right[1] as SignedBlock, left[1] as SignedBlock);
	expect(ids(tree.blocksAbove(10n))).toEqual(ids([left[0], right[0], right[1], left[1]] as SignedBlock[]));
	expect(ids(tree.blocksAbove(11n))).toEqual(ids([right[1], left[1]] as SignedBlock[]));
	expect(tree.blocksAbove(12n)).toEqual([]);
});

describe("what stands beside the chain", () => {
	const witness = new Uint8Array(21).fill(0x41);
	/** One of many blocks that a witness signed for one slot, of some size. */
	const twin = (parent: SignedBlock, salt: number, slot: bigint, bytes = 0, ms = 0n): SignedBlock => {
		const raw_data = BlockHeaderRaw.create({
			number: parent.number + 1n,
			parentHash: parent.id,
			timestamp: slot * SLOT_MS + ms,
			witness_address: witness,
			witness_id: BigInt(salt),
		});
		const witness_signature = new Uint8Array(bytes);
		return new SignedBlock(
			Block.create({ block_header: BlockHeader.create({ raw_data, witness_signature }) }),
		);
	};

	test("is bounded in blocks of one witness and slot: the oldest go, with what stands on them", () => {
		const [head] = chainOn(root, 1, 5) as [SignedBlock];
		push(head);
		const first = twin(root, 0, 9n);
		const child = on(first, 12n, 6);
		push(first, ...chainOn(head, 3, 5), child);
		const others = [1, 2, 3, 4, 5].map((salt) => twin(root, salt, 9n));
		push(...others);
		expect([first, child].map(({ id }) => tree.has(id))).toEqual([false, false]);
		expect(others.map(({ id }) => tree.has(id))).toEqual([false, true, true, true, true]);
		expect(tree.head.number).toBe(14n);
	});

	test("counts blocks of one slot as twins whatever their millisecond", () => {
		push(...chainOn(root, 3, 5));
		const others = [1, 2, 3, 4, 5, 6].map((salt) => twin(root, salt, 9n, 0, BigInt(salt)));
		push(...others);
		expect(others.map(({ id }) => tree.has(id))).toEqual([false, false, true, true, true, true]);
	});

	test("keeps the chain while the other branch passes it, however large both are", () => {
		const size = 2_000_000;
		const grow = (slot: bigint, count: number): SignedBlock[] => {
			const blocks: SignedBlock[] = [];
			for (let at = root; blocks.length < count; ) {
				at = twin(at, 0, slot + BigInt(blocks.length), size);
				blocks.push(at);
			}
			return blocks;
		};
		const [chain, longer] = [grow(100n, 20), grow(200n, 21)];
		push(...chain);
		const { id: headId } = chain.at(-1) as SignedBlock;
		for (const block of longer) tree.push(block, { headId, finalizedNumber: 10n });
		expect(tree.head.idHex).toBe(longer.at(-1)?.idHex);
		expect([...chain, ...longer].every(({ id }) => tree.has(id))).toBe(true);
	});

	test("is kept as far down as blocks can be undone", () => {
		tree.setCapacity(2n);
		for (const block of chainOn(root, 9, 5)) tree.push(block, { headId: tree.head.id, finalizedNumber: 13n });
		expect(tree.blocksAbove(0n)[0]?.number).toBe(13n);
	});

	test("is bounded in bytes, but for the branch that grows", () => {
		push(...chainOn(root, 40, 5));
		const size = 2_000_000;
		const old = Array.from({ length: 10 }, (_, at) => twin(root, at, BigInt(100 + at), size));
		push(...old);
		const branch: SignedBlock[] = [];
		for (let at = root; branch.length < 30; ) {
			at = twin(at, branch.length, BigInt(1000 + branch.length), size);
			branch.push(at);
			push(at);
		}
		expect(branch.every(({ id }) => tree.has(id))).toBe(true);
		expect(old.every(({ id }) => tree.has(id))).toBe(true);
		const another = Array.from({ length: 8 }, (_, at) => twin(root, at, BigInt(200 + at), size));
		push(...another);
		// 32 MiB beside the head's branch and the newest block: sixteen blocks of this size.
		expect([...old, ...branch, ...another].filter(({ id }) => tree.has(id)).length).toBeLessThanOrEqual(17);
		expect(tree.has((another.at(-1) as SignedBlock).id)).toBe(true);
	});
});
