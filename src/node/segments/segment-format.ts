/**
 * Format of a segment file: old blocks with ids and receipts, in groups that are read and decompressed individually.
 *
 * marker (8 bytes), groups, index, footer. A group has three consecutive parts: the last 24 bytes of each id
 * (the first eight are the number), the blocks, the receipts; the latter two are compressed. The index has
 * one entry per group, with the CRC-32 of each part; the footer has the CRC-32 of the index and of itself, so
 * the footer's CRC authenticates the whole file. Numbers are little-endian.
 */

import { crc32 } from "node:zlib";

/** What a segment stores of one block. */
export interface SegmentRow {
	/** 32 bytes; the first eight are the number. */
	readonly id: Uint8Array;
	/** An encoded block. */
	readonly block: Uint8Array;
	/** The encoded receipts of its transactions; undefined if the block has none. */
	readonly receipts: Uint8Array | undefined;
}

/** A part of a group. */
interface PartFacts {
	readonly bytes: number;
	/** Uncompressed length. */
	readonly raw: number;
	readonly crc: number;
}

/** An entry of the index. */
export interface GroupFacts {
	/** Offset of the group in the file. */
	readonly at: number;
	/** Number of blocks of the segment before it. */
	readonly before: number;
	readonly count: number;
	readonly ids: PartFacts;
	readonly blocks: PartFacts;
	readonly receipts: PartFacts;
}

interface SegmentFooter {
	/** Number of the first block. */
	readonly first: bigint;
	readonly count: number;
	readonly groups: number;
	readonly indexAt: number;
	readonly indexCrc: number;
	/** CRC-32 of all of the above. */
	readonly crc: number;
}

/** The file isn't as it was written; the message is half a sentence. */
export class SegmentDamage extends Error {
	override readonly name = "SegmentDamage";
}

export const MARKER = Buffer.from("coinseg1", "latin1");
const ID_BYTES = 24;
export const INDEX_ENTRY_BYTES = 44;
export const FOOTER_BYTES = 40;
/** Length that marks absent receipts. */
const ABSENT = 0xffffffff;
/** Uncompressed size limit of a group's parts; written groups have one block or several small ones. */
const MAX_PART_BYTES = 96 << 20;

/** The three parts of a group, before the last two are compressed. */
export function groupParts(rows: readonly SegmentRow[]): {
	readonly ids: Buffer;
	readonly blocks: Buffer;
	readonly receipts: Buffer;
} {
	return {
		ids: Buffer.concat(rows.map(({ id }) => id.subarray(8))),
		blocks: packRows(rows.map(({ block }) => block)),
		receipts: packRows(rows.map(({ receipts }) => receipts)),
	};
}

/** The lengths of all rows, then the rows. */
function packRows(rows: readonly (Uint8Array | undefined)[]): Buffer {
	const lengths = Buffer.allocUnsafe(rows.length * 4);
	rows.forEach((row, at) => {
		lengths.writeUInt32LE(row?.length ?? ABSENT, at * 4);
	});
	return Buffer.concat([lengths, ...rows.filter((row) => row !== undefined)]);
}

/** Splits packed rows into views of the bytes. @throws {SegmentDamage} */
export function unpackRows(bytes: Buffer, count: number): (Buffer | undefined)[] {
	if (bytes.length < count * 4) throw new SegmentDamage("a group is too short");
	const rows: (Buffer | undefined)[] = [];
	let at = count * 4;
	for (let row = 0; row < count; row++) {
		const length = bytes.readUInt32LE(row * 4);
		if (length !== ABSENT && at + length > bytes.length) throw new SegmentDamage("a group is too short");
		rows.push(length === ABSENT ? undefined : bytes.subarray(at, at + length));
		if (length !== ABSENT) at += length;
	}
	if (at !== bytes.length) throw new SegmentDamage("a group is too long");
	return rows;
}

/** The id of a block, given its position in its group. */
export function idAt(ids: Uint8Array, place: number, number: bigint): Buffer {
	const id = Buffer.alloc(32);
	id.writeBigUInt64BE(number, 0);
	id.set(ids.subarray(place * ID_BYTES, (place + 1) * ID_BYTES), 8);
	return id;
}

