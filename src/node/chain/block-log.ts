/**
 * Write-ahead log of the blocks and pending transactions that the database doesn't hold yet. A record is
 * logged before its effect is visible, so a kill at any instant loses nothing that was already answered.
 *
 * Record: marker (4 bytes), type (1), payload length (4, little-endian), CRC-32 of type, length and payload (4,
 * little-endian), payload. A torn record at the end of a segment is the result of a kill; it was never visible and is
 * dropped. A broken record before an intact one is corruption, since starting would lose what follows it. So is a segment
 * shorter than its initial records, which were on disk before the database named the segment.
 */

import { join } from "node:path";
import { crc32 } from "node:zlib";
import { OperatorError } from "../../protocol/operator-error.js";
import { diskFiles, type LogFile, type LogFiles } from "./log-files.js";

/**
 * In order: an executed block of another node, a block this node produced, a block that only joined a side
 * branch, the id of one that was forgotten with its branch, a transaction that entered the pool, and the id
 * of one that left it without a block.
 */
export type LogRecordType = "block" | "own" | "branch" | "forgotten" | "transaction" | "dropped";

export interface LogRecord {
	readonly type: LogRecordType;
	readonly payload: Uint8Array;
}

const TYPES: readonly LogRecordType[] = ["block", "own", "branch", "forgotten", "transaction", "dropped"];
/** Where a reader looks for the next record after a broken one. */
const MARKER = Buffer.from([0xb1, 0x0c, 0x4c, 0x06]);
const TYPE_AT = 4;
const LENGTH_AT = 5;
const CRC_AT = 9;
const HEADER_SIZE = 13;
const SEGMENT = /^(\d{10})\.log$/;

/** The log holds, or lacks, bytes in a way no kill explains; starting would lose what came after them. */
export class LogDamagedError extends OperatorError {
	override readonly name = "LogDamagedError";
}

/** The log can't be read or written; `code` is the operating system's error code. The message is one sentence. */
export class LogAccessError extends OperatorError {
	override readonly name = "LogAccessError";
	readonly code: string | undefined;

	constructor(directory: string, action: "read" | "written", cause: unknown) {
		const { code } = cause as NodeJS.ErrnoException;
		super(`the block log in ${directory} can't be ${action}: ${explain(code) ?? String(cause)}`, { cause });
		this.code = code;
	}
}

function explain(code: string | undefined): string | undefined {
	switch (code) {
		case "ENOSPC":
		case "EDQUOT":
			return "no space left on the device";
		case "EACCES":
		case "EPERM":
			return "permission is denied";
		case "EROFS":
			return "the file system is read-only";
		case "EIO":
			return "the device reports an error";
		default:
			return code;
	}
}

/** Where the log begins, according to the database: older segments are not needed. */
export interface LogStart {
	/** 0: no segment has been dropped yet. */
	readonly segment: number;
	/** How many bytes the segment began with, and their CRC-32. */
	readonly bytes: number;
	readonly crc: number;
}

export const NOTHING_DROPPED: LogStart = { segment: 0, bytes: 0, crc: 0 };

interface OpenedLog {
	readonly log: BlockLog;
	/** The records of all older segments, oldest first. */
	readonly records: readonly LogRecord[];
	/** Whether there was no segment, though none has been dropped. */
	readonly wasEmpty: boolean;
}

/** Where blocks and pending transactions are written before they become visible. */
export interface ChainJournal {
	append: BlockLog["append"];
}

export class BlockLog {
	private file: LogFile;
	private written = 0;
	private rotated = 0;
	private failure: LogAccessError | undefined;

	private constructor(
		private readonly directory: string,
		private segment: number,
		private readonly sync: boolean,
		private readonly files: LogFiles,
	) {
		this.file = files.create(this.pathOf(segment));
	}

