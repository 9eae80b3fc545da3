/**
 * A journal of before-images: what each write replaced, in order, so that writes since a mark can be undone.
 *
 * Contract: every write is recorded before it happens, with the value its own level had; {@link NONE} if the
 * level had none and the one below answered. Undoing walks the journal backwards. It knows nothing about the
 * meaning of values, or about lower levels.
 */

/** A before-image: the level had no entry. */
export const NONE = Symbol("none");

/** Restores a before-image. */
export type Restore = (index: number, key: string, before: unknown) => void;

/** Capacity that a cleared journal keeps, in entries. */
const KEPT_ROOM = 1 << 14;

/** PERF: cleared arrays are overwritten, since arrays grown from empty are copied repeatedly. */
export class Journal {
	private readonly stores: number[] = [];
	private readonly keys: string[] = [];
	private readonly before: unknown[] = [];
	private count = 0;

	/** Number of recorded writes; a point {@link revert} can return to. */
	get length(): number {
		return this.count;
	}

	/** @param before the value that the level has, or {@link NONE} */
	record(index: number, key: string, before: unknown): void {
		const at = this.count++;
		this.stores[at] = index;
		this.keys[at] = key;
		this.before[at] = before;
	}

	/** Undoes every write since a mark, newest first. */
	revert(mark: number, restore: Restore): void {
		for (let i = this.count - 1; i >= mark; i--) {
			restore(this.stores[i] as number, this.keys[i] as string, this.before[i]);
		}
		this.count = mark;
	}

	clear(): void {
		this.count = 0;
		if (this.stores.length <= KEPT_ROOM) return;
		this.stores.length = 0;
		this.keys.length = 0;
		this.before.length = 0;
	}

	/** Visits the writes, oldest first. */
	each(visit: Restore): void {
		for (let i = 0; i < this.count; i++) {
			visit(this.stores[i] as number, this.keys[i] as string, this.before[i]);
		}
	}

	/** The first before-image of an entry; undefined if it wasn't written. PERF: linear in the journal. */
	first(index: number, key: string): unknown {
		for (let i = 0; i < this.count; i++) {
			if (this.stores[i] === index && this.keys[i] === key) return this.before[i];
		}
		return undefined;
	}

	/**
	 * Replaces first before-images by {@link NONE}, because the level below now has those values.
	 * @param moved whether the value before an entry's first write moves below
	 * @returns the entries that were written, by store index
	 */
	leadBelow(moved: (index: number, key: string) => boolean): readonly (ReadonlySet<string> | undefined)[] {
		const written: (Set<string> | undefined)[] = [];
		for (let i = 0; i < this.count; i++) {
			const index = this.stores[i] as number;
			const key = this.keys[i] as string;
			const keys = written[index] ?? new Set<string>();
			written[index] = keys;
			if (keys.has(key)) continue;
			keys.add(key);
			if (moved(index, key)) this.before[i] = NONE;
		}
		return written;
	}
}