export function encodeSegmentIndex(groups: readonly GroupFacts[]): Buffer {
	const index = Buffer.alloc(groups.length * INDEX_ENTRY_BYTES);
	groups.forEach((group, at) => {
		const entry = index.subarray(at * INDEX_ENTRY_BYTES);
		entry.writeBigUInt64LE(BigInt(group.at), 0);
		const { ids, blocks, receipts } = group;
		const rest = [group.before, group.count, ids.crc, blocks.bytes, blocks.raw, blocks.crc];
		[...rest, receipts.bytes, receipts.raw, receipts.crc].forEach((value, place) => {
			entry.writeUInt32LE(value, 8 + place * 4);
		});
	});
	return index;
}

/** @throws {SegmentDamage} unless the groups are contiguous and contain all blocks */
export function decodeSegmentIndex(index: Buffer, { groups, count, indexAt }: SegmentFooter): GroupFacts[] {
	const facts: GroupFacts[] = [];
	let [at, before] = [MARKER.length, 0];
	for (let group = 0; group < groups; group++) {
		const entry = index.subarray(group * INDEX_ENTRY_BYTES, (group + 1) * INDEX_ENTRY_BYTES);
		const word = (place: number): number => entry.readUInt32LE(8 + place * 4);
		const blocksIn = word(1);
		const ids = { bytes: blocksIn * ID_BYTES, raw: blocksIn * ID_BYTES, crc: word(2) };
		const blocks = { bytes: word(3), raw: word(4), crc: word(5) };
		const receipts = { bytes: word(6), raw: word(7), crc: word(8) };
		const isNext = entry.readBigUInt64LE(0) === BigInt(at) && word(0) === before && blocksIn > 0;
		if (!isNext || blocks.raw > MAX_PART_BYTES || receipts.raw > MAX_PART_BYTES) {
			throw new SegmentDamage("its index makes no sense");
		}
		facts.push({ at, before, count: blocksIn, ids, blocks, receipts });
		at += ids.bytes + blocks.bytes + receipts.bytes;
		before += blocksIn;
	}
	if (at !== indexAt || before !== count) throw new SegmentDamage("its index makes no sense");
	return facts;
}

export function encodeFooter(footer: Omit<SegmentFooter, "crc">): Buffer {
	const bytes = Buffer.alloc(FOOTER_BYTES);
	bytes.set(MARKER);
	bytes.writeBigUInt64LE(footer.first, 8);
	bytes.writeUInt32LE(footer.count, 16);
	bytes.writeUInt32LE(footer.groups, 20);
	bytes.writeBigUInt64LE(BigInt(footer.indexAt), 24);
	bytes.writeUInt32LE(footer.indexCrc, 32);
	bytes.writeUInt32LE(crc32(bytes.subarray(0, FOOTER_BYTES - 4)), FOOTER_BYTES - 4);
	return bytes;
}

/** @param size of the whole file @throws {SegmentDamage} */
export function decodeFooter(bytes: Buffer, size: number): SegmentFooter {
	const crc = bytes.length === FOOTER_BYTES ? bytes.readUInt32LE(FOOTER_BYTES - 4) : undefined;
	if (crc !== crc32(bytes.subarray(0, FOOTER_BYTES - 4)) || !MARKER.equals(bytes.subarray(0, 8))) {
		throw new SegmentDamage("its footer can't be read");
	}
	const footer = {
		first: bytes.readBigUInt64LE(8),
		count: bytes.readUInt32LE(16),
		groups: bytes.readUInt32LE(20),
		indexAt: Number(bytes.readBigUInt64LE(24)),
		indexCrc: bytes.readUInt32LE(32),
		crc,
	};
	if (footer.indexAt + footer.groups * INDEX_ENTRY_BYTES + FOOTER_BYTES !== size) {
		throw new SegmentDamage(`it has ${size} bytes, which is not what its footer says`);
	}
	return footer;
}
