/** Where the bundle has a script that runs as a thread of its own. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * A script in the bundle that this code runs from; undefined when it runs from source.
 * @param path below the bundle's folder, with slashes
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
