/** Blocks of tables, with prefix-compressed keys (doc/table_format.md of LevelDB). */

import { ByteReader, FormatError } from "./byte-reader.js";
import { MAX_BLOCKS, MAX_INDEX_KEY_BYTES, MAX_NAMES, requireKeyLength } from "./limits.js";

export interface BlockHandle {
	readonly offset: number;
	/** Without the trailer. */
	readonly size: number;
}

/** Where a block's entries end and its restart points begin. @throws {FormatError} */
function endOfEntries(block: Uint8Array): number {
	if (block.length < 4) throw new FormatError("has no restart points");
	const restarts = new ByteReader(block, block.length - 4).fixed32();
	if (restarts >= 2 ** 31) throw new FormatError("has a hash index, which the reference doesn't make");
	const end = block.length - 4 - 4 * restarts;
	if (end < 0) throw new FormatError("has more restart points than bytes");
	return end;
}

/** Iterates the entries of a block. */
export class BlockCursor {
	/** Its first `keyLength` bytes are the current key. */
	key = Buffer.allocUnsafe(256);
	keyLength = 0;
	/** How many bytes the key shares with the previous one. */
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
		requireKeyLength(keyLength);
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

/** Entries of a block by name, for metaindex and properties. @throws {FormatError} */
export function blockProperties(block: Uint8Array): Map<string, Uint8Array> {
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

/** Bytes of sequence number and type after a key. */
export const INTERNAL_BYTES = 8;

/** The sequence number after a key. */
export function sequenceAt(key: Uint8Array, end: number): number {
	let sequence = 0;
	for (let i = end + INTERNAL_BYTES - 1; i > end; i--) sequence = sequence * 256 + (key[i] as number);
	return sequence;
}

/** Encoding of index entries. */
interface IndexForm {
	/** Whether most values are only the size's difference to the previous one (RocksDB from format 4 on). */
	readonly isDelta: boolean;
	/** Bytes between two blocks. */
	readonly trailerBytes: number;
	/** Whether keys lack sequence number and type. */
	readonly hasUserKeys: boolean;
}

/** Locations of a table's blocks in file order, with the last key of each. */
export class BlockIndex {
	private constructor(
		private readonly offsets: Float64Array,
		private readonly sizes: Float64Array,
		/** Concatenated keys, without sequence number and type, and where each ends. */
		private readonly keys: Buffer,
		private readonly keyEnds: Uint32Array,
	) {}

	/** @throws {FormatError} */
	static read(block: Uint8Array, form: IndexForm): BlockIndex {
		const reader = new ByteReader(block, 0, endOfEntries(block));
		const offsets: number[] = [];
		const sizes: number[] = [];
		const keys = new KeyCollector();
		let [offset, size] = [0, 0];
		while (!reader.isAtEnd) {
			const shared = reader.varint();
			const unshared = reader.varint();
			const valueLength = form.isDelta ? 0 : reader.varint();
			const start = reader.advance(unshared);
			keys.add(shared, block.subarray(start, start + unshared), form.hasUserKeys ? 0 : INTERNAL_BYTES);
			if (form.isDelta && shared > 0) {
				const coded = reader.varint();
				offset += size + form.trailerBytes;
				size += coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2;
			} else {
				const end = reader.at + valueLength;
				({ offset, size } = handleOf(reader));
				if (!form.isDelta && reader.at !== end)
					throw new FormatError("has an entry that is not a place in the file");
			}
			if (offsets.length >= MAX_BLOCKS) throw new FormatError(`names more than ${MAX_BLOCKS} blocks`);
			offsets.push(offset);
			sizes.push(size);
		}
		return new BlockIndex(Float64Array.from(offsets), Float64Array.from(sizes), keys.bytes, keys.ends);
	}

	get length(): number {
		return this.offsets.length;
	}

	/** Memory used. */
	get bytes(): number {
		return this.length * 20 + this.keys.length;
	}

	/** @returns undefined behind the last */
	handle(at: number): BlockHandle | undefined {
		const offset = this.offsets[at];
		return offset === undefined ? undefined : { offset, size: this.sizes[at] as number };
	}

	/**
	 * The first block that may hold this or a later key; the number of blocks if none does. Only for byte
	 * order: under other orders index keys aren't reliable.
	 */
	firstFrom(key: Uint8Array): number {
		let [low, high] = [0, this.length];
		while (low < high) {
			const middle = (low + high) >>> 1;
			const start = middle === 0 ? 0 : (this.keyEnds[middle - 1] as number);
			const last = this.keys.subarray(start, this.keyEnds[middle]);
			if (Buffer.compare(last, key) < 0) low = middle + 1;
			else high = middle;
		}
		return low;
	}
}

/** Decodes prefix-compressed keys. */
class KeyCollector {
	private buffer = Buffer.allocUnsafe(4096);
	private used = 0;
	private readonly ended: number[] = [];
	private present = Buffer.allocUnsafe(256);
	private length = 0;

	/** @param unshared the rest of the key @param dropped bytes at its end that are left out @throws {FormatError} */
	add(shared: number, unshared: Uint8Array, dropped: number): void {
		if (shared > this.length) throw new FormatError("shares more of a key than there is");
		this.length = shared + unshared.length;
		requireKeyLength(this.length);
		if (this.length < dropped) throw new FormatError("has a key that is too short");
		if (this.length > this.present.length) this.present = enlarged(this.present, this.length);
		this.present.set(unshared, shared);
		const kept = this.length - dropped;
		if (this.used + kept > MAX_INDEX_KEY_BYTES) throw new FormatError("has keys that are too long");
		if (this.used + kept > this.buffer.length) this.buffer = enlarged(this.buffer, this.used + kept);
		this.buffer.set(this.present.subarray(0, kept), this.used);
		this.used += kept;
		this.ended.push(this.used);
	}

	get bytes(): Buffer {
		return Buffer.from(this.buffer.subarray(0, this.used));
	}

	get ends(): Uint32Array {
		return Uint32Array.from(this.ended);
	}
}

function enlarged(before: Buffer, length: number): Buffer<ArrayBuffer> {
	const larger = Buffer.allocUnsafe(2 * length);
	larger.set(before);
	return larger;
}
