/** Logs, manifests and tables made by hand, to hold what no recorded store holds. */

import { crc32c, maskedCrc32c } from "../../../../src/protocol/crc32c.js";

const BLOCK_BYTES = 32_768;

/** A number in groups of seven bits. */
export function varint(value: number): Buffer {
	const bytes: number[] = [];
	let rest = value;
	for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
	return Buffer.from([...bytes, rest]);
}

/** Bytes behind their length. */
export function counted(bytes: Uint8Array | string): Buffer {
	return Buffer.concat([varint(bytes.length), Buffer.from(bytes)]);
}

export function record(type: number, data: Uint8Array): Buffer {
	const bytes = Buffer.concat([Buffer.alloc(6), Buffer.from([type]), data]);
	bytes.writeUInt32LE(maskedCrc32c(crc32c(bytes, 6)), 0);
	bytes.writeUInt16LE(data.length, 4);
	return bytes;
}

/** A file of records, split over blocks where they don't fit. */
export function logFile(payloads: readonly Uint8Array[]): Buffer {
	const parts: Buffer[] = [];
	let used = 0;
	const push = (bytes: Buffer) => {
		parts.push(bytes);
		used = (used + bytes.length) % BLOCK_BYTES;
	};
	for (const payload of payloads) {
		let at = 0;
		for (let isFirst = true; isFirst || at < payload.length; isFirst = false) {
			if (BLOCK_BYTES - used < 7) push(Buffer.alloc(BLOCK_BYTES - used));
			const end = Math.min(payload.length, at + BLOCK_BYTES - used - 7);
			const isLast = end === payload.length;
			push(record(isFirst ? (isLast ? 1 : 2) : isLast ? 4 : 3, payload.subarray(at, end)));
			at = end;
		}
	}
	return Buffer.concat(parts);
}

/** What is written at once; an operation is its number and what follows it. */
export function batch(
	sequence: number,
	operations: readonly Uint8Array[],
	count = operations.length,
): Buffer {
	const head = Buffer.alloc(12);
	head.writeBigUInt64LE(BigInt(sequence), 0);
	head.writeUInt32LE(count, 8);
	return Buffer.concat([head, ...operations]);
}

export function put(key: Uint8Array | string, value: Uint8Array | string): Buffer {
	return Buffer.concat([Buffer.from([1]), counted(key), counted(value)]);
}

export function del(key: Uint8Array | string): Buffer {
	return Buffer.concat([Buffer.from([0]), counted(key)]);
}

/** Fields of an edit of a manifest, one number each. */
export function fields(...numbers: readonly number[]): Buffer {
	return Buffer.concat(numbers.map(varint));
}

/** The files of a young store of RocksDB: one log, and a manifest that knows of nothing. */
export function youngStore(batches: readonly Uint8Array[]): [string, Buffer][] {
	return [
		["CURRENT", Buffer.from("MANIFEST-000001\n")],
		["MANIFEST-000001", logFile([fields(2, 0, 3, 2, 4, 0)])],
		["000003.log", logFile(batches)],
	];
}

/** A key as tables hold it. */
export function internalKey(key: string, sequence: number, type = 1): Buffer {
	const bytes = Buffer.alloc(key.length + 8);
	bytes.write(key, "latin1");
	bytes.writeBigUInt64LE(BigInt(sequence) * 256n + BigInt(type), key.length);
	return bytes;
}

export type Row = readonly [key: Uint8Array | string, value: Uint8Array | string];

/** A block in which no key leaves out anything. */
export function block(rows: readonly Row[], restarts = 1): Buffer {
	const entries = rows.map(([key, value]) =>
		Buffer.concat([
			varint(0),
			varint(key.length),
			varint(value.length),
			Buffer.from(key),
			Buffer.from(value),
		]),
	);
	const end = Buffer.alloc(4 * restarts + 4);
	end.writeUInt32LE(restarts, 4 * restarts);
	return Buffer.concat([...entries, end]);
}

export interface TableParts {
	readonly blocks: readonly Uint8Array[];
	/** Keys of the index; absent: such as no reader may rely on. */
	readonly indexKeys?: readonly Uint8Array[];
	/** How the data blocks say that they are packed. */
	readonly packing?: number;
	readonly properties?: readonly Row[];
	/** Other things that the metaindex names. */
	readonly others?: readonly string[];
	/** Footer of RocksDB's own formats. */
	readonly format?: number;
	readonly checksum?: number;
}

const LEVEL_MAGIC = Buffer.from("57fb808b247547db", "hex");
const ROCKS_MAGIC = Buffer.from("f7cff485b741e288", "hex");

/** A table of LevelDB, or of RocksDB before format 6. */
export function table({
	blocks,
	indexKeys,
	packing = 0,
	properties,
	others = [],
	format,
	checksum = 1,
}: TableParts): Buffer {
	const parts: Buffer[] = [];
	let size = 0;
	const add = (content: Uint8Array, type = 0): Buffer => {
		const handle = Buffer.concat([varint(size), varint(content.length)]);
		const bytes = Buffer.concat([content, Buffer.from([type, 0, 0, 0, 0])]);
		bytes.writeUInt32LE(maskedCrc32c(crc32c(bytes, 0, content.length + 1)), content.length + 1);
		parts.push(bytes);
		size += bytes.length;
		return handle;
	};
	const handles = blocks.map((each) => add(each, packing));
	const meta: Row[] = others.map((name) => [name, handles[0] as Buffer]);
	if (properties) meta.push(["rocksdb.properties", add(block(properties))]);
	const index = handles.map((handle, i): Row => [indexKeys?.[i] ?? internalKey(`${i}`, 1), handle]);
	const places = [add(block(meta)), add(block(index))];
	if (format === undefined) {
		const footer = Buffer.concat([...places, Buffer.alloc(40)]).subarray(0, 40);
		return Buffer.concat([...parts, footer, LEVEL_MAGIC]);
	}
	const footer = Buffer.concat([Buffer.from([checksum]), ...places, Buffer.alloc(41)]).subarray(0, 45);
	footer.writeUInt32LE(format, 41);
	return Buffer.concat([...parts, footer, ROCKS_MAGIC]);
}

export interface MadeTable {
	readonly level: number;
	readonly bytes: Uint8Array;
	readonly smallest: Uint8Array;
	readonly largest: Uint8Array;
}

/** The files of a store with tables, numbered from 5 on, and an empty log. */
export function tableStore(tables: readonly MadeTable[], lastSequence = 99): [string, Buffer][] {
	const edits = tables.map(({ level, bytes, smallest, largest }, i) =>
		Buffer.concat([fields(7, level, 5 + i, bytes.length), counted(smallest), counted(largest)]),
	);
	return [
		["CURRENT", Buffer.from("MANIFEST-000002\n")],
		[
			"MANIFEST-000002",
			logFile([
				Buffer.concat([
					fields(1),
					counted("leveldb.BytewiseComparator"),
					fields(2, 4, 3, 50, 4, lastSequence),
				]),
				...edits,
			]),
		],
		["000004.log", Buffer.alloc(0)],
		...tables.map(({ bytes }, i): [string, Buffer] => [
			`${String(5 + i).padStart(6, "0")}.ldb`,
			Buffer.from(bytes),
		]),
	];
}
