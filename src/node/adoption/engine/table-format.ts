/** The footer of a table, and what its properties say about the rest (protocol/reference-stores §2). */

import { TRAILER_BYTES } from "../../state/table-checksums.js";
import { type BlockHandle, BlockIndex, blockProperties, handleOf } from "./block.js";
import { type BlockReader, CRC32C, checksumOf, placeModifier, XXH3, type Xxh3 } from "./block-reader.js";
import { ByteReader, FormatError } from "./byte-reader.js";
import type { ForeignFile } from "./foreign-file.js";
import type { TableKeyOrder } from "./key-order.js";

const LEVEL_FOOTER_BYTES = 48;
const ROCKS_FOOTER_BYTES = 53;

const LEVEL_MAGIC = [0xdb477524, 0x8b80fb57] as const;
const ROCKS_MAGIC = [0x88e241b7, 0x85f4cff7] as const;
const EXTENDED_FOOTER = Buffer.from([0x3e, 0x00, 0x7a, 0x00]);
/** The first format with the index in the metaindex, and the highest known one. */
const FORMAT_WITH_PLACES = 6;

export interface Footer {
	readonly checksum: typeof CRC32C | typeof XXH3;
	/** Mixed with a block's position into its checksum; 0 if nothing is. */
	readonly placeBase: number;
	readonly metaindex: BlockHandle;
	/** Undefined if the metaindex names it. */
	readonly index: BlockHandle | undefined;
	/** Its offset in the file. */
	readonly offset: number;
}

/** @throws {ForeignStoreError} */
export function readFooter(file: ForeignFile, xxh3: Xxh3): Footer {
	if (file.size < LEVEL_FOOTER_BYTES)
		throw file.fault(`is damaged: ${file.size} bytes are too few for a table`);
	const bytes = Buffer.alloc(Math.min(ROCKS_FOOTER_BYTES, file.size));
	file.read(bytes, file.size - bytes.length);
	const magic = [bytes.readUInt32LE(bytes.length - 4), bytes.readUInt32LE(bytes.length - 8)];
	try {
		if (isSame(magic, LEVEL_MAGIC)) {
			return levelFooter(bytes.subarray(-LEVEL_FOOTER_BYTES), file.size - LEVEL_FOOTER_BYTES);
		}
		if (isSame(magic, ROCKS_MAGIC) && bytes.length === ROCKS_FOOTER_BYTES) {
			return rocksFooter(bytes, file.size - ROCKS_FOOTER_BYTES, xxh3);
		}
	} catch (error) {
		if (!(error instanceof FormatError)) throw error;
		throw file.fault(`can't be used: its footer ${error.message}`);
	}
	throw file.fault("is damaged: it doesn't end as a table of LevelDB or RocksDB does");
}

function isSame(magic: readonly number[], wanted: readonly [number, number]): boolean {
	return magic[0] === wanted[0] && magic[1] === wanted[1];
}

function levelFooter(bytes: Buffer, offset: number): Footer {
	const reader = new ByteReader(bytes, 0, LEVEL_FOOTER_BYTES - 8);
	const metaindex = handleOf(reader);
	const index = handleOf(reader);
	requireZeros(bytes.subarray(reader.at, LEVEL_FOOTER_BYTES - 8));
	return { checksum: CRC32C, placeBase: 0, metaindex, index, offset };
}

function rocksFooter(bytes: Buffer, offset: number, xxh3: Xxh3): Footer {
	const checksum = bytes[0] as number;
	if (checksum !== CRC32C && checksum !== XXH3) {
		throw new FormatError(`names checksums of type ${checksum}, which the reference doesn't make`);
	}
	const format = bytes.readUInt32LE(ROCKS_FOOTER_BYTES - 12);
	if (format < 1 || format > FORMAT_WITH_PLACES)
		throw new FormatError(`names a format ${format}, which isn't known`);
	if (format < FORMAT_WITH_PLACES) {
		const reader = new ByteReader(bytes, 1, ROCKS_FOOTER_BYTES - 12);
		const metaindex = handleOf(reader);
		const index = handleOf(reader);
		requireZeros(bytes.subarray(reader.at, ROCKS_FOOTER_BYTES - 12));
		return { checksum, placeBase: 0, metaindex, index, offset };
	}
	if (!bytes.subarray(1, 5).equals(EXTENDED_FOOTER)) throw new FormatError("isn't that of its format");
	const placeBase = bytes.readUInt32LE(9);
	const wanted = bytes.readUInt32LE(5);
	bytes.writeUInt32LE(0, 5);
	const found = (checksumOf(checksum, bytes, xxh3) + placeModifier(placeBase, offset)) >>> 0;
	if (found !== wanted) throw new FormatError("is not what its checksum says");
	const size = bytes.readUInt32LE(13);
	const metaindex = { offset: offset - TRAILER_BYTES - size, size };
	return { checksum, placeBase, metaindex, index: undefined, offset };
}