	/**
	 * Opens the log of a data directory and starts a new segment.
	 * @param sync every record is on the disk before it counts as written
	 * @throws {LogDamagedError | LogAccessError}
	 */
	static open(
		directory: string,
		sync: boolean,
		start: LogStart = NOTHING_DROPPED,
		files: LogFiles = diskFiles,
	): OpenedLog {
		try {
			files.makeDirectory(directory);
			const present = listSegments(files, directory);
			const segments = present.filter((segment) => segment >= start.segment);
			checkComplete(directory, segments, start.segment);
			const records = segments.flatMap((segment) => {
				const path = join(directory, nameOf(segment));
				const bytes = files.read(path);
				if (segment === start.segment) checkStart(path, bytes, start);
				// A killed process may have left it in the page cache; what is written now must not outlive it.
				files.syncFile(path);
				return readSegment(path, bytes);
			});
			const next = Math.max(present.at(-1) ?? 0, start.segment) + 1;
			const log = new BlockLog(directory, next, sync, files);
			files.syncDirectory(directory);
			return { log, records, wasEmpty: present.length === 0 };
		} catch (error) {
			if (error instanceof LogDamagedError) throw error;
			throw new LogAccessError(directory, "read", error);
		}
	}

	/** Bytes written to the current segment after its initial records. */
	get size(): number {
		return this.written - this.rotated;
	}

	/**
	 * Adds a record; on return it has been handed to the operating system, or is on disk if so configured.
	 * @throws {LogAccessError} the record is then not in the log, and no later one can be added
	 */
	append(type: LogRecordType, payload: Uint8Array): void {
		if (this.failure) throw this.failure;
		const record = encode(type, payload);
		try {
			this.write(record);
			if (this.sync) this.file.sync();
		} catch (error) {
			this.failure = new LogAccessError(this.directory, "written", error);
			this.dropTornRecord();
			throw this.failure;
		}
		this.written += record.length;
	}

	private write(bytes: Uint8Array): void {
		for (let at = 0; at < bytes.length; ) at += this.file.write(bytes.subarray(at));
	}

	/** Cuts off a record that a full disk truncated: with records after it, the next start would take it for corruption. */
	private dropTornRecord(): void {
		try {
			this.file.truncate(this.written);
		} catch {
			// The device is gone; readers expect a torn end anyway.
		}
	}

	/** Syncs ahead, so that a rotation has little left to wait for. @throws {LogAccessError} */
	async prepareRotation(): Promise<void> {
		if (this.sync || this.failure) return;
		try {
			await this.file.syncAhead();
		} catch (error) {
			this.failure ??= new LogAccessError(this.directory, "written", error);
			throw this.failure;
		}
	}

	/**
	 * Starts a new segment with the given records, which are on disk on return: the database will rely on them.
	 * Older segments stay until {@link dropBefore}.
	 * @throws {LogAccessError}
	 */
	rotate(records: readonly LogRecord[]): LogStart {
		if (this.failure) throw this.failure;
		const bytes = Buffer.concat(records.map(({ type, payload }) => encode(type, payload)));
		try {
			// Otherwise a power loss could keep the new segment but truncate the old one, which it continues.
			if (!this.sync) this.file.sync();
			const next = this.files.create(this.pathOf(this.segment + 1));
			this.file.close();
			this.file = next;
			this.segment++;
			this.written = 0;
			this.rotated = bytes.length;
			this.write(bytes);
			this.written = bytes.length;
			this.file.sync();
			this.files.syncDirectory(this.directory);
		} catch (error) {
			this.failure = new LogAccessError(this.directory, "written", error);
			throw this.failure;
		}
		return { segment: this.segment, bytes: bytes.length, crc: crc32(bytes) };
	}

	/** Deletes the segments before one, whose records are in the database. Oldest first, so that no gap appears. */
	dropBefore(segment: number): void {
		for (const old of listSegments(this.files, this.directory)) {
			if (old < segment) this.files.remove(this.pathOf(old));
		}
	}

	close(): void {
		try {
			if (!this.failure) this.file.sync();
		} finally {
			this.file.close();
		}
	}

