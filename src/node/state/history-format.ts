/**
 * Layout of state history in the database, next to the stores (docs/data-directory.md): per entry, the
 * numbers of the blocks that changed it, and its value before each.
 *
 * Everything is found by point lookups, since LevelDB has no synchronous iteration. An entry has one row with its newest
 * block numbers; older numbers are in numbered full rows that never change. Values are stored by key and block.
 */

import { fromUtf8, utf8 } from "../../protocol/bytes.js";
import { DatabaseError, type KeyValueDatabase } from "./database.js";
import type { StoreDefinition } from "./definition.js";
import { type Entry, GONE } from "./entry.js";

/** The first byte of every key of the history. */
export const HISTORY_PREFIX = 0xfd;

/** Key of the history's status; generation 0 is never used by a history. */
const STATUS_KEY = Uint8Array.of(HISTORY_PREFIX, 0);

/** Meaning of a key's third byte. */
export const KINDS = { newest: 0, full: 1, before: 2 } as const;

/** Block numbers per full row. */
export const FULL_ROW = 512;
/** Bytes of a block number in a key, big-endian. */
const NUMBER_BYTES = 5;
/** Bytes of a row number in a key, big-endian. */
const ROW_BYTES = 4;

/** The history's status record. */
export interface HistoryStatus {
	/** Second byte of its keys, from 1: an abandoned generation is erased while another one is in use. */
	readonly generation: number;
	/** The first block whose state is available, and the last one whose changes are written. */
	readonly first: number;
	readonly last: number;
	/** The backfilled part, of earlier blocks. */
	readonly older?: OlderChanges | undefined;
}

/** Changes of older blocks, immutable, under keys of their own generation. */
export interface OlderChanges {
	readonly generation: number;
	/** The first block whose state they provide, and the last one whose changes they contain. */
	readonly first: number;
	readonly last: number;
}

/** The blocks that changed an entry. */
export interface ChangeIndex {
	/** Number of full rows before this one. */
	readonly fullRows: number;
	/** Ascending. */
	readonly blocks: readonly number[];
}

export const NEVER_CHANGED: ChangeIndex = { fullRows: 0, blocks: [] };

/** @throws {DatabaseError} */
export function readHistoryStatus(bytes: Uint8Array | undefined): HistoryStatus | undefined {
	if (!bytes) return undefined;
	try {
		const { generation, first, last, older } = JSON.parse(fromUtf8(bytes)) as HistoryStatus;
		const isRight = ({ generation, first, last }: OlderChanges): boolean =>
			[generation, first, last].every(Number.isSafeInteger) && generation > 0 && first <= last;
		if (!isRight({ generation, first, last }) || (older && !isRight(older))) throw new TypeError("changed");
		return older ? { generation, first, last, older } : { generation, first, last };
	} catch {
		// Treat it like an invalid one.
	}
	throw new DatabaseError("the database is damaged: where its history of the state stands can't be read");
}

export const statusKey = (): Uint8Array => STATUS_KEY;

export const encodeStatus = ({ generation, first, last, older }: HistoryStatus): Uint8Array =>
	utf8(JSON.stringify({ generation, first, last, older }));

/** The key of an entry's newest row. */
export function newestKey(generation: number, index: number, key: string): Buffer {
	return historyKey(generation, KINDS.newest, index, key, 0);
}

/** The key of a full row of an entry, from 0. */
export function fullKey(generation: number, index: number, key: string, row: number): Buffer {
	const bytes = historyKey(generation, KINDS.full, index, key, ROW_BYTES);
	bytes.writeUInt32BE(row, bytes.length - ROW_BYTES);
	return bytes;
}

/** The key of an entry's value before a block. */
export function beforeKey(generation: number, index: number, key: string, block: number): Buffer {
	const bytes = historyKey(generation, KINDS.before, index, key, NUMBER_BYTES);
	bytes.writeUIntBE(block, bytes.length - NUMBER_BYTES, NUMBER_BYTES);
	return bytes;
}

/** The block number in such a key. */
export function blockOfBeforeKey(key: Uint8Array): number {
	return Buffer.from(key.buffer, key.byteOffset, key.length).readUIntBE(
		key.length - NUMBER_BYTES,
		NUMBER_BYTES,
	);
}

