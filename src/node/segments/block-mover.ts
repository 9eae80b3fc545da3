/**
 * Moves old blocks from the database into segments in the background, and deletes the oldest if not all are kept. A kill at
 * any moment loses nothing: the file gets its final name once it is on disk, then the database records it, and only then are
 * its contents deleted from the database. Until then both hold the same data.
 */

import { dirname, join } from "node:path";
import { SignedBlock } from "../../protocol/block.js";
import { be64, readBe64 } from "../../protocol/bytes.js";
import { BATCH_ENTRIES, type Pace, PacedWork, PIECE_MS, Stopped } from "../scheduling/paced-work.js";
import { type BatchChange, DatabaseError, type KeyValueDatabase } from "../state/database.js";
import { stores } from "../state/definition.js";
import type { SegmentRow } from "./segment-format.js";
import { SegmentWriter } from "./segment-writer.js";
import { type NotedSegment, noteChange, noteKey, type Segments } from "./segments.js";

export interface MoverLimits {
	/** Number of newest blocks kept in the database, where most reads go. */
	readonly kept: number;
	/** Blocks per segment. */
	readonly blocks: number;
	/** Bytes per segment, uncompressed. */
	readonly bytes: number;
	/** Bytes per group, uncompressed. */
	readonly groupBytes: number;
}

export const MOVER_LIMITS: MoverLimits = {
	kept: 8_192,
	blocks: 16_384,
	bytes: 256 << 20,
	groupBytes: 128 << 10,
};

interface MoverOptions extends Pace {
	/** The database without the segments layered over it. */
	readonly database: KeyValueDatabase;
	readonly segments: Segments;
	/** The newest irreversible block that the database holds. */
	readonly stored: () => bigint;
	readonly limits: MoverLimits;
	/** How many of the newest blocks to keep; older segments are deleted. Undefined: all. */
	readonly keep?: number | undefined;
	/** Further keys to delete along with blocks in a range, besides those of their transactions. */
	readonly keysOf?: (first: bigint, last: bigint) => Iterable<Uint8Array>;
}

export class BlockMover extends PacedWork {
	constructor(private readonly options: MoverOptions) {
		super(options);
	}

	/** Moves and deletes what is due. @throws {DatabaseError} for any failure */
	protected async work(): Promise<void> {
		try {
			await this.removeForgotten();
			for (const note of this.options.segments.list) if (!note.isMoved) await this.empty(note);
			for (;;) {
				await this.prune();
				const first = await this.nextFirst();
				if (first === undefined) return;
				await this.empty(await this.build(first));
			}
		} catch (error) {
			if (error instanceof Stopped || error instanceof DatabaseError) throw error;
			const { code } = error as NodeJS.ErrnoException;
			const why = code === "ENOSPC" ? "no space left on the device" : (code ?? String(error));
			throw new DatabaseError(`the segments in ${this.options.segments.directory} can't be written: ${why}`, {
				cause: error,
			});
		}
	}

	/** First block of the next segment; undefined if there aren't enough blocks for one. */
	private async nextFirst(): Promise<bigint | undefined> {
		const { database, segments, stored, limits } = this.options;
		const first = segments.next ?? (await lowestStored(database));
		if (first === undefined) return undefined;
		return stored() - first + 1n >= BigInt(limits.blocks + limits.kept) ? first : undefined;
	}

	/** Writes a segment and records it. */
	private async build(first: bigint): Promise<NotedSegment> {
		const { database, segments, limits } = this.options;
		const { files, directory } = segments;
		files.makeDirectory(directory);
		await files.syncDirectory(dirname(directory));
		const path = segments.pathOf({ first });
		const partial = `${path}.new`;
		const file = await files.create(partial);
		let note: NotedSegment;
		try {
			const writer = new SegmentWriter(file, first);
			const end = first + BigInt(limits.blocks);
			let bytes = 0;
			for (let next = first; next < end && bytes < limits.bytes; ) {
				const started = this.options.now();
				const rows = await this.gather(next, end);
				await writer.add(rows);
				bytes += rows.reduce((sum, row) => sum + sizeOf(row), 0);
				next += BigInt(rows.length);
				await this.rest(started);
			}
			note = { ...(await writer.finish()), isMoved: false };
		} finally {
			await file.close();
		}
		await files.rename(partial, path);
		await files.syncDirectory(directory);
		await database.write([noteChange(note)], true);
		segments.note(note);
		return note;
	}

