/**
 * Runs the Solidity compiler, which isn't part of this program. In order of precedence: `--solc`, the package
 * `solc` of the compiled project, that installed beside this program, an executable `solc`.
 */

import { spawn } from "node:child_process";
import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, extname, isAbsolute, join, resolve } from "node:path";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord, member, readJson, writeWireJson } from "../json.js";

/** A compiler that was found. */
interface Compiler {
	readonly version: string;
	/** Compiles standard JSON input to standard JSON output, both as text. */
	compile(input: string): Promise<string>;
}

interface SolcPackage {
	version(): string;
	compile(input: string): string;
}

const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
const TIME_LIMIT_MS = 10 * 60_000;

/** Whether a text is a version, such as `0.8.20` or `v0.8.20+commit.a1b79de6`, rather than a path. */
export const isCompilerVersion = (text: string): boolean => /^v?\d+\.\d+\.\d+(\+[\w.+-]*)?$/.test(text);

/**
 * Finds a compiler.
 * @param wanted a version, or the path of a program or of the package; undefined for whatever is installed
 * @param path directories of programs, as in `PATH`
 * @param own the project's own package; undefined if it has none
 * @throws {Failure} `not_found` with what to install
 */
export async function findCompiler(
	wanted: string | undefined,
	path: string,
	own?: string | undefined,
): Promise<Compiler> {
	if (wanted !== undefined && !isCompilerVersion(wanted)) return compilerAt(resolve(wanted));
	const version = wanted?.replace(/^v|\+.*$/g, "");
	const names = version === undefined ? ["solc"] : ["solc", `solc-${version}`];
	const found: string[] = [];
	for (const name of [...(own === undefined ? [] : [own]), ...names]) {
		try {
			const compiler = packaged(name);
			if (compiler && fits(compiler, version)) return compiler;
			if (compiler) found.push(compiler.version);
		} catch (error) {
			if (!(error instanceof Failure)) throw error;
			found.push(error.message);
		}
	}
	for (const program of programsNamed(version === undefined ? ["solc"] : ["solc", `solc-${version}`], path)) {
		const compiler = await programAt(program);
		if (fits(compiler, version)) return compiler;
		found.push(compiler.version);
	}
	const which = version === undefined ? "the Solidity compiler" : `the Solidity compiler ${version}`;
	const others = found.length > 0 ? ` (found: ${found.join("; ")})` : "";
	throw new Failure("not_found", `${which} isn't installed here${others}`, {
		hint: `npm install solc${version === undefined ? "" : `@${version}`} in the project, or name one with --solc <path>`,
	});
}

/**
 * Compiles standard JSON input.
 * @throws {Failure} `bad_value` with the compiler's errors
 */
export async function compileStandardInput(compiler: Compiler, input: JsonRecord): Promise<JsonRecord> {
	let output: Json;
	try {
		output = readJson(await compiler.compile(writeWireJson(input)));
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		throw new Failure("bad_value", `the compiler ${compiler.version} answered with something else than JSON`);
	}
	if (!isRecord(output)) throw new Failure("bad_value", "the compiler answered with no JSON object");
	const errors = Array.isArray(output["errors"]) ? output["errors"].filter(isRecord) : [];
	const [first, ...others] = errors.filter((error) => member(error, "severity") === "error");
	if (first) {
		const text = String(member(first, "formattedMessage") ?? member(first, "message") ?? "").trim();
		const more = others.length > 0 ? ` (and ${others.length} more)` : "";
		// Compilers since 0.6 give the location on a separate line, older ones before the error.
		const place = /^\s*--> (\S.*?):?\s*$/m.exec(text)?.[1];
		const what = `${place === undefined ? "" : `${place}: `}${text.split("\n")[0]}`;
		throw new Failure("bad_value", `the sources don't compile: ${what}${more}`, {
			details: { compiler: compiler.version, error: text },
		});
	}
	return output;
}

