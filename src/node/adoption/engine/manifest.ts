/** The files of a store, by replaying the edits in its manifest (protocol/reference-stores §3). */

import { ByteReader, FormatError } from "./byte-reader.js";
import type { ForeignFile } from "./foreign-file.js";
import {
	MAX_DATABASE_MANIFEST_BYTES,
	MAX_EDIT_BYTES,
	MAX_FILES,
	MAX_LEVEL,
	requireKeyLength,
} from "./limits.js";
import { LogRecords } from "./log-records.js";

/** A table named by a manifest. Keys are internal: eight bytes of sequence number and type follow the key. */
export interface TableFile {
	readonly level: number;
	readonly number: number;
	readonly size: number;
	readonly smallest: Uint8Array;
	readonly largest: Uint8Array;
}

export interface DatabaseManifest {
	/** Name of the comparator; undefined in the first manifest of a RocksDB store. */
	readonly comparator: string | undefined;
	/** Logs from this number on are live. */
	readonly logNumber: number;
	/** An earlier log that is live too; 0 if there is none. */
	readonly previousLogNumber: number;
	/** A sequence number already assigned when the last edit was written; no table has a higher one. */
	readonly lastSequence: number;
	readonly tables: readonly TableFile[];
	/** Whether it contains anything that only RocksDB writes. */
	readonly isRocks: boolean;
	/** Where it is cut off within an edit, if at all. */
	readonly tornAt: number | undefined;
}

const TAG = {
	comparator: 1,
	logNumber: 2,
	nextFile: 3,
	lastSequence: 4,
	compactPointer: 5,
	removed: 6,
	added: 7,
	previousLog: 9,
	oldestLog: 10,
	addedWithSequences: 100,
	addedWithPath: 102,
	addedWithFields: 103,
	columnFamily: 200,
	maxColumnFamily: 203,
} as const;
/** Tags with this bit are length-prefixed and may be skipped. */
const IGNORABLE = 1 << 13;
/** Ends the fields of an added table; fields with bit 6 may not be skipped. */
const LAST_FIELD = 1;
const FIELD_NOT_IGNORABLE = 1 << 6;
const FIELD_PATH = 65;
const MIN_KEY_BYTES = 8;

class Edits {
	comparator: string | undefined;
	logNumber = 0;
	previousLogNumber = 0;
	lastSequence = 0;
	hasNextFile = false;
	isRocks = false;
	readonly tables = new Map<string, TableFile>();

	apply(edit: ByteReader): void {
		while (!edit.isAtEnd) this.field(edit.varint(), edit);
	}

	private field(tag: number, edit: ByteReader): void {
		if (tag >= TAG.oldestLog) this.isRocks = true;
		switch (tag) {
			case TAG.comparator:
				this.comparator = Buffer.from(edit.string()).toString("latin1");
				return;
			case TAG.logNumber:
				this.logNumber = edit.varint();
				return;
			case TAG.nextFile:
				edit.varint();
				this.hasNextFile = true;
				return;
			case TAG.lastSequence:
				this.lastSequence = edit.varint();
				return;
			case TAG.compactPointer:
				edit.varint();
				edit.string();
				return;
			case TAG.removed:
				this.remove(edit.varint(), edit.varint());
				return;
			case TAG.added:
			case TAG.addedWithSequences:
			case TAG.addedWithPath:
			case TAG.addedWithFields:
				this.add(tag, edit);
				return;
			case TAG.previousLog:
				this.previousLogNumber = edit.varint();
				return;
			case TAG.oldestLog:
			case TAG.maxColumnFamily:
				edit.varint();
				return;
			case TAG.columnFamily:
				if (edit.varint() !== 0)
					throw new FormatError("has a second column family, which the reference doesn't make");
				return;
			default:
				if ((tag & IGNORABLE) === 0) throw new FormatError(`has a field ${tag}, which isn't known`);
				edit.string();
		}
	}

	private remove(level: number, number: number): void {
		if (!this.tables.delete(`${level}:${number}`)) {
			throw new FormatError(`removes table ${number} from level ${level}, where it isn't`);
		}
	}

	private add(tag: number, edit: ByteReader): void {
		const level = edit.varint();
		const number = edit.varint();
		if (tag === TAG.addedWithPath) requireMainPath(edit.varint());
		const size = edit.varint();
		const smallest = boundOf(edit);
		const largest = boundOf(edit);
		if (tag !== TAG.added) {
			edit.varint();
			edit.varint();
		}
		if (tag === TAG.addedWithFields) skipFields(edit);
		if (level > MAX_LEVEL) throw new FormatError(`has a table on level ${level}`);
		if (smallest.length < MIN_KEY_BYTES || largest.length < MIN_KEY_BYTES) {
			throw new FormatError(`has bounds of table ${number} that are not keys`);
		}
		if (this.tables.size >= MAX_FILES) throw new FormatError(`names more than ${MAX_FILES} tables`);
		const name = `${level}:${number}`;
		if (this.tables.has(name)) throw new FormatError(`adds table ${number} a second time`);
		this.tables.set(name, { level, number, size, smallest, largest });
	}
}

function boundOf(edit: ByteReader): Uint8Array {
	const key = edit.string();
	requireKeyLength(key.length);
	return Uint8Array.from(key);
}

function requireMainPath(path: number): void {
	if (path !== 0) throw new FormatError("has tables on a second path, which the reference doesn't make");
}

function skipFields(edit: ByteReader): void {
	for (let field = edit.varint(); field !== LAST_FIELD; field = edit.varint()) {
		const value = edit.string();
		if (field === FIELD_PATH) requireMainPath(new ByteReader(value).varint());
		else if (field & FIELD_NOT_IGNORABLE)
			throw new FormatError(`has a field ${field} of a table, which isn't known`);
	}
}

/** @throws {ForeignStoreError} */
export function readManifest(file: ForeignFile): DatabaseManifest {
	if (file.size > MAX_DATABASE_MANIFEST_BYTES)
		throw file.fault(`has ${file.size} bytes, more than ${MAX_DATABASE_MANIFEST_BYTES}`);
	const edits = new Edits();
	const records = new LogRecords(file);
	let parts: Buffer[] = [];
	let partBytes = 0;
	let offset = 0;
	for (const fragment of records.fragments()) {
		if (fragment.isFirst) {
			parts = [];
			partBytes = 0;
			offset = fragment.offset;
		}
		partBytes += fragment.data.length;
		if (partBytes > MAX_EDIT_BYTES)
			throw file.fault(`has an edit of more than ${MAX_EDIT_BYTES} bytes at byte ${offset}`);
		parts.push(Buffer.from(fragment.data));
		if (fragment.isLast) applyEdit(edits, Buffer.concat(parts), file, offset);
	}
	if (!edits.hasNextFile) {
		throw file.fault(`is damaged: its ${file.size} bytes don't describe a store`);
	}
	const numbers = new Set([...edits.tables.values()].map((table) => table.number));
	if (numbers.size !== edits.tables.size) throw file.fault("is damaged: it has a table on two levels");
	return { ...edits, tables: [...edits.tables.values()], tornAt: records.tornAt };
}

function applyEdit(edits: Edits, edit: Uint8Array, file: ForeignFile, offset: number): void {
	try {
		edits.apply(new ByteReader(edit));
	} catch (error) {
		if (!(error instanceof FormatError)) throw error;
		throw file.fault(`can't be used: the edit at byte ${offset} ${error.message}`);
	}
}
