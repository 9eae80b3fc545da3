/** Files that are installed beside the program, in the folder of this room. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ProvingError } from "../protocol/sapling/prover.js";

/**
 * Finds a file from where this code runs: the bundle's chunks lie beside its rooms.
 * @throws {ProvingError}
 */
export function installedFile(name: string): string {
	for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
		const path = join(folder, "proving", name);
		if (existsSync(path)) return path;
		if (folder === dirname(folder)) {
			throw new ProvingError("failed", `this installation lacks the file proving/${name}`);
		}
	}
}
