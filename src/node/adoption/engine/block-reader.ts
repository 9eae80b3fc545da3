/** Reads, verifies and decompresses the blocks of one table through a sliding window. */

import { crc32c, maskedCrc32c } from "../../../protocol/crc32c.js";
import { SnappyError, uncompress, uncompressedLength } from "../../../protocol/snappy.js";
import { TRAILER_BYTES } from "../../state/table-checksums.js";
import type { BlockHandle } from "./block.js";
import { FormatError } from "./byte-reader.js";
import type { ForeignFile } from "./foreign-file.js";
import { MAX_SNAPPY_RATIO, type OpenMemory } from "./limits.js";
import type { Footer } from "./table-format.js";

/** The checksums that end each block of a table (protocol/reference-stores §2). */
export const CRC32C = 1;
export const XXH3 = 4;

/** Factor for a block's last byte when RocksDB mixes it into a checksum of the bytes before. */
const LAST_BYTE_FACTOR = 0x6b9083d9;

/** XXH3 of 64 bits, its lower half. */
export type Xxh3 = (bytes: Uint8Array) => number;

let loaded: Promise<Xxh3> | undefined;

/** Loads the WebAssembly build of XXH3, once per process. */
export function loadXxh3(): Promise<Xxh3> {
	loaded ??= import("hash-wasm").then(async ({ createXXHash3 }) => {
		const hasher = await createXXHash3();
		return (bytes) => {
			const digest = hasher.init().update(bytes).digest("binary");
			return new DataView(digest.buffer, digest.byteOffset).getUint32(4);
		};
	});
	return loaded;
}

/** Checksum of bytes ending with the block's compression type, as stored behind them. */
export function checksumOf(type: typeof CRC32C | typeof XXH3, bytes: Uint8Array, xxh3: Xxh3): number {
	if (type === CRC32C) return maskedCrc32c(crc32c(bytes));
	const last = bytes[bytes.length - 1] as number;
	return (xxh3(bytes.subarray(0, -1)) ^ Math.imul(last, LAST_BYTE_FACTOR)) >>> 0;
}

/** What RocksDB adds from format 6 on, so that a misplaced block has a different checksum. */
export function placeModifier(base: number, offset: number): number {
	if (base === 0) return 0;
	return (base ^ ((offset % 2 ** 32) + Math.floor(offset / 2 ** 32))) >>> 0;
}

const UNPACKED = 0;
const SNAPPY = 1;
const PACKINGS: ReadonlyMap<number, string> = new Map([
	[2, "zlib"],
	[3, "bzip2"],
	[4, "LZ4"],
	[5, "LZ4HC"],
	[6, "XPRESS"],
	[7, "ZSTD"],
]);

export interface ReadingMode {
	readonly xxh3: Xxh3;
	readonly maxBlockBytes: number;
	readonly windowBytes: number;
	readonly memory: OpenMemory;
}

export class BlockReader {
	private window = Buffer.alloc(0);
	private start = 0;
	private length = 0;
	/** Size of the current block, if it was compressed. */
	private unpacked = 0;
	/** Bytes taken from the shared memory budget of open stores: window, block and what {@link hold} names. */
	private held = 0;

	constructor(
		private readonly file: ForeignFile,
		private readonly footer: Footer,
		private readonly reading: ReadingMode,
	) {}

	/** A verified and decompressed block, valid until the next one. @throws {ForeignStoreError} */
	private read(handle: BlockHandle, what: string): Uint8Array {
		const { size, offset } = handle;
		const { maxBlockBytes } = this.reading;
		if (size > maxBlockBytes) throw this.fault(handle, what, `has ${size} bytes, more than ${maxBlockBytes}`);
		if (offset < 0 || size < 0 || offset + size + TRAILER_BYTES > this.footer.offset) {
			throw this.fault(handle, what, "lies outside of the file");
		}
		const bytes = this.bytesAt(offset, size + TRAILER_BYTES);
		const sum =
			checksumOf(this.footer.checksum, bytes.subarray(0, size + 1), this.reading.xxh3) +
			placeModifier(this.footer.placeBase, offset);
		if (sum >>> 0 !== bytes.readUInt32LE(size + 1)) {
			throw this.fault(
				handle,
				what,
				"is not what its checksum says; a reference node uses it without looking at the checksum",
			);
		}
		const packing = bytes[size] as number;
		const content = bytes.subarray(0, size);
		if (packing === UNPACKED) return content;
		if (packing !== SNAPPY) {
			const name = PACKINGS.get(packing) ?? `method ${packing}`;
			throw this.fault(handle, what, `is packed with ${name}, which a reference node doesn't use`);
		}
		return this.unpack(content, handle, what);
	}

	private unpack(content: Buffer, handle: BlockHandle, what: string): Uint8Array {
		try {
			const length = uncompressedLength(content);
			if (length > this.reading.maxBlockBytes || length > MAX_SNAPPY_RATIO * content.length) {
				throw this.fault(handle, what, `claims to unpack to ${length} bytes`);
			}
			this.hold(length - this.unpacked);
			this.unpacked = length;
			return uncompress(content);
		} catch (error) {
			if (!(error instanceof SnappyError)) throw error;
			throw this.fault(handle, what, `can't be unpacked: ${error.message}`);
		}
	}

	/** Reads and parses a block. @throws {ForeignStoreError} */
	parse<T>(handle: BlockHandle, what: string, make: (block: Uint8Array) => T): T {
		const block = this.read(handle, what);
		try {
			return make(block);
		} catch (error) {
			if (!(error instanceof FormatError)) throw error;
			throw this.fault(handle, what, error.message);
		}
	}

	fault(handle: BlockHandle, what: string, fault: string): Error {
		return this.file.fault(
			`is damaged: its ${what} block at byte ${handle.offset} (${handle.size} bytes) ${fault}`,
		);
	}

	private bytesAt(offset: number, size: number): Buffer {
		if (offset < this.start || offset + size > this.start + this.length) this.move(offset, size);
		const from = offset - this.start;
		return this.window.subarray(from, from + size);
	}

	/**
	 * Takes bytes from the open stores' memory budget until {@link close}.
	 * @throws {ForeignStoreError} if there are none left
	 */
	hold(bytes: number): void {
		try {
			this.reading.memory.take(bytes);
		} catch (error) {
			if (!(error instanceof FormatError)) throw error;
			throw this.file.fault(`can't be read: it ${error.message}`);
		}
		this.held += bytes;
	}

	/** Closes the file and returns the budget. */
	close(): void {
		this.file.close();
		this.reading.memory.giveBack(this.held);
		this.held = 0;
	}

	/** Tables are read front to back, so the window starts at the wanted block. */
	private move(offset: number, size: number): void {
		const length = Math.min(Math.max(size, this.reading.windowBytes), this.file.size - offset);
		if (this.window.length < length) {
			this.hold(length - this.window.length);
			this.window = Buffer.allocUnsafeSlow(length);
		}
		this.length = 0;
		this.file.read(this.window.subarray(0, length), offset);
		this.start = offset;
		this.length = length;
	}
}
