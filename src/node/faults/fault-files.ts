/**
 * The directory of a node's fault bundles. Files are written atomically; the first ones are kept, since they
 * show how a fault began, and of later ones the newest.
 */

import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type FaultBundle, KEPT_FILES, MAX_KEPT_BYTES } from "./bundle.js";
import { bundleLines } from "./bundle-file.js";

const NAME = /^\d{20}-[0-9a-f]{16}\.fault$/;

/** In the data directory. */
export const FAULT_FOLDER = "faults";

/** Sorts by height. */
function faultName({ block }: Pick<FaultBundle, "block">): string {
	return `${String(block.number).padStart(20, "0")}-${block.idHex.slice(-16)}.fault`;
}

/** Writes a bundle. @param folder created if missing @returns path of the file */
export async function writeFault(folder: string, bundle: FaultBundle): Promise<string> {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	const path = join(folder, faultName(bundle));
	const unfinished = `${path}.new`;
	const file = await open(unfinished, "w", 0o600);
	try {
		await pipeline(Readable.from(bundleLines(bundle)), createGzip(), file.createWriteStream({ flush: true }));
		await rename(unfinished, path);
	} catch (error) {
		await rm(unfinished, { force: true });
		throw error;
	}
	await prune(folder);
	return path;
}

async function prune(folder: string): Promise<void> {
	const names = (await readdir(folder)).filter((name) => NAME.test(name)).sort();
	const files = await Promise.all(
		names.map(async (name) => {
			const { size, mtimeMs } = await stat(join(folder, name));
			return { name, size, mtimeMs };
		}),
	);
	files.sort((a, b) => a.mtimeMs - b.mtimeMs || (a.name < b.name ? -1 : 1));
	let count = files.length;
	let bytes = files.reduce((sum, { size }) => sum + size, 0);
	for (const { name, size } of files.slice(KEPT_FILES.first)) {
		if (count <= KEPT_FILES.first + KEPT_FILES.newest && bytes <= MAX_KEPT_BYTES) return;
		await rm(join(folder, name), { force: true });
		count--;
		bytes -= size;
	}
}
