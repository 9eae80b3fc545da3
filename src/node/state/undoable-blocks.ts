/**
 * The changes of the blocks that can still be undone.
 *
 * Contract: blocks are added at the newest end, undone at the newest and settled at the oldest. Changes of
 * the same entry are linked, so settling a block knows in one step whether a newer one changed the entry.
 */

import type { Entry, EntryMaps } from "./entry.js";
import { type Journal, NONE, type Restore } from "./journal.js";

/** A head value that differs, or may differ, from the base. */
export interface HeadEntry {
	readonly key: string;
	value: Entry;
	/** The newest change of the entry by a block; undefined if only pending changes touched it. */
	change: ChangedEntry | undefined;
}

/** An entry changed by a block: its before-image, and the value after. */
interface ChangedEntry {
	readonly block: BlockChange;
	readonly entry: HeadEntry;
	before: Entry | typeof NONE;
	after: Entry;
	/** The previous and next change of the same entry among the undoable blocks. */
	older: ChangedEntry | undefined;
	newer: ChangedEntry | undefined;
}

/** What one block changed, by store index, in order of first write. */
export interface BlockChange {
	readonly number: bigint;
	readonly entries: readonly (readonly ChangedEntry[])[];
}

export class UndoableBlocks {
	/** Oldest first. */
	private readonly blocks: BlockChange[] = [];

	/** @param head what the blocks and what is pending changed: it has every entry of every block here */
	constructor(private readonly head: EntryMaps<HeadEntry>) {}

	get count(): number {
		return this.blocks.length;
	}

	/** Oldest first. */
	get all(): readonly BlockChange[] {
		return this.blocks;
	}

	get oldest(): BlockChange | undefined {
		return this.blocks[0];
	}

	/** Turns the journal's contents into the change of a block. */
	add(number: bigint, journal: Journal): BlockChange {
		const entries = this.head.map((): ChangedEntry[] => []);
		const block = { number, entries };
		journal.each((index, key, before) => {
			const entry = this.entryOf(index, key) as HeadEntry;
			const older = entry.change;
			if (older?.block === block) return;
			const change: ChangedEntry = { block, entry, before, after: entry.value, older, newer: undefined };
			if (older) older.newer = change;
			entry.change = change;
			(entries[index] as ChangedEntry[]).push(change);
		});
		this.blocks.push(block);
		return block;
	}

	/** Removes the newest block. @throws {Error} if there is none */
	undo(restore: Restore): void {
		const block = this.blocks.pop();
		if (!block) throw new Error("no block can be undone");
		block.entries.forEach((changes, index) => {
			for (const { entry, before, older } of changes) {
				if (older) older.newer = undefined;
				entry.change = older;
				restore(index, entry.key, before);
			}
		});
	}

	/**
	 * Removes the oldest block: its values move below.
	 * @param move called with each entry with its value, and whether a newer block changed it too
	 */
	finalizeOldest(move: (index: number, key: string, after: Entry, isNewest: boolean) => void): void {
		const block = this.blocks.shift() as BlockChange;
		block.entries.forEach((changes, index) => {
			for (const { entry, after, newer } of changes) {
				move(index, entry.key, after, newer === undefined);
				if (!newer) {
					entry.change = undefined;
					continue;
				}
				// Undoing the newer change now leads to the value below, not to a copy of its own.
				newer.older = undefined;
				if (newer.before === after) newer.before = NONE;
			}
		});
	}

	/** The newest change of an entry. */
	newestChange(index: number, key: string): ChangedEntry | undefined {
		return this.entryOf(index, key)?.change;
	}

	/** The first change of an entry by a block with at least this number. */
	firstChange(index: number, key: string, number: bigint): ChangedEntry | undefined {
		let first: ChangedEntry | undefined;
		for (let change = this.newestChange(index, key); change; change = change.older) {
			if (change.block.number < number) break;
			first = change;
		}
		return first;
	}

	private entryOf(index: number, key: string): HeadEntry | undefined {
		return (this.head[index] as Map<string, HeadEntry>).get(key);
	}
}
