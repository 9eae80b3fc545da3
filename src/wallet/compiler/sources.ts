/** Collects contract sources and everything they import into a compiler's standard JSON input. */

import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize, relative, resolve } from "node:path";
import { readBoundedFile } from "../bounded-file.js";
import { Failure } from "../failure.js";
import type { JsonRecord } from "../json.js";

const MAX_FILES = 1_000;
const MAX_BYTES = 16 * 1024 * 1024;
/** The most imports of all files, each counted once a file. */
const MAX_IMPORTS = 50_000;
const MAX_REMAPPINGS = 500;
/** The compiler's own number of runs. */
const DEFAULT_RUNS = 200;

/** Compiler settings that affect the code. */
export interface CompilerSettings {
	/** The optimizer's `runs` setting; undefined if it is off. */
	readonly optimizerRuns?: number | undefined;
	readonly evmVersion?: string | undefined;
	readonly viaIr?: boolean | undefined;
	/** Version or path of the compiler. */
	readonly solc?: string | undefined;
	/** Hash of the metadata that follows the code, such as `none`. */
	readonly bytecodeHash?: string | undefined;
}

/** Output needed per contract for comparing and storing it; the syntax trees name immutable variables. */
const WANTED = ["abi", "evm.bytecode", "evm.deployedBytecode", "storageLayout"];

/** Replaces the output selection of a standard JSON input by what is needed here. */
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
 * Reads sources and their imports: by relative path, by the project's remappings, or from `node_modules` of the project or above.
 * @param directory base of relative paths
 * @throws {Failure} `bad_value` for a file that can't be read; for more than 1,000 files, 50,000 imports or 16 MiB
 */
export async function standardInput(
	paths: readonly string[],
	directory: string,
	{ optimizerRuns, evmVersion, viaIr, bytecodeHash }: CompilerSettings,
	{ root, remappings }: Pick<Project, "root" | "remappings"> = { root: directory, remappings: [] },
): Promise<JsonRecord> {
	const sources = new Map<string, string>();
	const pending = paths.map((path) => unitName(resolve(directory, path), root));
	const rules = remappings.flatMap(remappingOf);
	let [bytes, imports] = [0, 0];
	for (let unit = pending.pop(); unit !== undefined; unit = pending.pop()) {
		if (sources.has(unit)) continue;
		const text = await readSource(unit, root);
		const paths = importsOf(text);
		bytes += text.length;
		imports += paths.length;
		if (sources.size >= MAX_FILES || bytes > MAX_BYTES || imports > MAX_IMPORTS) {
			const most = `${MAX_FILES} files, ${MAX_IMPORTS} imports or 16 MiB`;
			throw new Failure("bad_value", `the sources are more than ${most}`);
		}
		sources.set(unit, text);
		for (const path of paths) pending.push(resolveImport(path, unit, rules));
	}
	return withWantedOutput({
		language: "Solidity",
		sources: Object.fromEntries([...sources].map(([unit, content]) => [unit, { content }])),
		settings: {
			optimizer: { enabled: optimizerRuns !== undefined, runs: BigInt(optimizerRuns ?? DEFAULT_RUNS) },
			...(evmVersion === undefined ? {} : { evmVersion }),
			...(viaIr ? { viaIR: true } : {}),
			...(bytecodeHash === undefined ? {} : { metadata: { bytecodeHash } }),
			...(remappings.length > 0 ? { remappings } : {}),
		},
	});
}

/** The name of a source file's unit when compiled. @param directory base of relative paths */
export const unitOf = (path: string, directory: string): string =>
	unitName(resolve(directory, path), projectOf(path, directory).root);

/** Name of a source unit: files inside the project are named by their path relative to its root. */
function unitName(path: string, directory: string): string {
	const near = relative(directory, path);
	return (near.startsWith("..") ? path : near).replaceAll("\\", "/");
}

