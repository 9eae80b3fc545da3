/** Reads a snapshot's chunks in order, several concurrently; every file is verified against the manifest. */

import { createHash } from "node:crypto";
import { storeDefinitions } from "../state/definition.js";
import { CarriedHash, checkStateHash } from "./carried-hash.js";
import { chunkCursor, damagedChunk, hashOf, isCarried, unpackChunk } from "./chunk-format.js";
import { type Chunk, MAX_RAW_BYTES, type Manifest, SnapshotError } from "./manifest.js";
import { download, downloadWhole, type SnapshotSource } from "./source.js";

interface ReadChunk {
	/** Its index in the manifest. */
	readonly at: number;
	readonly chunk: Chunk;
	/** Ascending by key over all chunks; validated while iterating, so iterate to the end. */
	readonly runs: Iterable<EntryRun>;
}

/** Consecutive entries of a chunk whose keys start with the same byte. */
interface EntryRun {
	readonly store: number;
	/** As encoded in the chunk. */
	readonly bytes: Buffer;
}

/** Bytes of a run before another one is started. */
const RUN_BYTES = 256 << 10;

/** Uncompressed chunk bytes in memory at once: one of the largest, or several of the usual size. */
const MAX_UNPACKED = MAX_RAW_BYTES;

/**
 * Reads chunks.
 * @param first index of the first chunk to read
 * @param parallel chunks in flight or in memory, as long as they are {@link MAX_UNPACKED} together
 * @throws {SnapshotError} if one doesn't match the manifest, or has keys that snapshots don't contain
 */
export async function* readChunks(
	source: SnapshotSource,
	chunks: readonly Chunk[],
	first: number,
	parallel: number,
): AsyncGenerator<ReadChunk> {
	const coming: Promise<Buffer>[] = [];
	let asked = first;
	let unpacked = 0;
	const order = { last: Buffer.alloc(0) };
	for (let at = first; at < chunks.length; at++) {
		for (; asked < chunks.length && asked < at + parallel; asked++) {
			const { raw } = chunks[asked] as Chunk;
			if (asked > at && unpacked + raw > MAX_UNPACKED) break;
			unpacked += raw;
			const read = readChunk(source, chunks[asked] as Chunk);
			// Whoever awaits it gets the error; until then, avoid an unhandled rejection.
			read.catch(() => undefined);
			coming.push(read);
		}
		const chunk = chunks[at] as Chunk;
		const runs = checkedRuns(chunk, (await coming.shift()) as Buffer, order);
		yield { at, chunk, runs };
		unpacked -= chunk.raw;
	}
}

/** @param order the last key of this or the previous chunk @throws {SnapshotError} */
function* checkedRuns(chunk: Chunk, bytes: Buffer, order: { last: Buffer }): Generator<EntryRun> {
	let count = 0;
	let [start, end, store] = [0, 0, -1];
	let [before, keyStart, keyEnd] = [order.last, 0, order.last.length];
	for (const entry of chunkCursor(chunk.name, bytes)) {
		const first = bytes[entry.keyStart] as number;
		if (end > start && (first !== store || end - start >= RUN_BYTES)) {
			yield { store, bytes: bytes.subarray(start, end) };
			start = end;
		}
		const ascends = bytes.compare(before, keyStart, keyEnd, entry.keyStart, entry.keyEnd) > 0;
		[before, keyStart, keyEnd, end] = [bytes, entry.keyStart, entry.keyEnd, entry.end];
		// PERF: all keys of our stores are carried.
		const isCarriedToo = first === store && first < storeDefinitions.length;
		if (!ascends || !(isCarriedToo || isCarried(bytes.subarray(keyStart, keyEnd))))
			throw damagedChunk(chunk.name);
		store = first;
		count++;
	}
	if (count !== chunk.entries) throw damagedChunk(chunk.name);
	order.last = Buffer.from(before.subarray(keyStart, keyEnd));
	if (end > start) yield { store, bytes: bytes.subarray(start, end) };
}

async function readChunk(source: SnapshotSource, { name, bytes, sha256, raw }: Chunk): Promise<Buffer> {
	const packed = await downloadWhole(source, name, bytes);
	if (packed.length !== bytes || (await hashOf(packed)) !== sha256) throw notAsListed(name);
	return unpackChunk(name, packed, raw);
}

export function notAsListed(name: string): SnapshotError {
	return new SnapshotError(`${name} of the snapshot is not what its manifest says`);
}

/**
 * Verifies a whole snapshot without writing: every file matches the manifest and has valid contents.
 * @param onBytes called after each file with its size; false aborts
 * @returns whether everything was read
 * @throws {SnapshotError} one sentence that names the file
 */
export async function verifySnapshot(
	source: SnapshotSource,
	manifest: Manifest,
	parallel: number,
	onBytes: (bytes: number) => boolean,
): Promise<boolean> {
	const { chunks, segments } = manifest;
	const hash = new CarriedHash();
	try {
		for await (const { chunk, runs } of readChunks(source, chunks, 0, parallel)) {
			for (const { store, bytes } of runs) if (!hash.addRun(store, bytes)) await hash.untilRoom();
			if (!onBytes(chunk.bytes)) return false;
		}
		checkStateHash(manifest, await hash.state());
	} finally {
		await hash.close();
	}
	for (const { name, bytes, sha256 } of segments) {
		const hash = createHash("sha256");
		let read = 0;
		await download(source, name, bytes, (part) => {
			hash.update(part);
			read += part.length;
		});
		if (read !== bytes || hash.digest("hex") !== sha256) throw notAsListed(name);
		if (!onBytes(bytes)) return false;
	}
	return true;
}
