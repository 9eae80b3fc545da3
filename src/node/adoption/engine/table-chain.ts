/** A run of non-overlapping tables, iterated as one. */

import { TRAILER_BYTES } from "../../state/table-checksums.js";
import { BlockCursor, INTERNAL_BYTES, sequenceAt } from "./block.js";
import { BlockReader, type ReadingMode } from "./block-reader.js";
import { FormatError } from "./byte-reader.js";
import { ForeignFile } from "./foreign-file.js";
import {
	DELETION,
	type EntrySource,
	refusedType,
	SINGLE_DELETION,
	type TableKeyOrder,
	VALUE,
} from "./key-order.js";
import { MAX_SOURCES } from "./limits.js";
import type { TableFile } from "./manifest.js";
import { readFooter, readLayout, type TableLayout } from "./table-format.js";

/** Sequence numbers have seven bytes; beyond 2^53 no network will ever get. */
const MAX_SEQUENCE_TOP = 2 ** 21;

/** A table of the manifest with its location. */
export interface LocatedTable extends TableFile {
	readonly path: string;
}

interface ChainReading extends ReadingMode {
	readonly order: TableKeyOrder;
	/** The highest possible sequence number in tables. */
	readonly lastSequence: number;
	readonly onRead: (bytes: number) => void;
	/** Keys up to this one are skipped, as are blocks that hold no others. */
	readonly after: Uint8Array | undefined;
}

/** A table being iterated. */
interface OpenTable {
	readonly table: LocatedTable;
	readonly file: ForeignFile;
	readonly blocks: BlockReader;
	readonly layout: TableLayout;
	/** The next block. */
	next: number;
	/** End of the current block. */
	end: number;
	entries: number;
	/** The first of its blocks to iterate. */
	readonly first: number;
}

export class TableChain implements EntrySource {
	key: Buffer = Buffer.alloc(0);
	keyLength = 0;
	sequence = 0;
	isDeletion = false;
	private readonly cursor = new BlockCursor();
	private open: OpenTable | undefined;
	private nextTable = 0;
	/** The previous key, with its last eight bytes. */
	private before = Buffer.allocUnsafe(256);
	private beforeLength = 0;

	constructor(
		readonly rank: number,
		private readonly tables: readonly LocatedTable[],
		private readonly reading: ChainReading,
	) {}

	value(): Uint8Array {
		return this.cursor.value();
	}

	next(): boolean {
		for (;;) {
			const { open } = this;
			if (open) {
				if (this.nextInBlock(open)) return true;
				if (this.openBlock(open)) continue;
				this.finish(open);
			}
			const table = this.tables[this.nextTable++];
			if (!table) return false;
			this.open = this.openTable(table);
		}
	}

	close(): void {
		this.open?.blocks.close();
		this.open = undefined;
		this.nextTable = this.tables.length;
	}

	private openTable(table: LocatedTable): OpenTable {
		const file = new ForeignFile(table.path, this.reading.onRead);
		let blocks: BlockReader | undefined;
		try {
			requireSize(file, table);
			const footer = readFooter(file, this.reading.xxh3);
			blocks = new BlockReader(file, footer, this.reading);
			const layout = readLayout(file, footer, blocks, this.reading.order);
			blocks.hold(layout.blocks.bytes);
			this.beforeLength = 0;
			const first = this.firstBlock(layout);
			this.reading.onRead(layout.blocks.handle(first)?.offset ?? 0);
			return { table, file, blocks, layout, next: first, end: 0, entries: 0, first };
		} catch (error) {
			(blocks ?? file).close();
			throw error;
		}
	}

	/** The last block is always read: it must end as the manifest says. */
	private firstBlock({ blocks }: TableLayout): number {
		const { after, order } = this.reading;
		if (!after || !order.isByBytes || blocks.length === 0) return 0;
		return Math.min(blocks.firstFrom(after), blocks.length - 1);
	}

	/** @returns whether there was another block */
	private openBlock(open: OpenTable): boolean {
		const handle = open.layout.blocks.handle(open.next);
		if (!handle) return false;
		if (handle.offset < open.end) {
			throw open.blocks.fault(handle, "data", `begins before the end of another at byte ${open.end}`);
		}
		open.blocks.parse(handle, "data", (block) => this.cursor.open(block));
		open.next++;
		open.end = handle.offset + handle.size + TRAILER_BYTES;
		return true;
	}

	private nextInBlock(open: OpenTable): boolean {
		if (open.next === open.first) return false;
		const { cursor } = this;
		try {
			if (!cursor.next()) return false;
			this.readKey(cursor.key, cursor.keyLength);
			this.requireOrder(open, cursor.key, cursor.keyLength);
		} catch (error) {
			if (!(error instanceof FormatError)) throw error;
			const handle = open.layout.blocks.handle(open.next - 1);
			throw handle ? open.blocks.fault(handle, "data", error.message) : error;
		}
		open.entries++;
		return true;
	}

