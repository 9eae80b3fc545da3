/** Reads a segment: one positioned read and one decompression per group, all verified by CRC-32. */

import { brotliDecompressSync, crc32 } from "node:zlib";
import type { ReadableFile } from "./segment-files.js";
import {
	decodeFooter,
	decodeSegmentIndex,
	FOOTER_BYTES,
	type GroupFacts,
	INDEX_ENTRY_BYTES,
	idAt,
	MARKER,
	SegmentDamage,
	unpackRows,
} from "./segment-format.js";
import type { SegmentNote } from "./segment-writer.js";

/** The compressed parts of a group. */
export type SegmentPart = "blocks" | "receipts";

export class SegmentFile {
	private constructor(
		private readonly file: ReadableFile,
		readonly first: bigint,
		readonly groups: readonly GroupFacts[],
	) {}

	/**
	 * Reads footer and index.
	 * @param note the expected footer; absent: any
	 * @throws {SegmentDamage}
	 */
	static open(file: ReadableFile, note?: SegmentNote): SegmentFile {
		const size = file.size;
		if (note && size !== note.bytes) throw new SegmentDamage(`it has ${size} bytes instead of ${note.bytes}`);
		const footer = decodeFooter(file.read(Math.max(0, size - FOOTER_BYTES), FOOTER_BYTES), size);
		const last = footer.first + BigInt(footer.count) - 1n;
		if (note && (footer.crc !== note.crc || footer.first !== note.first || last !== note.last)) {
			throw new SegmentDamage("its footer is another one");
		}
		const index = file.read(footer.indexAt, footer.groups * INDEX_ENTRY_BYTES);
		if (crc32(index) !== footer.indexCrc) throw new SegmentDamage("its index can't be read");
		return new SegmentFile(file, footer.first, decodeSegmentIndex(index, footer));
	}

	/** The group containing a block of this segment. */
	groupOf(number: bigint): number {
		const place = Number(number - this.first);
		let [low, high] = [0, this.groups.length - 1];
		while (low < high) {
			const middle = (low + high + 1) >> 1;
			if ((this.groups[middle] as GroupFacts).before <= place) low = middle;
			else high = middle - 1;
		}
		return low;
	}

	/** The position of a block in its group. */
	placeIn(group: number, number: bigint): number {
		return Number(number - this.first) - (this.groups[group] as GroupFacts).before;
	}

	/** The id of a block of this segment. @throws {SegmentDamage} */
	id(number: bigint): Buffer {
		const group = this.groupOf(number);
		const { at, ids } = this.groups[group] as GroupFacts;
		return idAt(this.part(at, ids), this.placeIn(group, number), number);
	}

	/** The blocks or receipts of a group, decompressed. @throws {SegmentDamage} */
	rows(group: number, part: SegmentPart): readonly (Buffer | undefined)[] {
		const facts = this.groups[group] as GroupFacts;
		const at = facts.at + facts.ids.bytes + (part === "receipts" ? facts.blocks.bytes : 0);
		const packed = this.part(at, facts[part]);
		return unpackRows(unpack(packed, facts[part].raw), facts.count);
	}

	private part(at: number, { bytes, crc }: { readonly bytes: number; readonly crc: number }): Buffer {
		const read = this.file.read(at, bytes);
		if (crc32(read) !== crc) throw new SegmentDamage(`its bytes from ${at} on have changed`);
		return read;
	}

	/**
	 * Reads the whole file once.
	 * @param onGroup called after each group, with its ids and blocks @throws {SegmentDamage}
	 */
	*check(): Generator<{ readonly ids: readonly Buffer[]; readonly blocks: readonly (Buffer | undefined)[] }> {
		if (!MARKER.equals(this.file.read(0, MARKER.length)))
			throw new SegmentDamage("its first bytes have changed");
		for (const [group, { at, ids, before, count }] of this.groups.entries()) {
			const bytes = this.part(at, ids);
			const blocks = this.rows(group, "blocks");
			this.rows(group, "receipts");
			const first = this.first + BigInt(before);
			yield {
				ids: Array.from({ length: count }, (_, place) => idAt(bytes, place, first + BigInt(place))),
				blocks,
			};
		}
	}

	close(): void {
		this.file.close();
	}
}

function unpack(bytes: Buffer, raw: number): Buffer {
	try {
		const unpacked = brotliDecompressSync(bytes, { maxOutputLength: Math.max(raw, 1) });
		if (unpacked.length === raw) return unpacked;
	} catch {
		// Treat it like a wrong length.
	}
	throw new SegmentDamage("a group can't be unpacked");
}
