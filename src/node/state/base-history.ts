/**
 * What the base was before its newest changes: development chains go back to a snapshot with it, and look at the state
 * before a block that is already final (protocol/development-chain §§4.4, 4.6). No network's node keeps one.
 */

/** One changed entry: by store index and key, with its value before; null: there was none. */
interface FormerEntry {
	readonly index: number;
	readonly key: string;
	readonly before: unknown;
}

/** The changes that a block made, and those made by hand until the next one. */
interface Segment {
	readonly number: bigint;
	readonly entries: FormerEntry[];
}

/** A point to which the base can return. */
export interface HistoryMark {
	readonly segment: Segment;
	readonly length: number;
	readonly settled: bigint;
}

/** Former values by store index and key. */
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

	/** Adds the keys of a store with a prefix that are in any of the changes. PERF: grows with all of them. */
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

	/** The changes that follow are those of a block. */
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

	/** Forgets everything: the base was replaced as a whole. */
	clear(settled: bigint): void {
		this.marks.clear();
		this.segments = [{ number: settled, entries: [] }];
	}

	/** Takes the changes since a mark, newest first. They are no longer part of the history. */
	takeBack(mark: HistoryMark): readonly FormerEntry[] {
		const taken: FormerEntry[] = [];
		while (this.last !== mark.segment) taken.push(...(this.segments.pop() as Segment).entries.reverse());
		taken.push(...this.last.entries.splice(mark.length).reverse());
		return taken;
	}

	/** Values before a block, of every entry that changed since; undefined if it is too long ago. */
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
