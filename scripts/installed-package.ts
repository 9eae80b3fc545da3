/** The program as users get it: packed, then installed into an empty directory. */

import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Packs the program. @param place an empty folder @returns path of the archive */
export function packProgram(place: string): string {
	execFileSync("npm", ["pack", "--silent", "--pack-destination", place], {
		cwd: join(import.meta.dirname, ".."),
		stdio: ["ignore", "ignore", "inherit"],
	});
	const archive = readdirSync(place).find((name) => name.endsWith(".tgz"));
	if (archive === undefined) throw new Error("npm pack left no archive");
	return join(place, archive);
}

/** @param folder created by this function */
export function installPackage(archive: string, folder: string): void {
	mkdirSync(folder);
	writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
	// The README promises that no install scripts are needed.
	const words = ["install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", archive];
	execFileSync("npm", words, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}

/** Total size in bytes of the files below a folder. */
export function sizeOf(folder: string): number {
	return readdirSync(folder, { withFileTypes: true }).reduce((sum, item) => {
		const path = join(folder, item.name);
		return sum + (item.isDirectory() ? sizeOf(path) : lstatSync(path).size);
	}, 0);
}
