/** The program as a user has it: packed, and installed from that into an empty directory. */

import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Packs the program. @param place an empty folder @returns the path of the archive */
export function packProgram(place: string): string {
	execFileSync("npm", ["pack", "--silent", "--pack-destination", place], {
		cwd: join(import.meta.dirname, ".."),
		stdio: ["ignore", "ignore", "inherit"],
	});
	const archive = readdirSync(place).find((name) => name.endsWith(".tgz"));
	if (archive === undefined) throw new Error("npm pack left no archive");
	return join(place, archive);
}

/** @param folder is made */
export function installPackage(archive: string, folder: string): void {
	mkdirSync(folder);
	writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
	// Install scripts stay off: the README promises that none is needed.
	const words = ["install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", archive];
	execFileSync("npm", words, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}

/** Bytes of the files below a folder. */
export function sizeOf(folder: string): number {
	return readdirSync(folder, { withFileTypes: true }).reduce((sum, item) => {
		const path = join(folder, item.name);
		return sum + (item.isDirectory() ? sizeOf(path) : lstatSync(path).size);
	}, 0);
}
