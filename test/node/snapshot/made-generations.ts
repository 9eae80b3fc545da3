/** Generations on the disk without a chain: files of any bytes, with a manifest that names them. */

import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { chunkName, encodeManifest, type Manifest } from "../../../src/node/snapshot/manifest.js";

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Signs as the service under test does. */
export const signText = async (hash: string): Promise<string> => `signed ${hash}\n`;
export const isOwn = (signature: Uint8Array, hash: string): boolean =>
	Buffer.from(signature).toString() === `signed ${hash}\n`;

/** Writes a snapshot that isn't signed. @param contents of its chunks, in their order */
export function writeSnapshot(
	directory: string,
	number: number,
	createdMs: number,
	contents: readonly (string | Buffer)[],
): Manifest {
	const chunks = contents.map((content, at) => {
		const bytes = Buffer.from(content);
		const name = chunkName(at);
		mkdirSync(dirname(join(directory, name)), { recursive: true });
		writeFileSync(join(directory, name), bytes);
		return { name, bytes: bytes.length, sha256: sha256(bytes), raw: bytes.length, entries: 1 };
	});
	const manifest: Manifest = {
		format: 1,
		program: "coin test",
		genesisId: "00".repeat(32),
		head: { number, id: number.toString(16).padStart(64, "0"), timestampMs: 0 },
		lowest: 1,
		createdMs,
		entries: chunks.length,
		chunks,
		segments: [],
	};
	writeFileSync(join(directory, "manifest.json"), encodeManifest(manifest));
	return manifest;
}
