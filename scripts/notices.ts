/** Licences of bundled packages, whose texts must accompany every copy of their code. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** A package with code in the bundle. */
interface BundledPackage {
	readonly name: string;
	readonly version: string;
	readonly license: string;
	/** Contents of licence and notice files. */
	readonly texts: readonly string[];
}

/**
 * Directories of the packages that contain the files, relative to the repository's root, sorted. A package
 * installed in two versions has two directories.
 * @param files paths relative to the root; those outside `node_modules` are ignored
 */
export function packageDirectories(files: Iterable<string>): string[] {
	const directories = new Set<string>();
	for (const file of files) {
		const [directory] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [];
		if (directory !== undefined) directories.add(directory);
	}
	return [...directories].sort();
}

/** @throws {Error} if neither the package nor `scripts/licenses` has the licence's text */
function readPackage(directory: string): BundledPackage {
	const path = join(root, directory);
	const manifest = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as {
		name: string;
		version: string;
		license?: string;
		author?: string | { readonly name: string };
	};
	const { name, version, license = "unstated" } = manifest;
	const files = readdirSync(path).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
	const texts = files.sort().map((file) => readFileSync(join(path, file), "utf8").trim());
	if (texts.length === 0) {
		// Some packages omit their licence's text, though the licence requires it.
		const standard = join(root, "scripts", "licenses", `${license}.txt`);
		if (!existsSync(standard))
			throw new Error(`${directory} has no licence file, and ${standard} is missing`);
		const author = typeof manifest.author === "string" ? manifest.author : manifest.author?.name;
		texts.push(
			readFileSync(standard, "utf8")
				.trim()
				.replace("<holder>", author ?? `the authors of ${name}`),
		);
	}
	return { name, version, license, texts };
}

/**
 * The text of THIRD-PARTY-NOTICES.txt.
 * @param files every source file of the bundle, relative to the root of the repository
 * @throws {Error} if a package doesn't state its licence
 */
export function thirdPartyNotices(files: Iterable<string>): string {
	const packages = packageDirectories(files).map(readPackage);
	const sections = packages.map(({ name, version, license, texts }) =>
		[`${name} ${version} (${license})`, ...texts].join("\n\n"),
	);
	const opening =
		"The program in this folder contains code of the following packages, each under its own terms.";
	return `${[opening, ...sections].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}
