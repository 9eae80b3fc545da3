/** The segments of a data directory: the list recorded in the database, and reading blocks from them. */

import { join } from "node:path";
import { be64, fromUtf8, readBe64, utf8 } from "../../protocol/bytes.js";
import { yieldToEventLoop } from "../scheduling/time-slice.js";
import { shareCacheBytes } from "../state/cache-budget.js";
import { type BatchChange, DatabaseError, type KeyValueDatabase } from "../state/database.js";
import { SegmentFile, type SegmentPart } from "./segment-file.js";
import type { SegmentFiles } from "./segment-files.js";
import { SegmentDamage } from "./segment-format.js";
import type { SegmentNote } from "./segment-writer.js";

const NOTE_PREFIX = Buffer.from([0xff, ...Buffer.from("segment", "latin1")]);
/** Maximum open files, with their indexes in memory. */
const OPEN_FILES = 64;
/** The newest footers and indexes, read before a start completes; the others follow in the background. */
const AWAITED = 64;

/** A segment as recorded in the database. */
export interface NotedSegment extends SegmentNote {
	/** Whether its contents have been deleted from the database. */
	readonly isMoved: boolean;
}

/** The directory of a data directory's segments. */
export function segmentsDirectory(dataDirectory: string): string {
	return join(dataDirectory, "segments");
}

/** Name of the file whose first block this is. */
function segmentName(first: bigint): string {
	return `${String(first).padStart(12, "0")}.seg`;
}

/** Name of the file that a database entry records; undefined for any other entry. */
export function notedName(key: Uint8Array): string | undefined {
	const isNote =
		key.length === NOTE_PREFIX.length + 8 && NOTE_PREFIX.equals(key.subarray(0, NOTE_PREFIX.length));
	return isNote ? segmentName(readBe64(key.subarray(NOTE_PREFIX.length))) : undefined;
}

/** Key of the entry that records the segment with this first block. */
export function noteKey(first: bigint): Uint8Array {
	return Buffer.concat([NOTE_PREFIX, be64(first)]);
}

/** The batch change that records a segment. */
export function noteChange({ first, last, bytes, crc, isMoved }: NotedSegment): BatchChange {
	const value = { last: Number(last), bytes, crc, moved: isMoved };
	return { key: noteKey(first), value: utf8(JSON.stringify(value)) };
}

/** The segments recorded in a database, oldest first. @throws {DatabaseError} */
async function readNotes(database: KeyValueDatabase, directory: string): Promise<NotedSegment[]> {
	const notes: NotedSegment[] = [];
	for await (const [key, value] of database.entries(NOTE_PREFIX)) {
		const note = readNote(key, value);
		if (!note)
			throw new DatabaseError(`the database's list of ${directory} is damaged: a line can't be read`);
		const before = notes.at(-1);
		if (before && note.first !== before.last + 1n) {
			const [from, to] = [before.last + 1n, note.first - 1n];
			throw new DatabaseError(
				`the database's list of ${directory} is damaged: it lacks blocks ${from} to ${to}`,
			);
		}
		notes.push(note);
	}
	return notes;
}

function readNote(key: Uint8Array, value: Uint8Array): NotedSegment | undefined {
	try {
		const first = readBe64(key.subarray(NOTE_PREFIX.length));
		const { last, bytes, crc, moved } = JSON.parse(fromUtf8(value)) as Readonly<Record<string, unknown>>;
		const isNote = [last, bytes, crc].every(Number.isSafeInteger) && typeof moved === "boolean";
		if (!isNote || Number(last) < Number(first)) return undefined;
		return {
			first,
			last: BigInt(last as number),
			bytes: Number(bytes),
			crc: Number(crc),
			isMoved: moved === true,
		};
	} catch {
		return undefined;
	}
}

export class Segments {
	private readonly opened = new Map<bigint, SegmentFile>();
	private readonly groups = new Map<
		string,
		{ readonly rows: readonly (Buffer | undefined)[]; readonly bytes: number }
	>();
	private groupBytes = 0;
	private isClosed = false;
	private afterForgotten: bigint | undefined;

	private constructor(
		readonly directory: string,
		readonly files: SegmentFiles,
		private readonly notes: NotedSegment[],
		/** Cache size for decompressed groups: consecutive blocks are often read together. */
		private readonly keptBytes: number,
	) {}

	/**
	 * Reads the list of segments and checks that they exist.
	 * @param keptBytes cache size for decompressed groups
	 * @throws {DatabaseError} one sentence that names the missing or changed file
	 */
	static async open(
		database: KeyValueDatabase,
		directory: string,
		files: SegmentFiles,
		keptBytes = shareCacheBytes().segmentBytes,
	): Promise<Segments> {
		const segments = new Segments(directory, files, await readNotes(database, directory), keptBytes);
		for (const note of segments.notes) segments.checkSize(note);
		for (const note of segments.notes.slice(-AWAITED)) segments.opening(note);
		return segments;
	}

	private checkSize(note: NotedSegment): void {
		const size = this.files.size(this.pathOf(note));
		if (size === note.bytes) return;
		const what = size === undefined ? "it is missing" : `it has ${size} bytes instead of ${note.bytes}`;
		throw this.damage(note, what);
	}

