/** Where the bundled worker is. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const SCRIPT = join("node", "signatures", "recover.worker.js");

/** The worker's script in the bundle that this code runs from; undefined when it runs from source. */
export function workerScript(): URL | undefined {
	for (let folder = dirname(fileURLToPath(import.meta.url)); ; ) {
		const path = join(folder, SCRIPT);
		if (existsSync(path)) return pathToFileURL(path);
		const parent = dirname(folder);
		if (parent === folder) return undefined;
		folder = parent;
	}
}
