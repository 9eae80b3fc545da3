/** Writes a segment group by group, so that memory use doesn't grow with the file. */

import { promisify } from "node:util";
import { brotliCompress, constants, crc32 } from "node:zlib";
import type { WritableFile } from "./segment-files.js";
import {
	encodeFooter,
	encodeSegmentIndex,
	type GroupFacts,
	groupParts,
	INDEX_ENTRY_BYTES,
	MARKER,
	type SegmentRow,
} from "./segment-format.js";

const compress = promisify(brotliCompress);

/**
 * Quality 1 is three times as fast as deflate and compresses better; 4 and 5 save another 2 to 4 % for three
 * to eight times the time (docs/benchmarks.md).
 */
const QUALITY = 1;

/** Identifies a segment file. */
export interface SegmentNote {
	readonly first: bigint;
	readonly last: bigint;
	/** Size of the whole file. */
	readonly bytes: number;
	/** CRC-32 of the footer. */
	readonly crc: number;
}

export class SegmentWriter {
	private readonly groups: GroupFacts[] = [];
	private at = 0;
	private count = 0;

	/** @param first number of the first block */
	constructor(
		private readonly file: WritableFile,
		private readonly first: bigint,
	) {}

	/** Adds a group of blocks following those before. Compression runs on another thread. */
	async add(rows: readonly SegmentRow[]): Promise<void> {
		if (this.at === 0) await this.write(MARKER);
		const { ids, blocks, receipts } = groupParts(rows);
		const [packedBlocks, packedReceipts] = await Promise.all([pack(blocks), pack(receipts)]);
		this.groups.push({
			at: this.at,
			before: this.count,
			count: rows.length,
			ids: { bytes: ids.length, raw: ids.length, crc: crc32(ids) },
			blocks: { bytes: packedBlocks.length, raw: blocks.length, crc: crc32(packedBlocks) },
			receipts: { bytes: packedReceipts.length, raw: receipts.length, crc: crc32(packedReceipts) },
		});
		this.count += rows.length;
		await this.write(Buffer.concat([ids, packedBlocks, packedReceipts]));
	}

	/** Completes the file; on return it is on disk, still under its initial name. */
	async finish(): Promise<SegmentNote> {
		const { first, count, groups } = this;
		const index = encodeSegmentIndex(groups);
		const footer = encodeFooter({
			first,
			count,
			groups: index.length / INDEX_ENTRY_BYTES,
			indexAt: this.at,
			indexCrc: crc32(index),
		});
		await this.write(Buffer.concat([index, footer]));
		await this.file.sync();
		return {
			first,
			last: first + BigInt(count) - 1n,
			bytes: this.at,
			crc: footer.readUInt32LE(footer.length - 4),
		};
	}

	private async write(bytes: Uint8Array): Promise<void> {
		await this.file.write(bytes);
		this.at += bytes.length;
	}
}

function pack(bytes: Buffer): Promise<Buffer> {
	return compress(bytes, {
		params: {
			[constants.BROTLI_PARAM_QUALITY]: QUALITY,
			[constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
		},
	});
}
