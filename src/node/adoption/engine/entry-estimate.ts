/** About how many entries a store has, by a few blocks of a few of its tables: LevelDB doesn't say, and counting is reading. */

import { BlockCursor } from "./block.js";
import { BlockReader, type ReadingMode } from "./block-reader.js";
import { ForeignFile } from "./foreign-file.js";
import type { TableKeyOrder } from "./key-order.js";
import type { LocatedTable } from "./table-chain.js";
import { readFooter, readLayout } from "./table-format.js";

/** Tables that are looked into, and blocks of each, evenly over the store. */
const TABLES = 8;
const BLOCKS = 4;

/**
 * Entries of all tables together, those that others replace or delete too.
 * @throws {ForeignStoreError} if what is read isn't as it was written
 */
export function estimateEntries(
	tables: readonly LocatedTable[],
	order: TableKeyOrder,
	reading: ReadingMode,
): number {
	let [entries, bytes] = [0, 0];
	for (const table of spread(tables.length, TABLES).map((at) => tables[at] as LocatedTable)) {
		entries += entriesOf(table, order, reading);
		bytes += table.size;
	}
	const all = tables.reduce((sum, { size }) => sum + size, 0);
	return bytes === 0 ? 0 : Math.round((entries / bytes) * all);
}

function entriesOf({ path }: LocatedTable, order: TableKeyOrder, reading: ReadingMode): number {
	const file = new ForeignFile(path);
	try {
		const footer = readFooter(file, reading.xxh3);
		const blocks = new BlockReader(file, footer, reading);
		const layout = readLayout(file, footer, blocks, order);
		if (layout.entries !== undefined) return layout.entries;
		const cursor = new BlockCursor();
		let counted = 0;
		const places = spread(layout.blocks.length, BLOCKS);
		for (const at of places) {
			const handle = layout.blocks.handle(at);
			if (!handle) continue;
			counted += blocks.parse(handle, "data", (block) => {
				let count = 0;
				for (cursor.open(block); cursor.next(); ) count++;
				return count;
			});
		}
		return places.length === 0 ? 0 : (counted / places.length) * layout.blocks.length;
	} finally {
		file.close();
	}
}

/** Up to so many places among `length`, evenly over them. */
function spread(length: number, count: number): number[] {
	const wanted = Math.min(length, count);
	return Array.from({ length: wanted }, (_, i) => Math.floor(((i + 0.5) * length) / wanted));
}