function fits({ version }: Compiler, wanted: string | undefined): boolean {
	return wanted === undefined || version === wanted || version.startsWith(`${wanted}+`);
}

/** The compiler at a path: the package's directory or module, or a program. */
async function compilerAt(path: string): Promise<Compiler> {
	if (!existsSync(path)) throw new Failure("bad_value", `--solc: there is nothing at ${path}`);
	const isModule = statSync(path).isDirectory() || [".js", ".cjs"].includes(extname(path));
	if (!isModule) return programAt(path);
	return loaded(path);
}

/**
 * Loads a package by path, or one installed beside this program. One in the working directory runs only if it belongs to the project of
 * the source or of that directory.
 * @throws {Failure} `bad_value`
 */
function packaged(name: string): Compiler | undefined {
	const require = createRequire(import.meta.url);
	let path: string;
	try {
		path = require.resolve(name);
	} catch {
		// Not installed.
		return undefined;
	}
	return loaded(path);
}

function loaded(path: string): Compiler {
	return guarded(`${path} can't be loaded`, () => {
		const solc = createRequire(import.meta.url)(path) as Partial<SolcPackage> | undefined;
		if (typeof solc?.compile !== "function" || typeof solc.version !== "function") {
			throw new Failure("bad_value", `${path} is not the package solc`, {
				hint: "name its directory, such as node_modules/solc",
			});
		}
		const { compile } = solc as SolcPackage;
		const failed = `the compiler ${path} failed`;
		return { version: solc.version(), compile: async (input) => guarded(failed, () => compile(input)) };
	});
}

/** Runs code of a package, which may be broken. @throws {Failure} `bad_value` for whatever it throws */
function guarded<T>(what: string, run: () => T): T {
	try {
		return run();
	} catch (error) {
		if (error instanceof Failure) throw error;
		const [why] = (error instanceof Error ? error.message : String(error)).split("\n");
		throw new Failure("bad_value", `${what}: ${why}`);
	}
}

function programsNamed(names: readonly string[], path: string): string[] {
	const directories = path.split(delimiter).filter(isAbsolute);
	return names.flatMap((name) => directories.map((directory) => join(directory, name)).filter(isProgram));
}

function isProgram(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		// The package's own command is a script with a different command line than the compiler's.
		return statSync(path).isFile() && !beginsAsScript(path);
	} catch {
		return false;
	}
}

function beginsAsScript(path: string): boolean {
	const file = openSync(path, "r");
	try {
		const head = Buffer.alloc(2);
		readSync(file, head, 0, 2, 0);
		return head.toString("latin1") === "#!";
	} finally {
		closeSync(file);
	}
}

async function programAt(path: string): Promise<Compiler> {
	const about = await output(path, ["--version"], "");
	const version = /Version: (\S+)/.exec(about)?.[1];
	if (version === undefined) throw new Failure("bad_value", `${path} is not a Solidity compiler`);
	return { version, compile: (input) => output(path, ["--standard-json"], input) };
}

/** Runs a program to its end. @throws {Failure} `bad_value` */
function output(program: string, words: readonly string[], input: string): Promise<string> {
	const child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"], timeout: TIME_LIMIT_MS });
	const chunks: Buffer[] = [];
	let size = 0;
	return new Promise((done, fail) => {
		const refuse = (why: string): void => fail(new Failure("bad_value", `${program} ${why}`));
		child.once("error", (error: NodeJS.ErrnoException) =>
			refuse(`can't be run (${error.code ?? error.message})`),
		);
		child.stdout.on("data", (chunk: Buffer) => {
			size += chunk.length;
			if (size > MAX_OUTPUT_BYTES) child.kill();
			else chunks.push(chunk);
		});
		child.once("close", (code) => {
			if (code === 0) done(Buffer.concat(chunks).toString("utf8"));
			else refuse(`ended with ${code ?? "a signal"}`);
		});
		child.stdin.on("error", () => undefined);
		child.stdin.end(input);
	});
}