	/** Reads the footers and indexes that the start didn't wait for. @throws {DatabaseError} */
	async compareRest(): Promise<void> {
		for (const note of this.notes.slice(0, -AWAITED)) {
			await yieldToEventLoop();
			if (this.isClosed) return;
			this.opening(note);
		}
	}

	/** All segments, oldest first. */
	get list(): readonly NotedSegment[] {
		return this.notes;
	}

	pathOf({ first }: { readonly first: bigint }): string {
		return join(this.directory, segmentName(first));
	}

	/** The number after the newest block ever moved here; undefined: none was. */
	get next(): bigint | undefined {
		const newest = this.notes.at(-1);
		return newest ? newest.last + 1n : this.afterForgotten;
	}

	/** Adds a complete segment, or updates a changed one. Recording it in the database is up to the caller. */
	note(segment: NotedSegment): void {
		const at = this.notes.findIndex(({ first }) => first === segment.first);
		if (at < 0) this.notes.push(segment);
		else this.notes[at] = segment;
	}

	/** Forgets the oldest segment: nobody reads it any more. */
	forgetOldest(): void {
		const oldest = this.notes.shift();
		if (!oldest) return;
		this.afterForgotten = oldest.last + 1n;
		this.opened.get(oldest.first)?.close();
		this.opened.delete(oldest.first);
		for (const [key, { bytes }] of this.groups) {
			if (!key.startsWith(`${oldest.first} `)) continue;
			this.groups.delete(key);
			this.groupBytes -= bytes;
		}
	}

	/** The segment that holds a block; undefined if none does. */
	private holding(number: bigint): NotedSegment | undefined {
		const { notes } = this;
		let [low, high] = [0, notes.length - 1];
		while (low <= high) {
			const middle = (low + high) >> 1;
			const note = notes[middle] as NotedSegment;
			if (number < note.first) high = middle - 1;
			else if (number > note.last) low = middle + 1;
			else return note;
		}
		return undefined;
	}

	/** The id of a block; undefined if it is in no segment. @throws {DatabaseError} */
	id(number: bigint): Buffer | undefined {
		const note = this.holding(number);
		return note && this.reading(note, (segment) => segment.id(number));
	}

	/** A block, or the receipts of its transactions, encoded. @throws {DatabaseError} */
	row(number: bigint, part: SegmentPart): Buffer | undefined {
		const note = this.holding(number);
		return note && this.reading(note, (segment) => this.rowOf(segment, number, part));
	}

	private rowOf(segment: SegmentFile, number: bigint, part: SegmentPart): Buffer | undefined {
		const group = segment.groupOf(number);
		const key = `${segment.first} ${group} ${part}`;
		let kept = this.groups.get(key);
		if (kept) this.groups.delete(key);
		else {
			kept = { rows: segment.rows(group, part), bytes: segment.groups[group]?.[part].raw ?? 0 };
			this.groupBytes += kept.bytes;
		}
		this.groups.set(key, kept);
		for (const [oldest, { bytes }] of this.groups) {
			if (this.groupBytes <= this.keptBytes || oldest === key) break;
			this.groups.delete(oldest);
			this.groupBytes -= bytes;
		}
		const row = kept.rows[segment.placeIn(group, number)];
		// A view would keep the whole group alive in any cache it enters.
		return row && Buffer.from(row);
	}

	private reading<T>(note: NotedSegment, read: (segment: SegmentFile) => T): T {
		const segment = this.opening(note);
		try {
			return read(segment);
		} catch (error) {
			throw this.failure(note, error);
		}
	}

	private opening(note: NotedSegment): SegmentFile {
		const known = this.opened.get(note.first);
		if (known) {
			this.opened.delete(note.first);
			this.opened.set(note.first, known);
			return known;
		}
		const segment = this.openFile(note);
		this.opened.set(note.first, segment);
		for (const [first, oldest] of this.opened) {
			if (this.opened.size <= OPEN_FILES) break;
			oldest.close();
			this.opened.delete(first);
		}
		return segment;
	}

	private openFile(note: NotedSegment): SegmentFile {
		try {
			const file = this.files.openForReading(this.pathOf(note));
			try {
				return SegmentFile.open(file, note);
			} catch (error) {
				file.close();
				throw error;
			}
		} catch (error) {
			throw this.failure(note, error);
		}
	}

	private failure(note: NotedSegment, error: unknown): DatabaseError {
		if (error instanceof SegmentDamage) return this.damage(note, error.message);
		const { code } = error as NodeJS.ErrnoException;
		if (code === "ENOENT") return this.damage(note, "it is missing");
		return new DatabaseError(`the segment ${this.pathOf(note)} can't be read: ${code ?? String(error)}`, {
			cause: error,
		});
	}

	private damage(note: NotedSegment, what: string): DatabaseError {
		return new DatabaseError(`the segment ${this.pathOf(note)} is damaged: ${what}`);
	}

	/**
	 * Reads and verifies every group of a segment.
	 * @throws {DatabaseError}
	 */
	*check(note: NotedSegment): ReturnType<SegmentFile["check"]> {
		const segment = this.openFile(note);
		try {
			yield* segment.check();
		} catch (error) {
			throw this.failure(note, error);
		} finally {
			segment.close();
		}
	}

	close(): void {
		this.isClosed = true;
		for (const segment of this.opened.values()) segment.close();
		this.opened.clear();
		this.groups.clear();
	}
}
