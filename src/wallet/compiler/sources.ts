/** Source files of contracts, with everything that they import, as a compiler's standard JSON input. */

import { readFile, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize, relative } from "node:path";
import { Failure } from "../failure.js";
import type { JsonRecord } from "../json.js";
import { type Project, remapped } from "./project.js";

const MAX_FILES = 1_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** How the code is to be made. */
export interface CompilerSettings {
	/** Runs that the optimizer expects; undefined: it is off. */
	readonly optimizerRuns?: number | undefined;
	readonly evmVersion?: string | undefined;
	readonly viaIr?: boolean | undefined;
}

/** What a comparison needs to know of each contract, and what is stored with it; the syntax trees name immutable variables. */
const WANTED = ["abi", "evm.bytecode", "evm.deployedBytecode", "storageLayout"];

/** A standard JSON input that asks for what is needed here, whatever it asked for. */
export function withWantedOutput(input: JsonRecord): JsonRecord {
	const settings = input["settings"];
	return {
		...input,
		settings: {
			...(typeof settings === "object" && settings !== null ? settings : {}),
			outputSelection: { "*": { "*": WANTED, "": ["ast"] } },
		},
	} as JsonRecord;
}

/**
 * Reads sources and what they import: relative to themselves, by the project's remappings, or from its `node_modules`.
 * @param directory that relative paths begin at
 * @throws {Failure} `bad_value` for a file that can't be read; beyond 1,000 files or 16 MiB
 */
export async function standardInput(
	paths: readonly string[],
	directory: string,
	{ optimizerRuns, evmVersion, viaIr }: CompilerSettings,
	{ root, remappings }: Pick<Project, "root" | "remappings"> = { root: directory, remappings: [] },
): Promise<JsonRecord> {
	const sources = new Map<string, string>();
	const pending = paths.map((path) => unitName(isAbsolute(path) ? path : join(directory, path), root));
	let bytes = 0;
	for (let unit = pending.pop(); unit !== undefined; unit = pending.pop()) {
		if (sources.has(unit)) continue;
		const text = await readSource(unit, root);
		bytes += text.length;
		if (sources.size >= MAX_FILES || bytes > MAX_BYTES)
			throw new Failure("bad_value", `the sources are more than ${MAX_FILES} files or 16 MiB`);
		sources.set(unit, text);
		for (const path of importsOf(text)) pending.push(resolveImport(path, unit, remappings));
	}
	return withWantedOutput({
		language: "Solidity",
		sources: Object.fromEntries([...sources].map(([unit, content]) => [unit, { content }])),
		settings: {
			optimizer: { enabled: optimizerRuns !== undefined, runs: BigInt(optimizerRuns ?? 200) },
			...(evmVersion === undefined ? {} : { evmVersion }),
			...(viaIr ? { viaIR: true } : {}),
			...(remappings.length > 0 ? { remappings } : {}),
		},
	});
}

/** Files below the top of the project are known by their path from there. */
function unitName(path: string, directory: string): string {
	const near = relative(directory, path);
	return (near.startsWith("..") ? path : near).replaceAll("\\", "/");
}

function resolveImport(path: string, importer: string, remappings: readonly string[]): string {
	if (!/^\.\.?\//.test(path)) return remapped(path, importer, remappings);
	return normalize(join(dirname(importer), path)).replaceAll("\\", "/");
}

const IMPORT = /(?:^|;)[ \t]*import\b(?:[^;"']*\bfrom\b)?\s*["']([^"'\n]+)["']/gm;

/** Paths that a source imports. A commented one costs a file that isn't needed, or says that it is missing. */
export function importsOf(text: string): string[] {
	const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^[ \t]*\/\/.*$/gm, "");
	return [...code.matchAll(IMPORT)].map(([, path]) => path as string);
}

async function readSource(unit: string, directory: string): Promise<string> {
	const candidates = isAbsolute(unit)
		? [unit]
		: [join(directory, unit), join(directory, "node_modules", unit)];
	for (const path of candidates) {
		try {
			if ((await stat(path)).size > MAX_BYTES)
				throw new Failure("bad_value", `${path} is larger than 16 MiB`);
			return await readFile(path, "utf8");
		} catch (error) {
			if (error instanceof Failure) throw error;
		}
	}
	throw new Failure("bad_value", `the source ${unit} can't be read`, {
		hint: "imports are looked for beside their file, by the project's remappings, below its top, and in its node_modules",
	});
}
