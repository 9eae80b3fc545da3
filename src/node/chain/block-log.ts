/**
 * The log of blocks and pending transactions that the database doesn't hold yet. A record is in the log before anyone
 * can see what it did, so a kill at any instant loses nothing that was answered.
 *
 * A record: type (1 byte), length (4 bytes, little-endian), CRC-32 of the payload (4 bytes), payload. A torn record at
 * the end of the last segment is what a kill leaves; it was never visible and is dropped.
 */

import {
	closeSync,
	fdatasyncSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeSync,
} from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";

/** A block that was executed, one that only joined a side branch, a transaction that entered the pool. */
export type LogRecordType = "block" | "transaction" | "branch";

export interface LogRecord {
	readonly type: LogRecordType;
	readonly payload: Uint8Array;
}

const TYPES: readonly LogRecordType[] = ["block", "transaction", "branch"];
const HEADER_SIZE = 9;
const SEGMENT = /^(\d{10})\.log$/;

/** The log holds bytes that no kill can explain; starting would lose what came after them. */
export class LogDamagedError extends Error {
	override readonly name = "LogDamagedError";
}

export class BlockLog {
	private file: number;
	private segment: number;
	private written = 0;

	private constructor(
		private readonly directory: string,
		segment: number,
		private readonly sync: boolean,
	) {
		this.segment = segment;
		this.file = openSync(this.pathOf(segment), "wx", 0o644);
	}

	/**
	 * Opens the log of a data directory and starts a new segment.
	 * @returns the log and the records of all older segments, oldest first
	 * @throws {LogDamagedError}
	 */
	static open(directory: string, sync: boolean): { log: BlockLog; records: readonly LogRecord[] } {
		mkdirSync(directory, { recursive: true });
		const segments = listSegments(directory);
		const records = segments.flatMap((segment, index) =>
			readSegment(join(directory, nameOf(segment)), index === segments.length - 1),
		);
		const log = new BlockLog(directory, (segments.at(-1) ?? 0) + 1, sync);
		return { log, records };
	}

	/** Bytes in the current segment. */
	get size(): number {
		return this.written;
	}

	/** Adds a record; it is in the operating system's hands, or on the disk if so configured, on return. */
	append(type: LogRecordType, payload: Uint8Array): void {
		const record = Buffer.allocUnsafe(HEADER_SIZE + payload.length);
		record[0] = TYPES.indexOf(type) + 1;
		record.writeUInt32LE(payload.length, 1);
		record.writeUInt32LE(crc32(payload), 5);
		record.set(payload, HEADER_SIZE);
		for (let at = 0; at < record.length; ) at += writeSync(this.file, record, at);
		if (this.sync) fdatasyncSync(this.file);
		this.written += record.length;
	}

	/** Starts a new segment with the given records; older ones stay until {@link dropBefore}. */
	rotate(records: readonly LogRecord[]): number {
		closeSync(this.file);
		this.segment++;
		this.file = openSync(this.pathOf(this.segment), "wx", 0o644);
		this.written = 0;
		for (const { type, payload } of records) this.append(type, payload);
		return this.segment;
	}

	/** Deletes the segments before one: what they hold is in the database. */
	dropBefore(segment: number): void {
		for (const old of listSegments(this.directory)) if (old < segment) rmSync(this.pathOf(old));
	}

	close(): void {
		fdatasyncSync(this.file);
		closeSync(this.file);
	}

	private pathOf(segment: number): string {
		return join(this.directory, nameOf(segment));
	}
}

function nameOf(segment: number): string {
	return `${String(segment).padStart(10, "0")}.log`;
}

function listSegments(directory: string): number[] {
	return readdirSync(directory)
		.flatMap((name) => {
			const match = SEGMENT.exec(name);
			return match ? [Number(match[1])] : [];
		})
		.sort((a, b) => a - b);
}

function readSegment(path: string, last: boolean): LogRecord[] {
	const bytes = readFileSync(path);
	const records: LogRecord[] = [];
	let at = 0;
	while (at < bytes.length) {
		const record = readRecord(bytes, at);
		if (!record) {
			// A kill tears at most the last record of the segment that was being written.
			if (last || !hasRecordAfter(bytes, at)) break;
			throw new LogDamagedError(`the block log ${path} is damaged at byte ${at}`);
		}
		records.push(record);
		at += HEADER_SIZE + record.payload.length;
	}
	return records;
}

function readRecord(bytes: Buffer, at: number): LogRecord | undefined {
	if (bytes.length - at < HEADER_SIZE) return undefined;
	const type = TYPES[(bytes[at] as number) - 1];
	const length = bytes.readUInt32LE(at + 1);
	if (!type || bytes.length - at - HEADER_SIZE < length) return undefined;
	const payload = bytes.subarray(at + HEADER_SIZE, at + HEADER_SIZE + length);
	return crc32(payload) === bytes.readUInt32LE(at + 5) ? { type, payload } : undefined;
}

/** Whether a whole record follows a broken one: then the break is damage, not a torn end. */
function hasRecordAfter(bytes: Buffer, at: number): boolean {
	const length = bytes.length - at >= HEADER_SIZE ? bytes.readUInt32LE(at + 1) : bytes.length;
	const next = at + HEADER_SIZE + length;
	return next < bytes.length && readRecord(bytes, next) !== undefined;
}
