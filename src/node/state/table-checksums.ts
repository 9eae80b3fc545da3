/**
 * Verifies a LevelDB table by its own checksums, and reads which tables a manifest names
 * (doc/table_format.md, doc/log_format.md and doc/impl.md of LevelDB).
 */

import { crc32c, maskedCrc32c } from "../../protocol/crc32c.js";
import { SnappyError, uncompress } from "../../protocol/snappy.js";

const FOOTER_BYTES = 48;
const MAGIC = Buffer.from([0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb]);
/** Trailer of each block: compression type, and checksum of both. */
export const TRAILER_BYTES = 5;
const SNAPPY = 1;

const LOG_BLOCK_BYTES = 32_768;
const LOG_HEADER_BYTES = 7;
/** Record types of a log: complete ones, and the first and last part of one that spans blocks. */
export const FULL = 1;
export const FIRST = 2;
export const LAST = 4;

/** Fields of a manifest edit. */
const COMPARATOR = 1;
const NUMBERS: ReadonlySet<number> = new Set([2, 3, 4, 9]);
const COMPACT_POINTER = 5;
const DELETED_FILE = 6;
const NEW_FILE = 7;

/** Bytes in an unexpected format. */
class FormatError extends Error {}

interface Handle {
	readonly offset: number;
	readonly size: number;
}

/** Whether every block's checksum is right and the table consists of just the blocks and the footer. */
export function isWholeTable(bytes: Buffer): boolean {
	try {
		checkTable(bytes);
		return true;
	} catch (error) {
		if (error instanceof FormatError || error instanceof SnappyError) return false;
		throw error;
	}
}

function checkTable(bytes: Buffer): void {
	const end = bytes.length - FOOTER_BYTES;
	if (end < 0 || !MAGIC.equals(bytes.subarray(-MAGIC.length))) throw new FormatError("footer");
	const footer = new Reader(bytes.subarray(end, -MAGIC.length));
	const metaIndex = footer.handle();
	const index = footer.handle();
	if (footer.rest().some((byte) => byte !== 0)) throw new FormatError("footer");
	const blocks = [
		...handlesOf(blockAt(bytes, index)),
		...handlesOf(blockAt(bytes, metaIndex)),
		metaIndex,
		index,
	].sort((a, b) => a.offset - b.offset);
	let at = 0;
	for (const handle of blocks) {
		if (handle.offset !== at) throw new FormatError("gap");
		checkedBlock(bytes, handle);
		at += handle.size + TRAILER_BYTES;
	}
	if (at !== end) throw new FormatError("end");
}

/** A block with its trailer. */
function checkedBlock(bytes: Buffer, { offset, size }: Handle): Buffer {
	if (offset + size + TRAILER_BYTES > bytes.length) throw new FormatError("handle");
	const block = bytes.subarray(offset, offset + size + TRAILER_BYTES);
	if (maskedCrc32c(crc32c(block.subarray(0, size + 1))) !== block.readUInt32LE(size + 1))
		throw new FormatError("checksum");
	return block;
}

function blockAt(bytes: Buffer, handle: Handle): Uint8Array {
	const block = checkedBlock(bytes, handle);
	const content = block.subarray(0, handle.size);
	return block[handle.size] === SNAPPY ? uncompress(content) : content;
}

/** The values of a block whose values are handles. */
function handlesOf(block: Uint8Array): readonly Handle[] {
	if (block.length < 4) throw new FormatError("block");
	const view = new DataView(block.buffer, block.byteOffset, block.length);
	const end = block.length - 4 - 4 * view.getUint32(block.length - 4, true);
	if (end < 0) throw new FormatError("block");
	const reader = new Reader(block.subarray(0, end));
	const handles: Handle[] = [];
	while (!reader.isAtEnd) {
		reader.number();
		const keyBytes = reader.number();
		const valueBytes = reader.number();
		reader.skip(keyBytes);
		handles.push(new Reader(reader.skip(valueBytes)).handle());
	}
	return handles;
}

/**
 * Numbers of the tables that a manifest finally names. A torn end left by a kill is ignored; if it is
 * unreadable for other reasons, the library itself will report it.
 */
export function tablesOfManifest(manifest: Buffer): ReadonlySet<number> {
	const live = new Set<number>();
	try {
		for (const record of logRecords(manifest)) applyEdit(live, new Reader(record));
	} catch (error) {
		if (!(error instanceof FormatError)) throw error;
	}
	return live;
}

function applyEdit(live: Set<number>, edit: Reader): void {
	while (!edit.isAtEnd) {
		const tag = edit.number();
		if (tag === COMPARATOR) edit.skip(edit.number());
		else if (NUMBERS.has(tag)) edit.number();
		else if (tag === COMPACT_POINTER) {
			edit.number();
			edit.skip(edit.number());
		} else if (tag === DELETED_FILE) {
			edit.number();
			live.delete(edit.number());
		} else if (tag === NEW_FILE) {
			edit.number();
			live.add(edit.number());
			edit.number();
			edit.skip(edit.number());
			edit.skip(edit.number());
		} else throw new FormatError("tag");
	}
}

function* logRecords(log: Buffer): Generator<Buffer> {
	let parts: Buffer[] = [];
	for (let at = 0; at + LOG_HEADER_BYTES <= log.length; ) {
		const room = LOG_BLOCK_BYTES - (at % LOG_BLOCK_BYTES);
		if (room < LOG_HEADER_BYTES) {
			at += room;
			continue;
		}
		const length = log.readUInt16LE(at + 4);
		const type = log[at + 6] as number;
		const end = at + LOG_HEADER_BYTES + length;
		if (end > log.length || maskedCrc32c(crc32c(log.subarray(at + 6, end))) !== log.readUInt32LE(at)) return;
		if (type === FULL || type === FIRST) parts = [];
		parts.push(log.subarray(at + LOG_HEADER_BYTES, end));
		if (type === FULL || type === LAST) yield Buffer.concat(parts);
		at = end;
	}
}

class Reader {
	private at = 0;

	constructor(private readonly bytes: Uint8Array) {}

	get isAtEnd(): boolean {
		return this.at >= this.bytes.length;
	}

	/** A varint: groups of seven bits, lowest first. */
	number(): number {
		let value = 0;
		for (let scale = 1; ; scale *= 128) {
			const byte = this.bytes[this.at++];
			if (byte === undefined || scale > Number.MAX_SAFE_INTEGER) throw new FormatError("number");
			value += (byte & 0x7f) * scale;
			if (byte < 0x80) return value;
		}
	}

	handle(): Handle {
		return { offset: this.number(), size: this.number() };
	}

	skip(count: number): Uint8Array {
		if (this.at + count > this.bytes.length) throw new FormatError("length");
		this.at += count;
		return this.bytes.subarray(this.at - count, this.at);
	}

	rest(): Uint8Array {
		return this.bytes.subarray(this.at);
	}
}
