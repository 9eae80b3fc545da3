/** The project that a Solidity file belongs to: what its imports are relative to, and the compiler that it brings along. */

import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Failure } from "../failure.js";

export interface Project {
	/** Directory that paths of units are relative to. */
	readonly root: string;
	/** `context:prefix=target`, as the compiler takes them. */
	readonly remappings: readonly string[];
	/** Its own package `solc`; undefined where it has none. */
	readonly compiler: string | undefined;
}

/** Files that mark the top of a project. */
const MARKERS = /^(package\.json|foundry\.toml|remappings\.txt|hardhat\.config\.[cm]?[jt]s)$/;
const MAX_LEVELS = 32;
const MAX_SETTINGS_BYTES = 1 << 20;
const MAX_LIBRARIES = 200;
const WRITABLE_BY_ALL = 0o002;

/**
 * @param file a source file
 * @param directory what counts as the project where nothing marks one
 * @throws {Failure} `bad_value` for settings that are too long
 */
export function projectOf(file: string, directory: string): Project {
	const above = directoriesAbove(dirname(resolve(directory, file)));
	const root = above.find(isMarked) ?? directory;
	const compiler = directoriesAbove(root)
		.map((place) => join(place, "node_modules", "solc"))
		.find(isOwnPackage);
	return { root, remappings: remappingsOf(root), compiler };
}

function directoriesAbove(directory: string): string[] {
	const found = [directory];
	for (let level = 0; level < MAX_LEVELS; level++) {
		const parent = dirname(found[level] as string);
		if (parent === found[level]) break;
		found.push(parent);
	}
	return found;
}

function isMarked(directory: string): boolean {
	try {
		return readdirSync(directory).some((name) => MARKERS.test(name));
	} catch {
		return false;
	}
}

/** A package that somebody else on this machine put there, or may change, isn't run. */
function isOwnPackage(path: string): boolean {
	if (!existsSync(join(path, "package.json"))) return false;
	if (process.getuid === undefined) return true;
	const found = realpathSync(path);
	// The links on the way too: one may lead to where everybody may write.
	return [dirname(path), path, found, join(found, "package.json")].every(isOwn);
}

function isOwn(path: string): boolean {
	const found = lstatSync(path);
	const isOurs = found.uid === process.getuid?.() || found.uid === 0;
	return isOurs && (found.isSymbolicLink() || (found.mode & WRITABLE_BY_ALL) === 0);
}

/** Those of `remappings.txt` and of `foundry.toml`, then the libraries that foundry finds by itself, which these hide. */
function remappingsOf(root: string): readonly string[] {
	const lines = settingsText(join(root, "remappings.txt")).split("\n");
	const toml = /^\s*remappings\s*=\s*\[([^\]]*)\]/m.exec(settingsText(join(root, "foundry.toml")))?.[1] ?? "";
	const quoted = [...toml.matchAll(/"([^"\n]*)"|'([^'\n]*)'/g)].map(([, a, b]) => a ?? b ?? "");
	const given = [...lines, ...quoted].map((line) => line.trim()).filter((line) => /^[^#=]+=.+$/.test(line));
	const prefixes = new Set(given.map((line) => line.replace(/^[^:=]*:/, "").split("=")[0]));
	return [...given, ...librariesOf(root).filter((line) => !prefixes.has(line.split("=")[0]))];
}

function librariesOf(root: string): string[] {
	const lib = join(root, "lib");
	if (!existsSync(join(root, "foundry.toml")) || !existsSync(lib)) return [];
	return readdirSync(lib, { withFileTypes: true })
		.filter((entry) => entry.isDirectory())
		.slice(0, MAX_LIBRARIES)
		.map(({ name }) => {
			const inner = ["src", "contracts"].find((folder) => existsSync(join(lib, name, folder)));
			return `${name}/=lib/${name}/${inner === undefined ? "" : `${inner}/`}`;
		});
}

function settingsText(path: string): string {
	if (!existsSync(path)) return "";
	if (statSync(path).size > MAX_SETTINGS_BYTES)
		throw new Failure("bad_value", `${path} is longer than settings of a project are`);
	return readFileSync(path, "utf8");
}

/** The unit that an import names, by the longest remapping that fits. @param importer the unit in which it stands */
export function remapped(path: string, importer: string, remappings: readonly string[]): string {
	let best: { readonly rank: number; readonly unit: string } | undefined;
	for (const line of remappings) {
		const [, context = "", prefix = "", target = ""] = /^(?:([^:=]*):)?([^=]+)=(.*)$/.exec(line) ?? [];
		if (!path.startsWith(prefix) || !importer.startsWith(context)) continue;
		const rank = context.length * 1e6 + prefix.length;
		if (!best || rank >= best.rank) best = { rank, unit: target + path.slice(prefix.length) };
	}
	return best?.unit ?? path;
}