	private readKey(key: Buffer, length: number): void {
		if (length < INTERNAL_BYTES) throw new FormatError("has a key that is too short");
		const end = length - INTERNAL_BYTES;
		const type = key[end] as number;
		if (type !== VALUE && type !== DELETION && type !== SINGLE_DELETION) {
			throw new FormatError(`has an entry that is ${refusedType(type)}, which the reference doesn't make`);
		}
		const top = (key[end + 5] as number) + (key[end + 6] as number) * 256 + (key[end + 7] as number) * 65_536;
		if (top >= MAX_SEQUENCE_TOP) throw new FormatError("has a sequence number that is too large");
		const low =
			((key[end + 1] as number) |
				((key[end + 2] as number) << 8) |
				((key[end + 3] as number) << 16) |
				((key[end + 4] as number) << 24)) >>>
			0;
		this.key = key;
		this.keyLength = end;
		this.sequence = top * 2 ** 32 + low;
		this.isDeletion = type !== VALUE;
		if (this.sequence > this.reading.lastSequence) {
			throw new FormatError(
				`has sequence number ${this.sequence}, but the manifest ends with ${this.reading.lastSequence}`,
			);
		}
	}

	/** Merging relies on entry order and on the bounds in the manifest. */
	private requireOrder(open: OpenTable, key: Buffer, length: number): void {
		if (open.entries === 0) {
			if (open.first === 0 && !isEqual(key, length, open.table.smallest)) {
				throw new FormatError("doesn't begin with the key that the manifest names");
			}
		} else {
			const { before } = this;
			const beforeEnd = this.beforeLength - INTERNAL_BYTES;
			const order = this.reading.order.compare(before, beforeEnd, key, this.keyLength);
			if (order > 0 || (order === 0 && sequenceAt(before, beforeEnd) <= this.sequence)) {
				throw new FormatError("has keys that aren't in order");
			}
		}
		if (this.before.length < length) this.before = Buffer.allocUnsafe(2 * length);
		const { before } = this;
		for (let i = open.entries === 0 ? 0 : Math.min(this.cursor.shared, this.beforeLength); i < length; i++) {
			before[i] = key[i] as number;
		}
		this.beforeLength = length;
	}

	private finish(open: OpenTable): void {
		const { table, layout, file } = open;
		if (open.first === 0 && layout.entries !== undefined && layout.entries !== open.entries) {
			throw file.fault(`is damaged: it has ${open.entries} entries and says that it has ${layout.entries}`);
		}
		if (!isEqual(this.before, this.beforeLength, table.largest)) {
			throw file.fault("is damaged: it doesn't end with the key that the manifest names");
		}
		open.blocks.close();
		this.open = undefined;
	}
}

/** @throws {ForeignStoreError} unless a table has the size that its manifest names */
function requireSize(file: ForeignFile, table: { readonly size: number }): void {
	if (file.size !== table.size) {
		throw file.fault(`is damaged: it has ${file.size} bytes, and the manifest says ${table.size}`);
	}
}

function isEqual(key: Uint8Array, length: number, other: Uint8Array): boolean {
	if (length !== other.length) return false;
	for (let i = 0; i < length; i++) if (key[i] !== other[i]) return false;
	return true;
}

/** By key, then newest first: RocksDB may end a table and start the next with the same key. */
function compareInternal(a: Uint8Array, b: Uint8Array, order: TableKeyOrder): number {
	const aEnd = a.length - INTERNAL_BYTES;
	const bEnd = b.length - INTERNAL_BYTES;
	return order.compare(a, aEnd, b, bEnd) || sequenceAt(b, bEnd) - sequenceAt(a, aEnd);
}

/**
 * Arranges tables into as few non-overlapping runs as possible. Level 0 gives as many as its tables overlap,
 * every other level one.
 * @returns the chains of a level, each with its tables in order
 * @throws {FormatError} if tables overlap where they must not
 */
export function chainsOf(
	level: number,
	tables: readonly LocatedTable[],
	order: TableKeyOrder,
): LocatedTable[][] {
	const compare = (a: Uint8Array, b: Uint8Array) => compareInternal(a, b, order);
	const sorted = [...tables].sort((a, b) => compare(a.smallest, b.smallest) || a.number - b.number);
	const chains: LocatedTable[][] = [];
	for (const table of sorted) {
		const before = chains.find(
			(chain) => compare((chain[chain.length - 1] as LocatedTable).largest, table.smallest) < 0,
		);
		if (before) before.push(table);
		else if (level > 0 && chains.length > 0)
			throw new FormatError(`has overlapping tables on level ${level}`);
		else chains.push([table]);
		if (chains.length > MAX_SOURCES)
			throw new FormatError(`has more than ${MAX_SOURCES} tables that overlap`);
	}
	return chains;
}
