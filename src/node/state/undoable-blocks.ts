/**
 * What the blocks changed that can still be undone.
 *
 * Contract: blocks come in at the newest end and leave at either one: undone at the newest, settled at the oldest. Changes of
 * the same entry are linked, so that settling a block tells in one step whether a newer one changed the entry too.
 */

import type { Entry, EntryMaps } from "./entry.js";
import { type Journal, NONE, type Restore } from "./journal.js";

/** A value of the head that differs, or may differ, from the base. */
export interface HeadEntry {
	readonly key: string;
	value: Entry;
	/** The newest change of the entry by a block; undefined if only what is pending changed it. */
	change: ChangedEntry | undefined;
}

/** A changed entry of a block: its value before (as a before-image) and after. */
interface ChangedEntry {
	readonly block: BlockChange;
	readonly entry: HeadEntry;
	before: Entry | typeof NONE;
	after: Entry;
	/** The change of the same entry before this one, and after it, among the blocks that can be undone. */
	older: ChangedEntry | undefined;
	newer: ChangedEntry | undefined;
}

/** What one block changed, by store index, in the order of its first writes. */
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

	/** Makes what a journal holds the change of a block. */
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

	/** Takes the newest block away. @throws {Error} if there is none */
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
	 * Takes the oldest block away: its values move below.
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
				// Undoing the newer change leads to the value below from now on, not to a copy of its own.
				newer.older = undefined;
				if (newer.before === after) newer.before = NONE;
			}
		});
	}

	/** The newest change of an entry. */
	newestChange(index: number, key: string): ChangedEntry | undefined {
		return this.entryOf(index, key)?.change;
	}

	/** The first change of an entry by a block from a number on. */
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
