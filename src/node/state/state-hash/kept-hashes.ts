/**
 * Hashes of past states by block: of the newest blocks, and of the last block of every cycle. Written in the
 * batch that brings the state to the database.
 */

import { be64, readBe64 } from "../../../protocol/bytes.js";
import type { BatchChange, KeyValueDatabase } from "../database.js";
import { storeDefinitions } from "../definition.js";
import { BY_NAME } from "./hashed-entries.js";
import type { StateHashValue } from "./state-hash.js";

/** Number of hashes kept for blocks that don't end a cycle. */
const KEPT_HASHES = 1_024;

/** A state hash of this node. */
interface KeptHash extends StateHashValue {
	readonly number: bigint;
	/** Whether the block was the last of its cycle: the one that ran maintenance. */
	readonly endsCycle: boolean;
}

const PREFIX = Buffer.from([0xff, ...Buffer.from("statehash", "latin1")]);
const SUMS_KEY = Buffer.concat([PREFIX, Uint8Array.of(0)]);
const RECENT = Buffer.concat([PREFIX, Uint8Array.of(1)]);
const CYCLES = Buffer.concat([PREFIX, Uint8Array.of(2)]);

const NAMES: readonly string[] = [...storeDefinitions.map(({ name }) => name), BY_NAME];
const HASH_BYTES = 32;
const STORE_BYTES = 1 + 8 + HASH_BYTES;

const rowKey = (number: bigint, endsCycle: boolean): Uint8Array =>
	Buffer.concat([endsCycle ? CYCLES : RECENT, be64(number)]);

/** The stored sums, and the block whose state they are of; undefined: none. */
export function readSums(
	database: KeyValueDatabase,
): { readonly number: bigint; readonly sums: Uint8Array } | undefined {
	const row = database.get(SUMS_KEY);
	return row && row.length > 8 ? { number: readBe64(row.subarray(0, 8)), sums: row.subarray(8) } : undefined;
}

/** Stores the sums of the state written by the same batch. */
export function sumsChange(number: bigint, sums: Uint8Array): BatchChange {
	return { key: SUMS_KEY, value: Buffer.concat([be64(number), sums]) };
}

/** Marks stored sums as no longer those of the state. */
export const NO_SUMS: BatchChange = { key: SUMS_KEY, value: null };

export class KeptHashes {
	/** Not yet in the database, ascending. */
	private readonly unwritten = new Map<bigint, KeptHash>();
	private newestKept: KeptHash | undefined;

	private constructor(
		private readonly database: KeyValueDatabase,
		/** Blocks with rows in the database, except ends of cycles; ascending. */
		private readonly written: bigint[],
	) {}

	static async open(database: KeyValueDatabase): Promise<KeptHashes> {
		const written: bigint[] = [];
		for await (const [key] of database.entries(RECENT)) written.push(readBe64(key.subarray(RECENT.length)));
		const kept = new KeptHashes(database, written);
		const last = written.at(-1);
		kept.newestKept = last === undefined ? undefined : kept.at(last);
		return kept;
	}

	get newest(): KeptHash | undefined {
		return this.newestKept;
	}

	/** undefined: it isn't kept */
	at(number: bigint): KeptHash | undefined {
		const unwritten = this.unwritten.get(number);
		if (unwritten) return unwritten;
		const recent = this.database.get(rowKey(number, false));
		const row = recent ?? this.database.get(rowKey(number, true));
		return row && readRow(number, recent === undefined, row);
	}

	add(hash: KeptHash): void {
		this.newestKept = hash;
		this.unwritten.set(hash.number, hash);
		if (this.unwritten.size <= 2 * KEPT_HASHES) return;
		// Bounded by what can still be queried, in case nothing is written for long.
		for (const [number, { endsCycle }] of this.unwritten) {
			if (!endsCycle && number <= hash.number - BigInt(KEPT_HASHES)) this.unwritten.delete(number);
		}
	}

	/** @returns what brings those up to a block to the database, and takes out what is too old */
	flush(upTo: bigint): readonly BatchChange[] {
		const changes: BatchChange[] = [];
		const lowest = upTo - BigInt(KEPT_HASHES);
		for (const hash of this.unwritten.values()) {
			if (hash.number > upTo || (!hash.endsCycle && hash.number <= lowest)) continue;
			changes.push({ key: rowKey(hash.number, hash.endsCycle), value: writeRow(hash) });
		}
		for (const number of this.written) {
			if (number <= lowest) changes.push({ key: rowKey(number, false), value: null });
		}
		return changes;
	}

	/** The database now has what {@link flush} returned. */
	flushed(upTo: bigint): void {
		const lowest = upTo - BigInt(KEPT_HASHES);
		const old = this.written.findIndex((number) => number > lowest);
		this.written.splice(0, old < 0 ? this.written.length : old);
		for (const { number, endsCycle } of this.unwritten.values()) {
			if (number > upTo) break;
			this.unwritten.delete(number);
			if (!endsCycle && number > lowest) this.written.push(number);
		}
	}
}

function writeRow({ hash, entries, stores }: KeptHash): Uint8Array {
	const parts = [...stores].flatMap(([name, store]) => [
		Uint8Array.of(NAMES.indexOf(name)),
		be64(BigInt(store.entries)),
		store.hash,
	]);
	return Buffer.concat([hash, be64(BigInt(entries)), ...parts]);
}

function readRow(number: bigint, endsCycle: boolean, row: Uint8Array): KeptHash {
	const stores = new Map<string, { entries: number; hash: Uint8Array }>();
	for (let at = HASH_BYTES + 8; at + STORE_BYTES <= row.length; at += STORE_BYTES) {
		stores.set(NAMES[row[at] as number] as string, {
			entries: Number(readBe64(row.subarray(at + 1, at + 9))),
			hash: row.subarray(at + 9, at + STORE_BYTES),
		});
	}
	const entries = Number(readBe64(row.subarray(HASH_BYTES, HASH_BYTES + 8)));
	return { number, endsCycle, hash: row.subarray(0, HASH_BYTES), entries, stores };
}
