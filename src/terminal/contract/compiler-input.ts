/** Reads compiler output given on the command line, compiling it first if sources are given. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { Flags, type Interfaces } from "@oclif/core";
import { artifactMember } from "../../wallet/abi/interface.js";
import { readBoundedFile } from "../../wallet/bounded-file.js";
import {
	buildFile,
	type CompiledContract,
	compiledContracts,
	isStandardInput,
} from "../../wallet/compiler/output.js";
import { compileStandardInput, findCompiler, isCompilerVersion } from "../../wallet/compiler/solc.js";
import {
	type CompilerSettings,
	projectOf,
	standardInput,
	withWantedOutput,
} from "../../wallet/compiler/sources.js";
import { Failure } from "../../wallet/failure.js";
import { givenJson, isRecord, type Json, type JsonRecord } from "../../wallet/json.js";
import { parseCount } from "../../wallet/values/integer-text.js";
import { flagText, MAX_INPUT_FILE_BYTES } from "./contract-input.js";

/** How sources are compiled; what they don't say is taken from the project's `foundry.toml`, by its profile `FOUNDRY_PROFILE`. */
export const compilerSettingFlags = {
	"optimizer-runs": Flags.string({
		description:
			"compile with the optimizer, for so many runs; off: without it (default: as foundry.toml says)",
		helpValue: "<n>|off",
		helpGroup: "CONTRACT",
	}),
	"evm-version": Flags.string({
		description: "version of the machine to compile for (default: foundry.toml's, or the compiler's)",
		helpValue: "<name>",
		helpGroup: "CONTRACT",
	}),
	"via-ir": Flags.boolean({
		description: "compile through the intermediate language (default: as foundry.toml says)",
		allowNo: true,
		helpGroup: "CONTRACT",
	}),
};

/** What {@link compilerSettingFlags} say. @throws {Failure} `bad_value` */
export function compilerSettings(
	flags: Interfaces.InferredFlags<typeof compilerSettingFlags>,
): CompilerSettings {
	const { "optimizer-runs": runs, "evm-version": evmVersion, "via-ir": viaIr } = flags;
	return {
		...(runs === undefined ? {} : { optimizerRuns: runs === "off" ? undefined : Number(parseCount(runs)) }),
		...(evmVersion === undefined ? {} : { evmVersion }),
		...(viaIr === undefined ? {} : { viaIr }),
	};
}

/** Flag of commands that may have to compile. */
export const compilerFlag = {
	solc: Flags.string({
		description:
			"Solidity compiler: a version that is installed, or the path of its package or program (default: the version of foundry.toml, or any; the project's own package, which is run if it belongs to the user or root, goes before what is installed)",
		helpValue: "<version or path>",
		helpGroup: "CONTRACT",
	}),
};

/** Joins a build of hardhat 3, which has compiler input and output in two files; returns any other file unchanged. */
export async function wholeBuild(json: Json, path: string): Promise<Json> {
	if (!isRecord(json)) return json;
	const { _format: format } = json;
	if (format === "hh3-sol-build-info-1" && json["output"] === undefined) {
		const answer = await neighbour(path.replace(/\.json$/, ".output.json"));
		return isRecord(answer) ? { ...json, output: answer["output"] ?? null } : json;
	}
	if (format !== "hh3-sol-build-info-output-1") return json;
	const asked = await neighbour(path.replace(/\.output\.json$/, ".json"));
	return isRecord(asked) ? { ...asked, output: json["output"] ?? null } : json;
}

/** Also replaces an artifact of hardhat 2, which lacks the positions of immutable values, by its contract in the build it came from. */
async function withNeighbours(json: Json, path: string): Promise<Json> {
	if (!isRecord(json) || json["_format"] !== "hh-sol-artifact-1") return wholeBuild(json, path);
	const { sourceName, contractName } = json;
	const place = artifactMember((await neighbour(path.replace(/\.json$/, ".dbg.json"))) ?? null, "buildInfo");
	const build = typeof place === "string" ? await neighbour(join(dirname(path), place)) : undefined;
	const [file, name] = [String(sourceName), String(contractName)];
	const contract = artifactMember(build ?? null, "output", "contracts", file, name);
	if (!isRecord(build) || contract === undefined) return json;
	const sources = artifactMember(build, "output", "sources") ?? {};
	return { ...build, output: { sources, contracts: { [file]: { [name]: contract } } } };
}

/** A file of a compiler or toolchain, {@link withNeighbours}. @throws {Failure} `bad_value` */
async function compilerFile(path: string): Promise<Json> {
	return withNeighbours(await readFileJson(path), path);
}

async function readFileJson(path: string): Promise<Json> {
	return givenJson(readBoundedFile(path, MAX_INPUT_FILE_BYTES).toString("utf8"), `${path} is not JSON`);
}

/** Reads a file beside another one; undefined if there is none. @throws {Failure} `bad_value` if it can't be read */
async function neighbour(path: string): Promise<Json | undefined> {
	return existsSync(path) ? readFileJson(path) : undefined;
}

/** Reads a file like {@link compilerFile}; a Solidity file is compiled by its project's settings only. @throws {Failure} */
export async function buildOf(path: string): Promise<Json> {
	if (!/\.sol$/i.test(path)) return compilerFile(path);
	const { input, output } = await compiled([path], undefined, {});
	return { input, output };
}

