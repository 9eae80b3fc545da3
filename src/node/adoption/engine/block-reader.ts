/** Blocks of one table: read through a window that moves with them, checked, and unpacked. */

import { SnappyError, uncompress, uncompressedLength } from "../../../protocol/snappy.js";
import { TRAILER_BYTES } from "../../state/table-checksums.js";
import type { BlockHandle } from "./block.js";
import { checksumOf, placeModifier, type Xxh3 } from "./block-checksum.js";
import { FormatError } from "./byte-reader.js";
import type { ForeignFile } from "./foreign-file.js";
import { MAX_SNAPPY_RATIO } from "./limits.js";
import type { Footer } from "./table-format.js";

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
}

export class BlockReader {
	private window = Buffer.alloc(0);
	private start = 0;
	private length = 0;

	constructor(
		private readonly file: ForeignFile,
		private readonly footer: Footer,
		private readonly reading: ReadingMode,
	) {}

	/** A checked block without its packing, valid until the next one. @throws {ForeignStoreError} */
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
			return uncompress(content);
		} catch (error) {
			if (!(error instanceof SnappyError)) throw error;
			throw this.fault(handle, what, `can't be unpacked: ${error.message}`);
		}
	}

	/** Reads a block and makes something of it. @throws {ForeignStoreError} */
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

	/** Tables are read from front to end, so the window begins with what is wanted. */
	private move(offset: number, size: number): void {
		const length = Math.min(Math.max(size, this.reading.windowBytes), this.file.size - offset);
		if (this.window.length < length) this.window = Buffer.allocUnsafeSlow(length);
		this.length = 0;
		this.file.read(this.window.subarray(0, length), offset);
		this.start = offset;
		this.length = length;
	}
}
