/**
 * Fork choice: the blocks of recent branches, in memory (protocol/blocks §4.5). A block whose parent isn't here is refused
 * and not kept: it can't be validated, and must be offered again anyway once its parent is linked.
 *
 * A witness should sign one block per slot, but nothing stops it from signing more. So side branches are bounded, in blocks
 * per witness and slot and in bytes. If a bound is exceeded, branches are dropped, oldest first, except the chain and the
 * branch that just grew: the longest branch can always be completed and switched to.
 */

import type { SignedBlock } from "../../protocol/block.js";
import { equalBytes, toKey } from "../../protocol/bytes.js";
import { SLOT_MS } from "../../protocol/timing.js";
import {
	BadNumberBlockError,
	NonCommonBlockError,
	RuntimeRuleError,
	UnlinkedBlockError,
} from "../rules/errors.js";

/** Heights kept before the first solidified block is known. */
const INITIAL_CAPACITY = 1024n;

/** Blocks from the head down that stay decoded, since they are queried most. */
const WHOLE_BLOCKS = 2;

/** Blocks per witness and slot: the chain's, plus as many as a faulty witness may sign beside it. */
const MAX_BLOCKS_A_SLOT = 4;

/** Serialized size in bytes of all blocks outside the chain and the branch of the newest block. */
const MAX_SIDE_BYTES = 32 << 20;

/** Blocks by id and height, in order of arrival. */
class BlockSet {
	private readonly byId = new Map<string, SignedBlock>();
	private readonly byNumber = new Map<bigint, SignedBlock[]>();
	/** Serialized size of all blocks. */
	bytes = 0;

	/** Number of blocks, and of heights with at least one. */
	get counts(): { readonly blocks: number; readonly heights: number } {
		return { blocks: this.byId.size, heights: this.byNumber.size };
	}

	values(): IterableIterator<SignedBlock> {
		return this.byId.values();
	}

	get(id: Uint8Array): SignedBlock | undefined {
		return this.byId.get(toKey(id));
	}

	/** @param lowest heights below it are forgotten when the block brings a new height */
	insert(block: SignedBlock, lowest: bigint): void {
		const number = block.number;
		const key = toKey(block.id);
		if (this.byId.has(key)) return;
		this.byId.set(key, block);
		this.bytes += block.bytes.length;
		const row = this.byNumber.get(number);
		if (row) {
			row.push(block);
			return;
		}
		this.byNumber.set(number, [block]);
		for (const height of this.byNumber.keys()) {
			if (height >= lowest) continue;
			for (const old of this.byNumber.get(height) ?? []) {
				this.byId.delete(toKey(old.id));
				this.bytes -= old.bytes.length;
			}
			this.byNumber.delete(height);
		}
	}

	remove(id: Uint8Array): void {
		const block = this.get(id);
		if (!block) return;
		this.byId.delete(toKey(id));
		this.bytes -= block.bytes.length;
		const row = (this.byNumber.get(block.number) ?? []).filter((other) => other !== block);
		if (row.length > 0) this.byNumber.set(block.number, row);
		else this.byNumber.delete(block.number);
	}

	/** The first block of the greatest height. */
	tip(): SignedBlock | undefined {
		let best: SignedBlock | undefined;
		for (const [number, row] of this.byNumber) if (!best || number > best.number) best = row[0];
		return best;
	}

	at(number: bigint): readonly SignedBlock[] {
		return this.byNumber.get(number) ?? [];
	}

	/** Every block above a height, lowest first. */
	above(number: bigint): SignedBlock[] {
		const heights = [...this.byNumber.keys()].filter((height) => height > number);
		heights.sort((a, b) => (a < b ? -1 : 1));
		return heights.flatMap((height) => this.byNumber.get(height) ?? []);
	}
}

/** Which part of the tree is the chain. */
interface ChainPart {
	readonly headId: Uint8Array;
	/** The last block that can't be undone. */
	readonly finalizedNumber: bigint;
}

export class ForkTree {
	private linked = new BlockSet();
	private headBlock: SignedBlock | undefined;
	private capacity = INITIAL_CAPACITY;

	/** Starts with the stored head alone. */
	start(block: SignedBlock): void {
		this.linked = new BlockSet();
		this.linked.insert(block, 0n);
		this.headBlock = block;
	}

	/** How many heights below the tip are kept. */
	setCapacity(capacity: bigint): void {
		this.capacity = capacity;
	}

	get head(): SignedBlock {
		return this.headBlock as SignedBlock;
	}

	has(id: Uint8Array): boolean {
		return this.linked.get(id) !== undefined;
	}

	/** A block of any branch that is still kept. */
	block(id: Uint8Array): SignedBlock | undefined {
		return this.linked.get(id);
	}

	/**
	 * Drops the decoded transactions of a block some way below a new head. PERF: they are most of the memory of
	 * blocks that can still be undone, and are rarely queried again.
	 */
	forgetContentsBelow(head: SignedBlock): void {
		let block: SignedBlock | undefined = head;
		for (let i = 0; i < WHOLE_BLOCKS && block; i++) block = this.linked.get(block.parentId);
		block?.forgetContents();
	}

