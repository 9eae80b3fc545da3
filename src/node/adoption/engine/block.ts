/** Blocks of tables: entries whose keys leave out what they share with the one before (doc/table_format.md of LevelDB). */

import { ByteReader, FormatError } from "./byte-reader.js";
import { MAX_BLOCKS, MAX_NAMES } from "./limits.js";

export interface BlockHandle {
	readonly offset: number;
	/** Without the trailer. */
	readonly size: number;
}

/** Where the entries of a block end and its restart points begin. @throws {FormatError} */
function endOfEntries(block: Uint8Array): number {
	if (block.length < 4) throw new FormatError("has no restart points");
	const restarts = new ByteReader(block, block.length - 4).fixed32();
	if (restarts >= 2 ** 31) throw new FormatError("has a hash index, which the reference doesn't make");
	const end = block.length - 4 - 4 * restarts;
	if (end < 0) throw new FormatError("has more restart points than bytes");
	return end;
}

/** Walks the entries of a block. */
export class BlockCursor {
	/** Its first `keyLength` bytes are the present key. */
	key = Buffer.allocUnsafe(256);
	keyLength = 0;
	/** How many bytes of the key are those of the one before. */
	shared = 0;
	valueStart = 0;
	valueEnd = 0;
	private block: Uint8Array = new Uint8Array(0);
	private at = 0;
	private end = 0;

	/** @throws {FormatError} */
	open(block: Uint8Array): void {
		this.end = endOfEntries(block);
		this.block = block;
		this.at = 0;
		this.keyLength = 0;
	}

	value(): Uint8Array {
		return this.block.subarray(this.valueStart, this.valueEnd);
	}

	/** @returns false at the end @throws {FormatError} */
	next(): boolean {
		if (this.at >= this.end) return false;
		const { block } = this;
		const shared = this.length();
		const unshared = this.length();
		const valueLength = this.length();
		if (shared > this.keyLength) throw new FormatError("shares more of a key than there is");
		const start = this.at;
		if (unshared + valueLength > this.end - start) throw new FormatError("ends within an entry");
		const keyLength = shared + unshared;
		if (keyLength > this.key.length) {
			const larger = Buffer.allocUnsafe(2 * keyLength);
			larger.set(this.key.subarray(0, shared));
			this.key = larger;
		}
		const { key } = this;
		for (let i = 0; i < unshared; i++) key[shared + i] = block[start + i] as number;
		this.shared = shared;
		this.keyLength = keyLength;
		this.valueStart = start + unshared;
		this.valueEnd = this.valueStart + valueLength;
		this.at = this.valueEnd;
		return true;
	}

	/** A length; nearly all have one byte. */
	private length(): number {
		const byte = this.at < this.end ? (this.block[this.at] as number) : 0x80;
		if (byte < 0x80) {
			this.at++;
			return byte;
		}
		const reader = new ByteReader(this.block, this.at, this.end);
		const value = reader.varint();
		this.at = reader.at;
		return value;
	}
}

/** The entries of a block by their names: of the metaindex and the properties. @throws {FormatError} */
export function namedValues(block: Uint8Array): Map<string, Uint8Array> {
	const cursor = new BlockCursor();
	cursor.open(block);
	const found = new Map<string, Uint8Array>();
	while (cursor.next()) {
		if (found.size >= MAX_NAMES) throw new FormatError(`has more than ${MAX_NAMES} names`);
		found.set(cursor.key.toString("latin1", 0, cursor.keyLength), cursor.value());
	}
	return found;
}

/** Offset and size. @throws {FormatError} */
export function handleOf(reader: ByteReader): BlockHandle {
	return { offset: reader.varint(), size: reader.varint() };
}

/**
 * The handles of an index, in the order of the file. Its keys aren't looked at: under another order than that of bytes
 * they are not to be relied on.
 * @param isDelta whether most values are only the difference of the size to that before (RocksDB from format 4 on)
 * @param trailerBytes bytes between two blocks
 * @throws {FormatError}
 */
export function readIndex(block: Uint8Array, isDelta: boolean, trailerBytes: number): BlockHandle[] {
	const reader = new ByteReader(block, 0, endOfEntries(block));
	const handles: BlockHandle[] = [];
	let last: BlockHandle = { offset: 0, size: 0 };
	while (!reader.isAtEnd) {
		const shared = reader.varint();
		const unshared = reader.varint();
		const valueLength = isDelta ? 0 : reader.varint();
		reader.advance(unshared);
		if (isDelta && shared > 0) {
			const coded = reader.varint();
			const difference = coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
			last = { offset: last.offset + last.size + trailerBytes, size: last.size + difference };
		} else {
			const end = reader.at + valueLength;
			last = handleOf(reader);
			if (!isDelta && reader.at !== end)
				throw new FormatError("has an entry that is not a place in the file");
		}
		if (handles.length >= MAX_BLOCKS) throw new FormatError(`names more than ${MAX_BLOCKS} blocks`);
		handles.push(last);
	}
	return handles;
}
