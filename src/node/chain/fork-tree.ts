/** The blocks of the last branches, in memory (sheet 02 §5.6). */

import type { SignedBlock } from "../../protocol/block.js";
import { toKey } from "../../protocol/bytes.js";
import {
	BadNumberBlockError,
	NonCommonBlockError,
	RuntimeRuleError,
	UnlinkedBlockError,
} from "../rules/errors.js";

/** Heights kept before the first solidified block is known. */
const INITIAL_CAPACITY = 1024n;

/** Blocks by id and height; one set for those that connect to the chain, one for orphans. */
class BlockSet {
	private readonly byId = new Map<string, SignedBlock>();
	private readonly byNumber = new Map<bigint, SignedBlock[]>();

	get(id: Uint8Array): SignedBlock | undefined {
		return this.byId.get(toKey(id));
	}

	/** @param lowest heights below it are forgotten when the block brings a new height */
	insert(block: SignedBlock, lowest: bigint): void {
		const number = block.number;
		this.byId.set(toKey(block.id), block);
		const row = this.byNumber.get(number);
		if (row) {
			row.push(block);
			return;
		}
		this.byNumber.set(number, [block]);
		for (const height of this.byNumber.keys()) {
			if (height >= lowest) continue;
			for (const old of this.byNumber.get(height) ?? []) this.byId.delete(toKey(old.id));
			this.byNumber.delete(height);
		}
	}

	remove(id: Uint8Array): void {
		const block = this.get(id);
		if (!block) return;
		this.byId.delete(toKey(id));
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

export class ForkTree {
	private linked = new BlockSet();
	private readonly unlinked = new BlockSet();
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

	/** Whether the block is linked or waits for its parent. */
	has(id: Uint8Array): boolean {
		return this.linked.get(id) !== undefined || this.unlinked.get(id) !== undefined;
	}

	hasLinked(id: Uint8Array): boolean {
		return this.linked.get(id) !== undefined;
	}

	/** A block of any branch that is still kept. */
	block(id: Uint8Array): SignedBlock | undefined {
		return this.linked.get(id) ?? this.unlinked.get(id);
	}

	/** Linked blocks of a height, in the order in which they came. */
	blocksAt(number: bigint): readonly SignedBlock[] {
		return this.linked.at(number);
	}

	/** Linked blocks above a height, parents before children. */
	blocksAbove(number: bigint): readonly SignedBlock[] {
		return this.linked.above(number);
	}

	/**
	 * Adds a block.
	 * @returns the block that is now the tip of the longest branch
	 * @throws {UnlinkedBlockError | BadNumberBlockError | RuntimeRuleError}
	 */
	push(block: SignedBlock): SignedBlock {
		if (block.parentId.length !== 32) throw new RuntimeRuleError("IllegalArgumentException", "null");
		const parent = this.linked.get(block.parentId);
		if (!parent) {
			this.unlinked.insert(block, this.head.number - this.capacity);
			throw new UnlinkedBlockError("null");
		}
		if (block.number !== parent.number + 1n) {
			throw new BadNumberBlockError(`parent number: ${parent.number} , block number: ${block.number}`);
		}
		this.linked.insert(block, this.head.number - this.capacity);
		if (!this.headBlock || block.number > this.headBlock.number) this.headBlock = block;
		return this.head;
	}

	/** Removes a block; the head becomes the first block of the greatest remaining height. */
	remove(id: Uint8Array): void {
		this.linked.remove(id);
		this.headBlock = this.linked.tip();
	}

	/** Makes the parent of the head the head: a block was erased. */
	pop(): void {
		const parent = this.linked.get(this.head.parentId);
		if (!parent) throw new Error("the fork tree has no block below its head");
		this.headBlock = parent;
	}

	/** Makes a block the head, as after an abandoned switch. */
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