	/** Blocks above a height, parents before children. */
	blocksAbove(number: bigint): readonly SignedBlock[] {
		return this.linked.above(number);
	}

	/**
	 * Adds a block.
	 * @param chain its blocks stay, from the last one on that can't be undone
	 * @returns the block that is now the tip of the longest branch
	 * @throws {UnlinkedBlockError | BadNumberBlockError | RuntimeRuleError}
	 */
	push(block: SignedBlock, chain: ChainPart): SignedBlock {
		if (block.parentId.length !== 32) throw new RuntimeRuleError("IllegalArgumentException", "null");
		const parent = this.linked.get(block.parentId);
		if (!parent) throw new UnlinkedBlockError("null");
		if (block.number !== parent.number + 1n) {
			throw new BadNumberBlockError(`parent number: ${parent.number} , block number: ${block.number}`);
		}
		const lowest = this.head.number - this.capacity;
		this.linked.insert(block, lowest < chain.finalizedNumber ? lowest : chain.finalizedNumber);
		this.bound(block, chain.headId);
		if (!this.headBlock || block.number > this.headBlock.number) this.headBlock = block;
		return this.head;
	}

	/** PERF: walks both branches, only where there are several blocks of a height. */
	private bound(newest: SignedBlock, headId: Uint8Array): void {
		const { blocks, heights } = this.linked.counts;
		if (blocks === heights) return;
		const kept = new Set([...this.ancestry(newest), ...this.ancestry(this.linked.get(headId))]);
		const side = [...this.linked.values()].filter((block) => !kept.has(block));
		// Only for slots that may be used at any of their milliseconds.
		const isTwin = ({ timestampMs, witness }: SignedBlock): boolean =>
			timestampMs - newest.timestampMs < SLOT_MS &&
			newest.timestampMs - timestampMs < SLOT_MS &&
			equalBytes(witness, newest.witness);
		const twins = [...this.linked.values()].filter(isTwin).length;
		if (twins > MAX_BLOCKS_A_SLOT) this.dropWithChildren(side.find(isTwin));
		let sideBytes = side.reduce((sum, { bytes }) => sum + bytes.length, 0);
		for (const block of side) {
			if (sideBytes <= MAX_SIDE_BYTES) return;
			if (!this.linked.get(block.id)) continue;
			sideBytes -= this.dropWithChildren(block);
		}
	}

	/** The chain block a branch forks from, and the branch's blocks up to a given one, lowest first; undefined: not kept. */
	branchBelow(
		id: Uint8Array,
		isOnChain: (block: SignedBlock) => boolean,
	): { readonly parent: SignedBlock; readonly branch: readonly SignedBlock[] } | undefined {
		const branch: SignedBlock[] = [];
		for (const block of this.ancestry(this.linked.get(id))) {
			if (isOnChain(block)) return { parent: block, branch: branch.reverse() };
			branch.push(block);
		}
		return undefined;
	}

	/** A block with its ancestors, as far as they are kept. */
	private *ancestry(block: SignedBlock | undefined): Generator<SignedBlock> {
		for (let at = block; at; at = this.linked.get(at.parentId)) yield at;
	}

	/** Removes a block and its descendants. @returns their bytes */
	private dropWithChildren(block: SignedBlock | undefined): number {
		if (!block) return 0;
		const before = this.linked.bytes;
		for (const child of this.linked.at(block.number + 1n)) {
			if (equalBytes(child.parentId, block.id)) this.dropWithChildren(child);
		}
		this.linked.remove(block.id);
		return before - this.linked.bytes;
	}

	/** Removes a block; the head becomes the first block of the greatest remaining height. */
	remove(id: Uint8Array): void {
		this.linked.remove(id);
		this.headBlock = this.linked.tip();
	}

	/** Makes the parent of the head the head: the head was reverted. */
	pop(): void {
		const parent = this.linked.get(this.head.parentId);
		if (!parent) throw new Error("the fork tree has no block below its head");
		this.headBlock = parent;
	}

	/** Makes a block the head, e.g. after an abandoned reorg. */
	setHead(id: Uint8Array): void {
		const block = this.linked.get(id);
		if (!block) throw new Error("the new head is not in the fork tree");
		this.headBlock = block;
	}

	/**
	 * The blocks above the common ancestor of two tips, newest first.
	 * @throws {NonCommonBlockError} if the ancestor is no longer kept
	 */
	branch(newTip: Uint8Array, oldTip: Uint8Array): { newBlocks: SignedBlock[]; oldBlocks: SignedBlock[] } {
		let a = this.linked.get(newTip);
		let b = this.linked.get(oldTip);
		const newBlocks: SignedBlock[] = [];
		const oldBlocks: SignedBlock[] = [];
		while (a && b && a !== b) {
			if (a.number >= b.number) {
				newBlocks.push(a);
				a = this.linked.get(a.parentId);
			} else {
				oldBlocks.push(b);
				b = this.linked.get(b.parentId);
			}
		}
		if (!a || !b) throw new NonCommonBlockError("common block not found in the fork tree");
		return { newBlocks, oldBlocks };
	}
}