	private pathOf(segment: number): string {
		return join(this.directory, nameOf(segment));
	}
}

function nameOf(segment: number): string {
	return `${String(segment).padStart(10, "0")}.log`;
}

function listSegments(files: LogFiles, directory: string): number[] {
	return files
		.list(directory)
		.flatMap((name) => {
			const match = SEGMENT.exec(name);
			return match ? [Number(match[1])] : [];
		})
		.sort((a, b) => a - b);
}

/**
 * Segments are created and dropped in order, so a missing one was removed by someone else.
 * @throws {LogDamagedError}
 */
function checkComplete(directory: string, segments: readonly number[], first: number): void {
	// If nothing was dropped, a later first segment means that the database lost a batch.
	const start = Math.max(first, 1);
	const missing = segments.findIndex((segment, index) => segment !== start + index);
	if (missing < 0 && (segments.length > 0 || first === 0)) return;
	const name = nameOf(start + Math.max(missing, 0));
	const cause =
		missing > 0
			? ""
			: ", so either the state beside it has lost its newest part or the log was taken away: restore a snapshot, or begin with an empty data directory";
	throw new LogDamagedError(`the block log in ${directory} is damaged: ${name} is missing${cause}`);
}

/** @throws {LogDamagedError} */
function checkStart(path: string, bytes: Buffer, start: LogStart): void {
	const beginning = bytes.subarray(0, start.bytes);
	if (beginning.length === start.bytes && crc32(beginning) === start.crc) return;
	throw new LogDamagedError(
		`the block log ${path} is damaged: its first ${start.bytes} bytes are not those that it began with`,
	);
}

function checksum(type: number, length: number, payload: Uint8Array): number {
	const head = Buffer.allocUnsafe(5);
	head[0] = type;
	head.writeUInt32LE(length, 1);
	return crc32(payload, crc32(head));
}

function encode(type: LogRecordType, payload: Uint8Array): Buffer {
	const record = Buffer.allocUnsafe(HEADER_SIZE + payload.length);
	const number = TYPES.indexOf(type) + 1;
	record.set(MARKER, 0);
	record[TYPE_AT] = number;
	record.writeUInt32LE(payload.length, LENGTH_AT);
	record.writeUInt32LE(checksum(number, payload.length, payload), CRC_AT);
	record.set(payload, HEADER_SIZE);
	return record;
}

function readSegment(path: string, bytes: Buffer): LogRecord[] {
	const records: LogRecord[] = [];
	let at = 0;
	while (at < bytes.length) {
		const record = readRecord(bytes, at);
		if (!record) {
			if (!hasRecordAfter(bytes, at)) break;
			throw new LogDamagedError(`the block log ${path} is damaged at byte ${at}`);
		}
		records.push(record);
		at += HEADER_SIZE + record.payload.length;
	}
	return records;
}

function readRecord(bytes: Buffer, at: number): LogRecord | undefined {
	if (bytes.length - at < HEADER_SIZE || !MARKER.equals(bytes.subarray(at, at + MARKER.length)))
		return undefined;
	const number = bytes[at + TYPE_AT] as number;
	const type = TYPES[number - 1];
	const length = bytes.readUInt32LE(at + LENGTH_AT);
	if (!type || bytes.length - at - HEADER_SIZE < length) return undefined;
	const payload = bytes.subarray(at + HEADER_SIZE, at + HEADER_SIZE + length);
	return checksum(number, length, payload) === bytes.readUInt32LE(at + CRC_AT)
		? { type, payload }
		: undefined;
}

/** Whether an intact record follows a broken one: then the break is corruption, not a torn end. */
function hasRecordAfter(bytes: Buffer, at: number): boolean {
	for (let next = bytes.indexOf(MARKER, at + 1); next >= 0; next = bytes.indexOf(MARKER, next + 1)) {
		if (readRecord(bytes, next)) return true;
	}
	return false;
}
