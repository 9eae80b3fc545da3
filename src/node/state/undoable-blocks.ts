/**
 * What the blocks changed that can still be undone.
 *
 * Contract: blocks come in at the newest end and leave at either one: undone at the newest, settled at the oldest. Changes of
 * the same entry are linked, so that settling a block tells in one step whether a newer one changed the entry too.
 */

import { type Entry, type EntryMaps, makeMaps } from "./entry.js";
import { type Journal, NONE, type Restore } from "./journal.js";

/** A changed entry of a block: its value before (as a before-image) and after. */
interface ChangedEntry {
	before: Entry | typeof NONE;
	after: Entry;
	/** The change of the same entry before this one, and after it, among the blocks that can be undone. */
	older: ChangedEntry | undefined;
	newer: ChangedEntry | undefined;
}

/** What one block changed, by store index and key. */
export interface BlockChange {
	readonly number: bigint;
	readonly entries: readonly ReadonlyMap<string, ChangedEntry>[];
}

export class UndoableBlocks {
	/** Oldest first. */
	private readonly blocks: BlockChange[] = [];
	/** The newest change of each entry. */
	private readonly newest: EntryMaps<ChangedEntry> = makeMaps();

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

	/** Makes what a journal holds the change of a block. @param head the values after it */
	add(number: bigint, journal: Journal, head: EntryMaps): BlockChange {
		const entries = makeMaps<ChangedEntry>();
		journal.each((index, key, before) => {
			const changed = entries[index] as Map<string, ChangedEntry>;
			if (changed.has(key)) return;
			const newest = this.newest[index] as Map<string, ChangedEntry>;
			const older = newest.get(key);
			const after = (head[index] as Map<string, Entry>).get(key);
			const entry: ChangedEntry = { before, after, older, newer: undefined };
			if (older) older.newer = entry;
			changed.set(key, entry);
			newest.set(key, entry);
		});
		const change = { number, entries };
		this.blocks.push(change);
		return change;
	}

	/** Takes the newest block away. @throws {Error} if there is none */
	undo(restore: Restore): void {
		const change = this.blocks.pop();
		if (!change) throw new Error("no block can be undone");
		change.entries.forEach((map, index) => {
			const newest = this.newest[index] as Map<string, ChangedEntry>;
			for (const [key, { before, older }] of map) {
				restore(index, key, before);
				if (!older) {
					newest.delete(key);
					continue;
				}
				older.newer = undefined;
				newest.set(key, older);
			}
		});
	}

	/**
	 * Takes the oldest block away: its values move below.
	 * @param move called with each entry with its value, and whether a newer block changed it too
	 */
	finalizeOldest(move: (index: number, key: string, after: Entry, isNewest: boolean) => void): void {
		const change = this.blocks.shift() as BlockChange;
		change.entries.forEach((map, index) => {
			const newest = this.newest[index] as Map<string, ChangedEntry>;
			map.forEach(({ after, newer }, key) => {
				move(index, key, after, newer === undefined);
				if (!newer) {
					newest.delete(key);
					return;
				}
				// Undoing the newer change leads to the value below from now on, not to a copy of its own.
				newer.older = undefined;
				if (newer.before === after) newer.before = NONE;
			});
		});
	}

	/** The newest change of an entry. */
	newestChange(index: number, key: string): ChangedEntry | undefined {
		return this.newest[index]?.get(key);
	}
}