/** Matches a source file with an optional contract name: `Token.sol:Token`. */
export const SOURCE_AND_NAME = /^(.+\.sol)(?::([A-Za-z_$][\w$]*))?$/i;

/**
 * Source files of which one may be given with the name of its contract.
 * @param name of the contract, if a flag gives it
 * @throws {Failure} `conflicting_flags` for several names
 */
export function namedSources(
	words: readonly string[],
	name: string | undefined,
): { readonly paths: readonly string[]; readonly name: string | undefined } {
	const parts = words.map((word) => SOURCE_AND_NAME.exec(word) ?? [word, word]);
	const names = new Set([name, ...parts.map(([, , own]) => own)].filter((one) => one !== undefined));
	if (names.size > 1)
		throw new Failure("conflicting_flags", `one contract is named, not several: ${[...names].join(", ")}`);
	return { paths: parts.map(([word = "", path = word]) => path), name: [...names][0] };
}

/** Settings that affect the compiled code. */
const STORED_SETTINGS = ["optimizer", "evmVersion", "viaIR", "remappings", "libraries", "metadata", "debug"];

/**
 * Compiles a contract's sources as stored by a node (protocol/history §7). The node must give a compiler version: accepting a path would
 * let somebody else run a program or module of this machine.
 * @throws {Failure} `bad_value` if it gives no version
 */
export async function buildOfStored({
	compiler,
	language = "Solidity",
	settings,
	sources,
}: JsonRecord): Promise<Json> {
	if (typeof compiler !== "string" || !isCompilerVersion(compiler))
		throw new Failure("bad_value", "the node names no version of the compiler");
	const kept = Object.entries(isRecord(settings) ? settings : {}).filter(([name]) =>
		STORED_SETTINGS.includes(name),
	);
	const texts = Object.entries(isRecord(sources) ? sources : {}).map(([file, content]) => [
		file,
		{ content },
	]);
	const asked: JsonRecord = {
		language,
		settings: Object.fromEntries(kept),
		sources: Object.fromEntries(texts),
	};
	const { input, output } = await compiled([], compiler, {}, asked);
	return { input, output };
}

/**
 * Compiles by the compiler of a project: that of the first file, or of the working directory if there is none.
 * @param asked standard JSON input; if undefined, the files are sources in that project
 */
async function compiled(
	paths: readonly string[],
	solc: string | undefined,
	settings: CompilerSettings,
	asked?: JsonRecord,
): Promise<{ readonly input: JsonRecord; readonly output: Json; readonly version: string }> {
	const [first = "-"] = paths;
	const project = projectOf(first, process.cwd());
	const given = { ...settings, ...(solc === undefined ? {} : { solc }) };
	const whole = asked ? given : project.settings(given, process.env["FOUNDRY_PROFILE"]);
	const refused = (error: unknown): never => {
		const isProjects = error instanceof Failure && whole.solc !== solc;
		throw isProjects ? error.saying(`foundry.toml asks for another compiler: ${error.message}`) : error;
	};
	const path = process.env["PATH"] ?? "";
	const compiler = await findCompiler(whole.solc, path, project.compiler).catch(refused);
	const input = asked ? withWantedOutput(asked) : await standardInput(paths, process.cwd(), whole, project);
	return { input, output: await compileStandardInput(compiler, input), version: compiler.version };
}

/**
 * Returns JSON of a compiler or toolchain, after compiling it if it is standard JSON input.
 * @param path the file, whose project may have the compiler; - for the working directory's
 * @throws {Failure}
 */
export async function compiledJson(json: Json, solc: string | undefined, path: string): Promise<Json> {
	const build = buildFile(json);
	const asked = build && !build.output ? build.input : json;
	if (!isStandardInput(asked)) return build?.output ?? json;
	return (await compiled([path], solc, {}, asked)).output;
}

export interface CompiledSources {
	readonly contracts: readonly CompiledContract[];
	/** The compiler's version, followed by its input; undefined if nothing had to be compiled. */
	readonly compiler: string | undefined;
	readonly input: JsonRecord | undefined;
}

/**
 * Contracts from source files, or from one JSON file.
 * @param mustCompile whether to compile sources even if the compiler's output comes with them
 */
export async function contractsFrom(
	paths: readonly string[],
	solc: string | undefined,
	settings: CompilerSettings,
	mustCompile = false,
): Promise<CompiledSources> {
	const [first = "", second] = paths;
	const isJson = second === undefined && (first === "-" || /\.json$/i.test(first));
	const json = isJson
		? await withNeighbours(
				givenJson(await flagText(first === "-" ? first : `@${first}`, "the source"), `${first} is not JSON`),
				first,
			)
		: undefined;
	if (json !== undefined && Object.keys(settings).length > 0) {
		throw new Failure("conflicting_flags", `${first} says itself how it is compiled: leave the settings out`);
	}
	const build = json === undefined ? undefined : buildFile(json);
	if (build?.output && !mustCompile) {
		const { output, compiler, input } = build;
		return { contracts: compiledContracts(output), compiler, input };
	}
	const asked = build?.input ?? json;
	if (json !== undefined && !build && !isStandardInput(json))
		return { contracts: compiledContracts(json), compiler: undefined, input: undefined };
	const release = solc ?? build?.compiler?.replace(/\+.*$/, "");
	const { input, output, version } = await compiled(
		paths,
		release,
		settings,
		asked as JsonRecord | undefined,
	);
	return { contracts: compiledContracts(output), compiler: version, input };
}
