/** A chunk of a snapshot: consecutive entries with length-prefixed keys and values, compressed with Brotli. */

import { webcrypto } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import { toHex } from "../../protocol/bytes.js";
import { notedName } from "../segments/segments.js";
import { storeDefinitions } from "../state/definition.js";
import { EntryCursor } from "../state/state-hash/entry-batch.js";
import { MAX_RAW_BYTES, SnapshotError } from "./manifest.js";

/** What a snapshot contains: stores, side records and the list of segments, but nothing specific to a directory. */
const SIDE = 0xfe;

/** Whether an entry is part of a snapshot; other keys are refused when reading one, too. */
export function isCarried(key: Uint8Array): boolean {
	const first = key[0];
	if (first === undefined) return false;
	return first < storeDefinitions.length || first === SIDE || notedName(key) !== undefined;
}

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

/** A chunk ends no later than the entry that reaches this uncompressed size; most have a quarter of it. */
const CHUNK_RAW_BYTES = 32 << 20;
/** Quality 4 saves 5 to 10 % over 1 for small entries; snapshots are written once and sent often. */
const QUALITY = 4;
const MAX_KEY_BYTES = 1 << 10;
/** The library's minimum. */
const MIN_PIECE = constants.Z_MIN_CHUNK;

/** Collects the entries of successive chunks in one buffer. */
export class ChunkBuilder {
	private buffer: Buffer;
	private used = 0;
	private count = 0;

	constructor(private readonly rawBytes = CHUNK_RAW_BYTES) {
		// Most chunks exceed their size by one entry shorter than this.
		this.buffer = Buffer.allocUnsafeSlow(rawBytes + (1 << 16));
	}

	/** @returns whether the chunk ends with this entry */
	add(key: Uint8Array, value: Uint8Array): boolean {
		this.room(key.length + value.length + 10);
		const before = this.used;
		this.putBytes(key);
		this.putBytes(value);
		this.count++;
		if (this.used >= this.rawBytes) return true;
		return this.used >= this.rawBytes / 16 && this.endsAt(key, this.used - before);
	}

	/**
	 * Content-defined chunking: whether a chunk ends at an entry doesn't depend on where it began, so unchanged entries give
	 * the same chunks in later snapshots, whatever was inserted. Longer entries end one more often, to even out chunk sizes.
	 */
	private endsAt(key: Uint8Array, bytes: number): boolean {
		const meanBytes = (this.rawBytes * 3) / 16;
		return spreadHash(key) * meanBytes < bytes * 2 ** 32;
	}

	get entries(): number {
		return this.count;
	}

	/** Compresses what was collected on another thread, and starts over. */
	async take(): Promise<{ readonly packed: Buffer; readonly raw: number; readonly entries: number }> {
		const bytes = this.buffer.subarray(0, this.used);
		const [raw, entries] = [this.used, this.count];
		const packed = await compress(bytes, {
			params: {
				[constants.BROTLI_PARAM_QUALITY]: QUALITY,
				[constants.BROTLI_PARAM_SIZE_HINT]: raw,
			},
		});
		[this.used, this.count] = [0, 0];
		return { packed, raw, entries };
	}

	private room(bytes: number): void {
		if (this.used + bytes <= this.buffer.length) return;
		const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.used + bytes));
		this.buffer.copy(larger, 0, 0, this.used);
		this.buffer = larger;
	}

	private putBytes(bytes: Uint8Array): void {
		let rest = bytes.length;
		for (; rest > 0x7f; rest >>>= 7) this.buffer[this.used++] = (rest & 0x7f) | 0x80;
		this.buffer[this.used++] = rest;
		this.buffer.set(bytes, this.used);
		this.used += bytes.length;
	}
}

/** FNV-1a with MurmurHash3's finalizer, both public domain: 32 bits, each depending on every bit of the key. */
function spreadHash(key: Uint8Array): number {
	let hash = 0x811c9dc5;
	for (const byte of key) hash = Math.imul(hash ^ byte, 0x01000193);
	hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
	hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
	return (hash ^ (hash >>> 16)) >>> 0;
}

/** Decompresses a chunk on another thread. @throws {SnapshotError} if it isn't as long as it should be */
export async function unpackChunk(name: string, packed: Uint8Array, raw: number): Promise<Buffer> {
	try {
		const maxOutputLength = Math.min(Math.max(raw, 1), MAX_RAW_BYTES);
		// PERF: one output buffer, with spare room so that no second one is started.
		const unpacked = await decompress(packed, { maxOutputLength, chunkSize: maxOutputLength + MIN_PIECE });
		if (unpacked.length === raw) return unpacked;
	} catch {
		// Treat it like a wrong length.
	}
	throw new SnapshotError(`${name} of the snapshot can't be unpacked`);
}

/** Iterates the entries of an uncompressed chunk or part of one, as views. @throws {SnapshotError} */
export function* chunkEntries(name: string, bytes: Buffer): Generator<readonly [Buffer, Buffer]> {
	for (const entry of chunkCursor(name, bytes)) {
		yield [bytes.subarray(entry.keyStart, entry.keyEnd), bytes.subarray(entry.valueStart, entry.end)];
	}
}

/** The same without views: the cursor moves from entry to entry. @throws {SnapshotError} */
export function* chunkCursor(name: string, bytes: Buffer): Generator<EntryCursor> {
	const entry = new EntryCursor(bytes);
	while (entry.next()) {
		if (entry.keyEnd - entry.keyStart > MAX_KEY_BYTES) throw damagedChunk(name);
		yield entry;
	}
	if (entry.end < bytes.length) throw damagedChunk(name);
}

export function damagedChunk(name: string): SnapshotError {
	return new SnapshotError(`${name} of the snapshot holds what is not a run of entries`);
}

/** SHA-256 of bytes in memory, computed on another thread. */
export async function hashOf(bytes: Uint8Array): Promise<string> {
	return toHex(new Uint8Array(await webcrypto.subtle.digest("SHA-256", bytes)));
}
