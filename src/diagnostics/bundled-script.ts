/** Locates bundled worker scripts. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * A script in the bundle that contains this code; undefined when running from source.
 * @param path relative to the bundle's directory, with slashes
 */
export function bundledScript(path: string): URL | undefined {
	for (let folder = dirname(fileURLToPath(import.meta.url)); ; ) {
		const file = join(folder, path);
		if (existsSync(file)) return pathToFileURL(file);
		const parent = dirname(folder);
		if (parent === folder) return undefined;
		folder = parent;
	}
}
