/**
 * The framing of logs and manifests in both engines (doc/log_format.md of LevelDB): 32 KiB blocks holding
 * checksummed records; a record that doesn't fit continues in the next block.
 */

import { crc32c, maskedCrc32c, prefixWithCrc32c, unmaskedCrc32c } from "../../../protocol/crc32c.js";
import { FIRST, FULL, LAST } from "../../state/table-checksums.js";
import type { ForeignFile } from "./foreign-file.js";

const BLOCK_BYTES = 32_768;
const HEADER_BYTES = 7;
const CHUNK_BYTES = 32 * BLOCK_BYTES;

const MIDDLE = 3;

/** A record, or part of one that spans blocks. The data are valid until the next step. */
interface Fragment {
	readonly data: Buffer;
	readonly isFirst: boolean;
	readonly isLast: boolean;
	/** Offset in the file. */
	readonly offset: number;
}

/** Reads a file of records from the beginning, once. */
export class LogRecords {
	/**
	 * Where the file ends within a record, as a kill leaves it; parts already yielded of that record (a first
	 * without a last) don't count.
	 */
	tornAt: number | undefined;
	private isWithin = false;
	private recordStart = 0;

	constructor(private readonly file: ForeignFile) {}

	/** @throws {ForeignStoreError} for anything but whole records and the end that a kill leaves */
	*fragments(): Generator<Fragment> {
		const { file } = this;
		const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, file.size));
		let ended: number | undefined;
		for (let start = 0; start < file.size; start += chunk.length) {
			const length = Math.min(chunk.length, file.size - start);
			file.read(chunk.subarray(0, length), start);
			for (let at = 0; at < length; at += BLOCK_BYTES) {
				const end = Math.min(at + BLOCK_BYTES, length);
				if (ended === undefined) ended = yield* this.block(chunk, at, end, start);
				else this.requireZeros(chunk, at, end, start);
			}
		}
		if (this.isWithin) this.tornAt = this.recordStart;
	}

	/** @returns where the records end, if they do so in this block */
	private *block(
		chunk: Buffer,
		begin: number,
		end: number,
		base: number,
	): Generator<Fragment, number | undefined> {
		let at = begin;
		while (begin + BLOCK_BYTES - at >= HEADER_BYTES) {
			if (at === end) return undefined;
			if (end - at < HEADER_BYTES) {
				this.tornAt = this.isWithin ? this.recordStart : base + at;
				this.isWithin = false;
				return undefined;
			}
			const length = chunk.readUInt16LE(at + 4);
			const type = chunk[at + 6] as number;
			if (type === 0 && length === 0 && chunk.readUInt32LE(at) === 0) {
				// Preallocated space: nothing was written from here on.
				this.requireZeros(chunk, at, end, base);
				return base + at;
			}
			const dataEnd = at + HEADER_BYTES + length;
			if (dataEnd > begin + BLOCK_BYTES) throw this.damaged(base + at, "longer than its block");
			if (dataEnd > end) {
				this.requireTorn(chunk, at, end, base);
				return undefined;
			}
			if (maskedCrc32c(crc32c(chunk, at + 6, dataEnd)) !== chunk.readUInt32LE(at)) {
				throw this.damaged(base + at, "not what its checksum says");
			}
			yield this.fragment(type, chunk.subarray(at + HEADER_BYTES, dataEnd), base + at);
			at = dataEnd;
		}
		return undefined;
	}

	private fragment(type: number, data: Buffer, offset: number): Fragment {
		if (type < FULL || type > LAST)
			throw this.damaged(offset, `of type ${type}, which no reference node writes`);
		const isFirst = type === FULL || type === FIRST;
		if (isFirst === this.isWithin) {
			throw this.damaged(offset, isFirst ? "in the middle of another" : "the end of one that isn't there");
		}
		if (isFirst) this.recordStart = offset;
		this.isWithin = type === FIRST || type === MIDDLE;
		return { data, isFirst, isLast: !this.isWithin, offset };
	}

	/**
	 * A record extending beyond the end of the file results from a kill, unless its length itself is corrupt:
	 * then all bytes covered by its checksum are there.
	 */
	private requireTorn(chunk: Buffer, at: number, end: number, base: number): void {
		const crc = unmaskedCrc32c(chunk.readUInt32LE(at));
		if (prefixWithCrc32c(chunk, at + 6, end, crc) !== -1) throw this.damaged(base + at, "longer than it was");
		this.tornAt = this.isWithin ? this.recordStart : base + at;
		this.isWithin = false;
	}

	private requireZeros(chunk: Buffer, from: number, to: number, base: number): void {
		for (let at = from; at < to; at++) {
			if (chunk[at] !== 0) throw this.damaged(base + at, "behind the end of the others");
		}
	}

	private damaged(offset: number, what: string): Error {
		return this.file.fault(`is damaged: the record at byte ${offset} is ${what}`);
	}
}
