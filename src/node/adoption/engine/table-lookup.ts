/**
 * Single entries of a store, found in its tables: by the bounds that the manifest names, the index of a table and one
 * block of it, each checked as it is read. What stays in memory is bounded: the bounds of all tables, and the indexes and
 * blocks that were used last. The logs are not read: what they hold has to be kept elsewhere.
 */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BlockCursor, type BlockHandle, INTERNAL_BYTES, sequenceAt } from "./block.js";
import { loadXxh3 } from "./block-checksum.js";
import { BlockReader, type Reading } from "./block-reader.js";
import { FormatError } from "./byte-reader.js";
import { DELETION, refusedType, SINGLE_DELETION, VALUE } from "./entry-source.js";
import { ForeignFile, reading } from "./foreign-file.js";
import { ForeignStoreError } from "./foreign-store-error.js";
import type { KeyOrder } from "./key-order.js";
import { LastUsed } from "./last-used.js";
import { MAX_BLOCK_BYTES } from "./limits.js";
import { findFiles } from "./store-directory.js";
import { requireSize } from "./table-chain.js";
import { readFooter, readLayout, type TableLayout } from "./table-format.js";
import { TableList, type TablePlace } from "./table-list.js";

/** Tables that are kept open, and bytes of their indexes. */
const OPEN_TABLES = 64;
const INDEX_BYTES = 16 << 20;
/** Blocks that are kept, and their bytes. */
const KEPT_BLOCKS = 4096;
const BLOCK_BYTES = 4 << 20;

interface OpenTable {
	readonly file: ForeignFile;
	readonly blocks: BlockReader;
	readonly layout: TableLayout;
}

/** An entry of one table; a value of null: deleted. */
interface Found {
	readonly sequence: number;
	readonly value: Uint8Array | null;
}

export class TableLookup {
	private readonly tables = new LastUsed<OpenTable>(OPEN_TABLES, INDEX_BYTES, ({ file }) => file.close());
	private readonly blocks = new LastUsed<Uint8Array>(KEPT_BLOCKS, BLOCK_BYTES);
	private readonly cursor = new BlockCursor();

	private constructor(
		private readonly lists: readonly TableList[],
		private readonly order: KeyOrder,
		private readonly reading: Reading,
	) {}

	/**
	 * Opens a store in the order of bytes; nothing may write to it as long as it is open.
	 * @throws {ForeignStoreError} as openForeignStore
	 */
	static async open(directory: string): Promise<TableLookup> {
		const xxh3 = await loadXxh3();
		const { chains, order } = findFiles(directory);
		if (!order.isByBytes) throw new ForeignStoreError(directory, "is in the order of prices");
		const lists = chains.map((chain) => new TableList(directory, chain));
		return new TableLookup(lists, order, { xxh3, maxBlockBytes: MAX_BLOCK_BYTES, windowBytes: 0 });
	}

	/**
	 * The newest value of a key, undefined if there is none or it was deleted.
	 * PERF: a block of one table, or of one a level where keys come in no order.
	 * @throws {ForeignStoreError} that names the table, if what is read isn't as it was written
	 */
	get(key: Uint8Array): Uint8Array | undefined {
		let newest: Found | undefined;
		for (const list of this.lists) {
			// Tables on level 0 overlap; below it a level is older than the one above.
			if (newest && list.level > 0) break;
			const table = list.tableOf(key);
			const found = table && this.find(table, key);
			if (found && (!newest || found.sequence > newest.sequence)) newest = found;
		}
		return newest?.value ?? undefined;
	}

	private find(place: TablePlace, key: Uint8Array): Found | undefined {
		const table = this.tables.get(place.path) ?? this.openTable(place);
		const { layout, blocks } = table;
		for (let at = layout.blocks.firstFrom(key); ; at++) {
			const handle = layout.blocks.handle(at);
			if (!handle) return undefined;
			const block = this.block(place, blocks, handle);
			try {
				const found = this.findIn(block, key);
				if (found) return found === "passed" ? undefined : found;
			} catch (error) {
				if (!(error instanceof FormatError)) throw error;
				throw blocks.fault(handle, "data", error.message);
			}
		}
	}

	private openTable(place: TablePlace): OpenTable {
		const file = new ForeignFile(place.path);
		try {
			requireSize(file, place);
			const footer = readFooter(file, this.reading.xxh3);
			const blocks = new BlockReader(file, footer, this.reading);
			const layout = readLayout(file, footer, blocks, this.order);
			// The reader keeps as much room as the largest block took, which is that of the index.
			return this.tables.add(place.path, { file, blocks, layout }, 2 * layout.blocks.bytes);
		} catch (error) {
			file.close();
			throw error;
		}
	}

	private block(place: TablePlace, blocks: BlockReader, handle: BlockHandle): Uint8Array {
		const name = `${place.number}:${handle.offset}`;
		const known = this.blocks.get(name);
		if (known) return known;
		// A copy: the reader overwrites what it has read.
		const block = Uint8Array.from(blocks.read(handle, "data"));
		return this.blocks.add(name, block, block.length);
	}

	/** @returns "passed" if the block goes beyond the key; undefined if it ends before @throws {FormatError} */
	private findIn(block: Uint8Array, key: Uint8Array): Found | "passed" | undefined {
		const { cursor } = this;
		cursor.open(block);
		while (cursor.next()) {
			const end = cursor.keyLength - INTERNAL_BYTES;
			if (end < 0) throw new FormatError("has a key that is too short");
			const order = this.order.compare(cursor.key, end, key, key.length);
			if (order < 0) continue;
			if (order > 0) return "passed";
			const type = cursor.key[end] as number;
			if (type !== VALUE && type !== DELETION && type !== SINGLE_DELETION) {
				throw new FormatError(`has an entry that is ${refusedType(type)}, which the reference doesn't make`);
			}
			const value = type === VALUE ? Uint8Array.from(cursor.value()) : null;
			return { sequence: sequenceAt(cursor.key, end), value };
		}
		return undefined;
	}

	/** Closes the files. */
	close(): void {
		this.tables.clear();
		this.blocks.clear();
	}
}

/**
 * What tells whether anything was written to a store: an engine that opens one begins a new manifest, and a manifest
 * names every table with its size.
 * @throws {ForeignStoreError} if there is no store
 */
export function identityOf(directory: string): string {
	const current = join(directory, "CURRENT");
	const name = reading(current, () => readFileSync(current, "latin1"));
	if (!/^MANIFEST-\d{6,15}\n$/.test(name))
		throw new ForeignStoreError(current, "is damaged: it doesn't name a manifest");
	const manifest = join(directory, name.trim());
	return createHash("sha256")
		.update(name)
		.update(reading(manifest, () => readFileSync(manifest)))
		.digest("hex");
}