	/** Collects the blocks of a group. */
	private async gather(first: bigint, end: bigint): Promise<SegmentRow[]> {
		const { groupBytes } = this.options.limits;
		const rows: SegmentRow[] = [];
		let since = this.options.now();
		let bytes = 0;
		for (let number = first; number < end && bytes < groupBytes; number++) {
			const row = this.read(number);
			rows.push(row);
			bytes += sizeOf(row);
			if (this.options.now() - since < PIECE_MS) continue;
			await this.options.pause(0);
			since = this.options.now();
		}
		return rows;
	}

	private read(number: bigint): SegmentRow {
		const { database } = this.options;
		const id = database.get(keyOf(stores.blockIndex, be64(number)));
		const block = id && database.get(keyOf(stores.block, id));
		if (!block) throw new DatabaseError(`the database is damaged: block ${number} is missing`);
		return { id, block, receipts: database.get(keyOf(stores.transactionResult, be64(number))) };
	}

	/** Deletes a segment's contents from the database. */
	private async empty(note: NotedSegment): Promise<void> {
		const { database, segments } = this.options;
		let batch: BatchChange[] = [];
		let started = this.options.now();
		for (let number = note.first; number <= note.last; number++) {
			const id = segments.id(number) as Uint8Array;
			batch.push(
				{ key: keyOf(stores.blockIndex, be64(number)), value: null },
				{ key: keyOf(stores.block, id), value: null },
				{ key: keyOf(stores.transactionResult, be64(number)), value: null },
			);
			const isLong = this.options.now() - started >= PIECE_MS;
			if (batch.length < BATCH_ENTRIES && !isLong && number < note.last) continue;
			await database.write(batch, false);
			batch = [];
			await this.rest(started);
			started = this.options.now();
		}
		const moved = { ...note, isMoved: true };
		// Synced together with everything before it.
		await database.write([noteChange(moved)], true);
		segments.note(moved);
	}

	/** Deletes the oldest segments while enough blocks remain without them. */
	private async prune(): Promise<void> {
		const { segments, stored, keep } = this.options;
		if (keep === undefined) return;
		for (
			let oldest = segments.list[0];
			oldest && oldest.last <= stored() - BigInt(keep);
			oldest = segments.list[0]
		) {
			await this.drop(oldest);
		}
	}

	/** Deletes block indexes first, so that a kill leaves nothing that a later run wouldn't find. */
	private async drop(note: NotedSegment): Promise<void> {
		const { database, segments } = this.options;
		let batch: BatchChange[] = [];
		let started = this.options.now();
		const flush = async (): Promise<void> => {
			await database.write(batch, false);
			batch = [];
			await this.rest(started);
			started = this.options.now();
		};
		for (const { blocks } of segments.check(note)) {
			for (const block of blocks) {
				for (const { id } of block ? SignedBlock.decode(block).transactions : []) {
					batch.push({ key: keyOf(stores.transaction, id), value: null });
				}
				if (batch.length >= BATCH_ENTRIES || this.options.now() - started >= PIECE_MS) await flush();
			}
		}
		for (const key of this.options.keysOf?.(note.first, note.last) ?? []) {
			batch.push({ key, value: null });
			if (batch.length >= BATCH_ENTRIES) await flush();
		}
		// Synced together with everything before it.
		await database.write([...batch, { key: noteKey(note.first), value: null }], true);
		segments.forgetOldest();
		await segments.files.remove(segments.pathOf(note));
	}

	/** Removes files below the lowest block, left by a kill between forgetting and removing them. */
	private async removeForgotten(): Promise<void> {
		const { files, directory, list } = this.options.segments;
		const lowest = list[0]?.first ?? (await lowestStored(this.options.database));
		if (lowest === undefined) return;
		for (const name of files.list(directory)) {
			const [, first] = /^(\d{12})\.seg$/.exec(name) ?? [];
			if (first !== undefined && BigInt(first) < lowest) await files.remove(join(directory, name));
		}
	}
}

function sizeOf({ block, receipts }: SegmentRow): number {
	return block.length + (receipts?.length ?? 0);
}

function keyOf({ index }: { readonly index: number }, key: Uint8Array): Uint8Array {
	return Buffer.concat([Uint8Array.of(index), key]);
}

/** The lowest block in a database besides genesis, which never moves. */
export async function lowestStored(database: KeyValueDatabase): Promise<bigint | undefined> {
	const from = keyOf(stores.blockIndex, be64(1n));
	const key = await database.firstKey(from, Uint8Array.of(stores.blockIndex.index + 1));
	return key && readBe64(key.subarray(1));
}
