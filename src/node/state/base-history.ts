/**
 * Before-images of the base's newest changes: development chains revert to a snapshot with them, and read the state before an
 * already final block (protocol/development-chain §§4.4, 4.6). The reference node has no such thing.
 */

/** One changed entry: store index, key and previous value (null: there was none). */
interface FormerEntry {
	readonly index: number;
	readonly key: string;
	readonly before: unknown;
}

/** The changes made by a block, plus manual edits up to the next one. */
interface Segment {
	readonly number: bigint;
	readonly entries: FormerEntry[];
}

/** A point the base can return to. */
export interface HistoryMark {
	readonly segment: Segment;
	readonly length: number;
	readonly settled: bigint;
}

/** Previous values by store index and key. */
export type FormerValues = ReadonlyMap<number, ReadonlyMap<string, unknown>>;

export class BaseHistory {
	private segments: Segment[];
	private readonly marks = new Set<HistoryMark>();

	/** @param keptBlocks how many blocks can be looked behind when no mark asks for more */
	constructor(
		private readonly keptBlocks: number,
		settled: bigint,
	) {
		this.segments = [{ number: settled, entries: [] }];
	}

	/** Adds the changed keys of a store that have a prefix. PERF: linear in all changes. */
	addKeysWith(keys: Set<string>, index: number, prefix: string): void {
		for (const { entries } of this.segments) {
			for (const entry of entries) {
				if (entry.index === index && entry.key.startsWith(prefix)) keys.add(entry.key);
			}
		}
	}

	private get last(): Segment {
		return this.segments.at(-1) as Segment;
	}

	/** Assigns the following changes to a block. */
	beginBlock(number: bigint): void {
		this.segments.push({ number, entries: [] });
		if (this.marks.size === 0 && this.segments.length > 2 * this.keptBlocks) {
			this.segments = this.segments.slice(-this.keptBlocks);
		}
	}

	record(index: number, key: string, before: unknown): void {
		this.last.entries.push({ index, key, before });
	}

	/** Keeps everything from now on until the mark is forgotten. */
	mark(settled: bigint): HistoryMark {
		const mark = { segment: this.last, length: this.last.entries.length, settled };
		this.marks.add(mark);
		return mark;
	}

	forget(mark: HistoryMark): void {
		this.marks.delete(mark);
	}

	/** Forgets everything, because the whole base was replaced. */
	clear(settled: bigint): void {
		this.marks.clear();
		this.segments = [{ number: settled, entries: [] }];
	}

	/** Removes and returns the changes since a mark, newest first. */
	takeBack(mark: HistoryMark): readonly FormerEntry[] {
		const taken: FormerEntry[] = [];
		while (this.last !== mark.segment) taken.push(...(this.segments.pop() as Segment).entries.reverse());
		taken.push(...this.last.entries.splice(mark.length).reverse());
		return taken;
	}

	/** The values before a block of every entry changed since; undefined if it is too long ago. */
	before(number: bigint): FormerValues | undefined {
		const position = this.segments.findIndex((segment) => segment.number === number);
		if (position <= 0 || this.segments.length - position > this.keptBlocks) return undefined;
		const values = new Map<number, Map<string, unknown>>();
		for (const { entries } of this.segments.slice(position).reverse()) {
			for (const { index, key, before } of [...entries].reverse()) setFormer(values, index, key, before);
		}
		return values;
	}
}

export function setFormer(
	values: Map<number, Map<string, unknown>>,
	index: number,
	key: string,
	before: unknown,
): void {
	let store = values.get(index);
	if (!store) {
		store = new Map();
		values.set(index, store);
	}
	store.set(key, before);
}