/** The entry's key within the key of its newest row. */
export const entryOfNewestKey = (key: Uint8Array): string => Buffer.from(key.subarray(4)).toString("latin1");

function historyKey(generation: number, kind: number, index: number, key: string, room: number): Buffer {
	const bytes = Buffer.allocUnsafe(4 + key.length + room);
	bytes[0] = HISTORY_PREFIX;
	bytes[1] = generation;
	bytes[2] = kind;
	bytes[3] = index;
	bytes.write(key, 4, "latin1");
	return bytes;
}

/** A value before a change: empty for none, otherwise a byte 1 and the store's encoding. */
export function encodeBefore(store: StoreDefinition<unknown>, key: string, before: Entry): Uint8Array {
	if (before === GONE) return new Uint8Array(0);
	const value = store.codec.encode(before, key);
	const bytes = Buffer.allocUnsafe(value.length + 1);
	bytes[0] = 1;
	bytes.set(value, 1);
	return bytes;
}

export function decodeBefore(store: StoreDefinition<unknown>, key: string, bytes: Uint8Array): Entry {
	return bytes.length === 0 ? GONE : store.codec.decode(bytes.subarray(1), key);
}

/** The newest row: number of full rows, then block numbers delta-encoded; all varints. */
export function encodeIndex({ fullRows, blocks }: ChangeIndex): Uint8Array {
	const bytes: number[] = [];
	putVarint(bytes, fullRows);
	putNumbers(bytes, blocks);
	return Uint8Array.from(bytes);
}

/** A full row: the block numbers only. */
export function encodeRow(blocks: readonly number[]): Uint8Array {
	const bytes: number[] = [];
	putNumbers(bytes, blocks);
	return Uint8Array.from(bytes);
}

export function decodeIndex(bytes: Uint8Array): ChangeIndex {
	const numbers = readVarints(bytes);
	return { fullRows: numbers[0] ?? 0, blocks: sums(numbers, 1) };
}

export const decodeRow = (bytes: Uint8Array): readonly number[] => sums(readVarints(bytes), 0);

function putNumbers(bytes: number[], blocks: readonly number[]): void {
	let last = 0;
	for (const block of blocks) {
		putVarint(bytes, block - last);
		last = block;
	}
}

function putVarint(bytes: number[], value: number): void {
	let rest = value;
	for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
	bytes.push(rest);
}

function readVarints(bytes: Uint8Array): number[] {
	const numbers: number[] = [];
	let [value, unit] = [0, 1];
	for (const byte of bytes) {
		value += (byte & 0x7f) * unit;
		if (byte & 0x80) {
			unit *= 0x80;
			continue;
		}
		numbers.push(value);
		[value, unit] = [0, 1];
	}
	return numbers;
}

function sums(distances: readonly number[], from: number): number[] {
	const numbers: number[] = [];
	let last = 0;
	for (let i = from; i < distances.length; i++) {
		last += distances[i] as number;
		numbers.push(last);
	}
	return numbers;
}

/** Index of the first number above `number` in an ascending list; its length if there is none. */
export function firstAbove(blocks: readonly number[], number: number): number {
	let [low, high] = [0, blocks.length];
	while (low < high) {
		const middle = (low + high) >>> 1;
		if ((blocks[middle] as number) > number) high = middle;
		else low = middle + 1;
	}
	return low;
}

/** An unused generation. @param taken generations that someone is about to use */
export async function freeGeneration(
	database: Pick<KeyValueDatabase, "firstKey">,
	last: number,
	taken: ReadonlySet<number> = new Set(),
): Promise<number> {
	for (let step = 1; step <= 255; step++) {
		const generation = ((last + step - 1) % 255) + 1;
		if (taken.has(generation)) continue;
		const from = Uint8Array.of(HISTORY_PREFIX, generation);
		const end = Uint8Array.of(HISTORY_PREFIX + (generation === 255 ? 1 : 0), (generation + 1) % 256);
		if (!(await database.firstKey(from, end))) return generation;
	}
	throw new Error("histories that were given up fill the database: let it erase them first");
}
