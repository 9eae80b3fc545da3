/** The chunks of a snapshot in their order, several on their way at once; each is compared with the manifest. */

import { chunkEntries, damagedChunk, hashOf, unpackChunk } from "./chunk-format.js";
import { isCarried } from "./entries.js";
import { type Chunk, SnapshotError } from "./manifest.js";
import { downloadWhole, type SnapshotSource } from "./source.js";

interface ReadChunk {
	/** Its place in the manifest. */
	readonly at: number;
	readonly chunk: Chunk;
	/** Ascending by key, over all chunks. */
	readonly entries: readonly (readonly [Buffer, Buffer])[];
}

/**
 * Reads chunks.
 * @param first the first that is wanted
 * @param parallel how many are on their way or in memory at once
 * @throws {SnapshotError} if one isn't what the manifest says, or holds keys that no snapshot holds
 */
export async function* readChunks(
	source: SnapshotSource,
	chunks: readonly Chunk[],
	first: number,
	parallel: number,
): AsyncGenerator<ReadChunk> {
	const coming: Promise<Buffer>[] = [];
	let asked = first;
	let last: Uint8Array = new Uint8Array(0);
	for (let at = first; at < chunks.length; at++) {
		for (; asked < chunks.length && asked < at + parallel; asked++) {
			const read = readChunk(source, chunks[asked] as Chunk);
			// Whoever awaits it is told; meanwhile it isn't nobody's.
			read.catch(() => undefined);
			coming.push(read);
		}
		const chunk = chunks[at] as Chunk;
		const entries = [...chunkEntries(chunk.name, (await coming.shift()) as Buffer)];
		if (entries.length !== chunk.entries) throw damagedChunk(chunk.name);
		for (const [key] of entries) {
			if (Buffer.compare(last, key) >= 0 || !isCarried(key)) throw damagedChunk(chunk.name);
			last = key;
		}
		yield { at, chunk, entries };
	}
}

async function readChunk(source: SnapshotSource, { name, bytes, sha256, raw }: Chunk): Promise<Buffer> {
	const packed = await downloadWhole(source, name, bytes);
	if (packed.length !== bytes || (await hashOf(packed)) !== sha256) throw notAsListed(name);
	return unpackChunk(name, packed, raw);
}

export function notAsListed(name: string): SnapshotError {
	return new SnapshotError(`${name} of the snapshot is not what its manifest says`);
}
