/** Reading a whole snapshot without writing anything: every file is what the manifest says, and holds what it should. */

import { createHash } from "node:crypto";
import { CarriedHash, checkStateHash } from "./carried-hash.js";
import { notAsListed, readChunks } from "./chunk-reader.js";
import type { Manifest } from "./manifest.js";
import { download, type SnapshotSource } from "./source.js";

/**
 * @param onBytes called after each file with the bytes it has; false ends the reading
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
		for await (const { chunk, entries } of readChunks(source, chunks, 0, parallel)) {
			for (const [key, value] of entries) if (!hash.add(key, value)) await hash.untilRoom();
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