function requireZeros(bytes: Uint8Array): void {
	if (bytes.some((byte) => byte !== 0)) throw new FormatError("is damaged");
}

/** Structure of a table. */
export interface TableLayout {
	readonly blocks: BlockIndex;
	/** Its stated number of entries; LevelDB doesn't state any. */
	readonly entries: number | undefined;
}

/** Property values, written by RocksDB only. */
class Properties {
	constructor(private readonly values: ReadonlyMap<string, Uint8Array>) {}

	number(name: string): number | undefined {
		const value = this.values.get(name);
		return value && new ByteReader(value).varint();
	}

	text(name: string): string | undefined {
		const value = this.values.get(name);
		return value && Buffer.from(value).toString("latin1");
	}

	has(name: string): boolean {
		return this.values.has(name);
	}

	fixed32(name: string): number | undefined {
		const value = this.values.get(name);
		return value && new ByteReader(value).fixed32();
	}
}

/** @throws {ForeignStoreError} */
export function readLayout(
	file: ForeignFile,
	footer: Footer,
	blocks: BlockReader,
	order: TableKeyOrder,
): TableLayout {
	const metaindex = new Map(
		blocks.parse(footer.metaindex, "metaindex", (block) =>
			[...blockProperties(block)].map(([name, value]) => [name, handleOf(new ByteReader(value))] as const),
		),
	);
	const place = metaindex.get("rocksdb.properties");
	const properties = new Properties(
		place ? blocks.parse(place, "properties", copiedValues) : new Map<string, Uint8Array>(),
	);
	try {
		requireUsable(properties, metaindex, order);
		const index = footer.index ?? metaindex.get("rocksdb.index");
		if (!index) throw new FormatError("name no index");
		const form = {
			isDelta: properties.number("rocksdb.index.value.is.delta.encoded") === 1,
			hasUserKeys: properties.number("rocksdb.index.key.is.user.key") === 1,
			trailerBytes: TRAILER_BYTES,
		};
		return {
			blocks: blocks.parse(index, "index", (block) => BlockIndex.read(block, form)),
			entries: properties.number("rocksdb.num.entries"),
		};
	} catch (error) {
		if (!(error instanceof FormatError)) throw error;
		throw file.fault(`can't be used: its properties ${error.message}`);
	}
}

function copiedValues(block: Uint8Array): Map<string, Uint8Array> {
	return new Map([...blockProperties(block)].map(([name, value]) => [name, Uint8Array.from(value)]));
}

/** Refuses properties that would change the meaning of entries; the reference uses none. */
function requireUsable(
	properties: Properties,
	metaindex: ReadonlyMap<string, BlockHandle>,
	order: TableKeyOrder,
): void {
	if (metaindex.has("rocksdb.range_del") || (properties.number("rocksdb.num.range-deletions") ?? 0) > 0) {
		throw new FormatError("name deletions of ranges, which the reference doesn't make");
	}
	if ((properties.number("rocksdb.merge.operands") ?? 0) > 0) {
		throw new FormatError("name merge operands, which the reference doesn't make");
	}
	if (properties.has("rocksdb.external_sst_file.version")) {
		throw new FormatError("say that it was made outside of the store, which the reference doesn't do");
	}
	const comparator = properties.text("rocksdb.comparator");
	if (comparator !== undefined && comparator !== order.name) {
		throw new FormatError(`name the order ${comparator}, but this store has ${order.name}`);
	}
	const indexType = properties.fixed32("rocksdb.block.based.table.index.type") ?? 0;
	if (indexType > 1)
		throw new FormatError(`name an index of type ${indexType}, which the reference doesn't make`);
}