function resolveImport(path: string, importer: string, remappings: readonly Remapping[]): string {
	if (!/^\.\.?\//.test(path)) return remapped(path, importer, remappings);
	return normalize(join(dirname(importer), path)).replaceAll("\\", "/");
}

/** Any text after the word is taken, whether or not a path follows: nothing is looked through twice. */
const IMPORT = /(?:^|;)[ \t]*import\b([^;"']*)(?:["']([^"'\n]+)["'])?/gm;
const TEXT_OR_COMMENT = /("(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|\/\*(?:[\s\S]*?\*\/|[\s\S]*)|\/\/.*/g;

/** Paths that a source imports, each once. */
export function importsOf(text: string): string[] {
	const code = text.replace(TEXT_OR_COMMENT, "$1");
	const found = [...code.matchAll(IMPORT)].flatMap(([, names = "", path]) =>
		path !== undefined && /^$|\bfrom$|\n[ \t]*import$/.test(names.trimEnd()) ? [path] : [],
	);
	return [...new Set(found)];
}

async function readSource(unit: string, directory: string): Promise<string> {
	// Workspaces have the packages of all projects above them; what another user put there isn't taken.
	const above = directoriesAbove(directory)
		.map((place) => join(place, "node_modules"))
		.filter((place) => existsSync(place) && isOwn(place, directory));
	const candidates = isAbsolute(unit) ? [unit] : [directory, ...above].map((place) => join(place, unit));
	for (const path of candidates) {
		try {
			if (!(await stat(path)).isFile()) continue;
		} catch {
			continue;
		}
		return readBoundedFile(path, MAX_BYTES).toString("utf8");
	}
	throw new Failure("bad_value", `the source ${unit} can't be read`, {
		hint: "imports are looked for beside their file, by the project's remappings, below its top, and in node_modules there and above",
	});
}

interface Project {
	/** Root directory, to which the paths of units are relative. */
	readonly root: string;
	/** `context:prefix=target`, as the compiler takes them. */
	readonly remappings: readonly string[];
	/**
	 * Completes given settings by a profile of `foundry.toml`; other toolchains keep theirs in programs.
	 * @throws {Failure} `bad_value`
	 */
	settings(given: CompilerSettings, profile?: string): CompilerSettings;
	/** The project's own package `solc`; undefined if it has none. */
	readonly compiler: string | undefined;
}

/** Files that mark the root of a project. */
const MARKERS = /^(package\.json|foundry\.toml|remappings\.txt|hardhat\.config\.[cm]?[jt]s)$/;
const MAX_LEVELS = 32;
const MAX_SETTINGS_BYTES = 1 << 16;
const MAX_LIBRARIES = 200;
const WRITABLE_BY_ALL = 0o002;
/** With the sticky bit only owners can rename and delete: anyone can add files to /tmp, but not replace those of others. */
const OPEN_OR_STICKY = 0o1002;

/**
 * The project that a source file belongs to. Files of other users, as in /tmp, mark none and aren't read.
 * @param directory used as the root if no file marks one; the file's own directory, where others may write
 * @throws {Failure} `bad_value` for settings that are too long or not a file, and for more than 500 remappings
 */
export function projectOf(file: string, directory: string): Project {
	const beside = dirname(resolve(directory, file));
	const marked = directoriesAbove(beside).find((place) => isMarked(place) && isOwn(place, beside));
	const root = marked ?? (isOwn(directory, beside) ? directory : beside);
	const compiler = directoriesAbove(root)
		.map((place) => join(place, "node_modules", "solc"))
		.find(isOwnPackage);
	if (!isOwn(root, beside)) return { root, remappings: [], settings: (given) => given, compiler };
	const settings = (given: CompilerSettings, profile = "default"): CompilerSettings =>
		settingsOf(root, given, profile);
	return { root, remappings: remappingsOf(root), settings, compiler };
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

/** Whether a package is safe to run: no other user of this machine may have placed or can change it. */
function isOwnPackage(path: string): boolean {
	if (!existsSync(join(path, "package.json"))) return false;
	const found = realpathSync(path);
	// Also checks symbolic links on the way: one may lead to a place where anyone can write.
	return [dirname(path), path, found, join(found, "package.json")].every((place) => isOwn(place));
}

/**
 * Whether only the user, root or the owner of the directory `beside` may have placed and can change it. Where anyone can replace what is in
 * `beside`, as in directories that containers and WSL mount, the rest of the disk is trusted no less.
 */
function isOwn(path: string, beside?: string): boolean {
	if (process.getuid === undefined) return true;
	const found = lstatSync(path);
	const near = beside !== undefined && existsSync(beside) ? statSync(beside) : undefined;
	const isOpen = near !== undefined && (near.mode & OPEN_OR_STICKY) === WRITABLE_BY_ALL;
	const isOurs = [process.getuid(), 0, near?.uid].includes(found.uid);
	return isOurs && (found.isSymbolicLink() || isOpen || (found.mode & WRITABLE_BY_ALL) === 0);
}

/** Remappings of `remappings.txt` and `foundry.toml`, then foundry's detected libraries; earlier ones win. */
function remappingsOf(root: string): readonly string[] {
	const lines = settingsText(join(root, "remappings.txt")).split("\n");
	const toml =
		/^[ \t]*remappings[ \t]*=[ \t]*\[([^\]]*)/m.exec(
			settingsText(join(root, "foundry.toml")).replace(TOML_TEXT_OR_COMMENT, (part) =>
				part.startsWith("#") ? "" : part,
			),
		)?.[1] ?? "";
	const quoted = [...toml.matchAll(/"([^"\n]*)"|'([^'\n]*)'/g)].map(([, a, b]) => a ?? b ?? "");
	const given = [...lines, ...quoted].map((line) => line.trim()).filter((line) => /^[^#=]+=.+$/.test(line));
	if (given.length > MAX_REMAPPINGS)
		throw new Failure(
			"bad_value",
			`${root} has ${given.length} remappings, at most ${MAX_REMAPPINGS} are read`,
		);
	const prefixes = new Set(given.map((line) => line.replace(/^[^:=]*:/, "").split("=")[0]));
	return [...given, ...librariesOf(root).filter((line) => !prefixes.has(line.split("=")[0]))];
}

const SETTINGS: readonly (keyof CompilerSettings)[] = ["optimizerRuns", "evmVersion", "viaIr", "solc"];

/**
 * The given settings, and for the others those of a profile of `foundry.toml`, read as foundry does: what the profile doesn't say, the default
 * one does, and a number of runs alone turns the optimizer on.
 * @throws {Failure} `bad_value` for a setting that isn't given and can't be read: other code than foundry's would be made
 */
function settingsOf(root: string, given: CompilerSettings, profile: string): CompilerSettings {
	const file = join(root, "foundry.toml");
	let values: ReadonlyMap<string, string>;
	try {
		values = tomlValues(settingsText(file), file);
	} catch (error) {
		if (SETTINGS.every((name) => name in given)) return given;
		throw error;
	}
	const tables = [profile.replaceAll("-", "_"), "default"].map((name) => `profile.${name}`);
	const inline = ["profile", ...tables].map((table) => values.get(table)?.replaceAll("-", "_")).join(" ");
	const inlined = Object.keys(USUAL).find((name) => inline.includes(name));
	const [other = inlined] = [...values].find((entry) => changesCode(entry, tables)) ?? [];
	if (other !== undefined && !SETTINGS.every((name) => name in given)) throw unreadable(file, other);
	const isBased = [...values.keys()].some((key) =>
		tables.some((table) => key.startsWith(`${table}.extends`)),
	);
	const value = (name: string, form: RegExp, member: keyof CompilerSettings): string | undefined => {
		const text = tables.map((table) => values.get(`${table}.${name}`)).find((one) => one !== undefined);
		if (member in given || (text === undefined && !isBased && !inline.includes(name))) return undefined;
		const [, found] = form.exec(text ?? "") ?? [];
		if (found === undefined) throw unreadable(file, name);
		return found;
	};
	const optimizer = value("optimizer", /^(true|false)$/, "optimizerRuns");
	const evmVersion = value("evm_version", /^["']?(\w+)["']?$/, "evmVersion");
	const viaIr = value("via_ir", /^(true|false)$/, "viaIr");
	const written = value("optimizer_runs", /^\+?(\d[\d_]{0,14})$/, "optimizerRuns")?.replaceAll("_", "");
	const alias = tables.some((table) => values.has(`${table}.solc_version`)) ? "solc_version" : "solc";
	const solc = value(alias, /^["'](\d+\.\d+\.\d+)["']$/, "solc");
	const hash = isBased ? undefined : value("bytecode_hash", /^["'](ipfs|bzzr1|none)["']$/, "bytecodeHash");
	const runs = Number(written ?? (optimizer === "true" ? DEFAULT_RUNS : 0));
	const isOn = optimizer === "true" || (optimizer === undefined && runs > 0);
	return {
		...(isOn ? { optimizerRuns: runs } : {}),
		...(evmVersion === undefined ? {} : { evmVersion: evmVersion.toLowerCase() }),
		...(viaIr === "true" ? { viaIr: true } : {}),
		...(solc === undefined ? {} : { solc }),
		...(hash === undefined ? {} : { bytecodeHash: hash }),
		...given,
	};
}

/** Settings that change the code and aren't read here, by what changes nothing. */
const USUAL: Readonly<Record<string, RegExp>> = {
	optimizer_details: /^\{\}$/,
	compilation_restrictions: /^\[\]$/,
	cbor_metadata: /^true$/,
	revert_strings: /^["']default["']$/,
};

/** Whether a setting changes the code in a way that isn't read here: one of {@link USUAL}, or of the table of old files. */
const changesCode = ([key, value]: readonly [string, string], tables: readonly string[]): boolean =>
	/^default\.(optimizer|via_ir|evm_version|solc)/.test(key) ||
	tables.some((table) => {
		const [name = "", inner] = key.startsWith(`${table}.`) ? key.slice(table.length + 1).split(".") : [];
		const usual = Object.hasOwn(USUAL, name) ? USUAL[name] : undefined;
		return usual !== undefined && (inner !== undefined || !usual.test(value.replace(/\s/g, "")));
	});

const OTHER_SETTING = new RegExp(`\\b(${Object.keys(USUAL).join("|")})\\b`);

const unreadable = (file: string, what: string): Failure =>
	new Failure("bad_value", `${file}: ${what} can't be read as it is written there`, {
		hint: OTHER_SETTING.test(what)
			? "give the compiler's standard JSON input in place of the source: it has all settings, and forge verify-contract --show-standard-json-input prints it"
			: "write it on a line of its own below [profile.<name>], or say it by --optimizer-runs, --evm-version, --[no-]via-ir and --solc <version or path>; standard JSON says it itself",
	});

/** A quote that isn't closed takes the whole rest: nothing is looked through twice. */
const TOML_TEXT_OR_COMMENT =
	/"{3}(?:\\[\s\S]|[^\\])*?"{3,5}|'{3}[\s\S]*?'{3,5}|"(?!"")(?:\\.|[^"\\\n])*"|'(?!'')[^'\n]*'|#.*|(["'])[\s\S]*/g;

/**
 * Values of TOML as written, by their keys after those of their tables: `profile.default.via_ir`. Comments are left out, and all texts but
 * single words.
 * @throws {Failure} `bad_value`
 */
function tomlValues(text: string, file: string): ReadonlyMap<string, string> {
	const bare = text.replace(TOML_TEXT_OR_COMMENT, (part, unclosed: string | undefined) => {
		if (unclosed !== undefined) throw unreadable(file, part.slice(0, 60).split("\n", 1)[0] ?? "");
		return part.startsWith("#") ? "" : /^(["'])[\w.-]*\1$/.test(part) ? part : '""';
	});
	const plain = (key: string): string => key.replace(/[\s"']/g, "").replaceAll("-", "_");
	const found = new Map<string, string>();
	let [table, key, depth] = ["", "", 0];
	for (const line of bare.split("\n").map((one) => one.trim())) {
		let value = line;
		if (depth === 0) {
			const [, header] = /^\[{1,2}([^[\]=]+)\]{1,2}$/.exec(line) ?? [];
			if (header !== undefined) table = `${plain(header)}.`;
			if (header !== undefined || line === "") continue;
			const [, name, first] = /^([^=]+)=(.*)$/.exec(line) ?? [];
			if (name === undefined || first === undefined) throw unreadable(file, line.slice(0, 60));
			[key, value] = [table + plain(name), first.trim()];
		}
		found.set(key, (found.get(key) ?? "") + value);
		// Lists and inline tables go on until their brackets close.
		for (const bracket of value.match(/[[\]{}]/g) ?? []) depth += "[{".includes(bracket) ? 1 : -1;
	}
	if (depth !== 0) throw unreadable(file, key);
	return found;
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
	return readBoundedFile(path, MAX_SETTINGS_BYTES).toString("utf8");
}

interface Remapping {
	readonly context: string;
	readonly prefix: string;
	readonly target: string;
}

/** The parts of `context:prefix=target`; none for other text. */
export function remappingOf(line: string): readonly Remapping[] {
	const [, context = "", prefix, target = ""] = /^(?:([^:=]*):)?([^=]+)=(.*)$/.exec(line) ?? [];
	return prefix === undefined ? [] : [{ context, prefix, target }];
}

/** The unit that an import refers to, by the longest matching remapping. @param importer importing unit */
export function remapped(path: string, importer: string, remappings: readonly Remapping[]): string {
	let best: { readonly rank: number; readonly unit: string } | undefined;
	for (const { context, prefix, target } of remappings) {
		if (!path.startsWith(prefix) || !importer.startsWith(context)) continue;
		const rank = context.length * 1e6 + prefix.length;
		if (!best || rank >= best.rank) best = { rank, unit: target + path.slice(prefix.length) };
	}
	return best?.unit ?? path;
}
