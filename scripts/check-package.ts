/**
 * Packs the program, installs it as a user would into an empty directory, and tries it there: `npm run tool check:package`.
 * Needs the package registry that npm is configured for, and some seconds of a free processor.
 */

import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withStartedChain } from "./started-chain.js";

const MAX_INSTALLED_BYTES = 46_000_000;

const root = join(import.meta.dirname, "..");
const place = mkdtempSync(join(tmpdir(), "coin-package-"));
const installed = join(place, "installed");
// The user's own configuration and keys stay out of it.
const environment = { PATH: process.env["PATH"] ?? "", HOME: place };

function say(line: string): void {
	process.stdout.write(`${line}\n`);
}

/** Packs the program. @returns the path of the archive */
function pack(): string {
	execFileSync("npm", ["pack", "--silent", "--pack-destination", place], {
		cwd: root,
		stdio: ["ignore", "ignore", "inherit"],
	});
	const archive = readdirSync(place).find((name) => name.endsWith(".tgz"));
	if (archive === undefined) throw new Error("npm pack left no archive");
	return join(place, archive);
}

function install(archive: string): void {
	mkdirSync(installed);
	writeFileSync(join(installed, "package.json"), '{ "private": true }\n');
	// Install scripts stay off: the README promises that none is needed.
	const words = ["install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", archive];
	execFileSync("npm", words, { cwd: installed, stdio: ["ignore", "ignore", "inherit"] });
}

/** @returns what the installed program printed. @throws {Error} when it refuses */
function coin(...words: string[]): string {
	const program = join(installed, "node_modules", ".bin", "coin");
	return execFileSync(program, words, { cwd: place, env: environment, encoding: "utf8" }).trim();
}

function expectText(what: string, found: string, wanted: RegExp): void {
	if (!wanted.test(found)) throw new Error(`${what} printed ${JSON.stringify(found)}, not ${wanted}`);
	say(`${what}: ${found.split("\n")[0]}`);
}

/** Files that only those who work on the program need. */
function expectNoTools(): void {
	const dist = join(installed, "node_modules", "coin", "dist");
	const tools = readdirSync(dist).filter((name) => name === "bench" || name.startsWith("replay"));
	if (tools.length > 0) throw new Error(`the package contains dist/${tools.join(", dist/")}`);
	for (const name of ["LICENSE", "NOTICE", "dist/THIRD-PARTY-NOTICES.txt"]) {
		readFileSync(join(dist, "..", name));
	}
}

function tryChain(): Promise<void> {
	const program = join(installed, "node_modules", "coin", "bin", "coin.js");
	return withStartedChain({ node: process.execPath, program, place, environment }, (url) =>
		expectText("coin chain head", coin("chain", "head", "--node", url), /^\d+$/),
	);
}

/** Bytes of the files below a folder. */
function sizeOf(folder: string): number {
	return readdirSync(folder, { withFileTypes: true }).reduce((sum, item) => {
		const path = join(folder, item.name);
		return sum + (item.isDirectory() ? sizeOf(path) : lstatSync(path).size);
	}, 0);
}

function measure(archive: string): void {
	const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
	const modules = join(installed, "node_modules");
	const total = sizeOf(modules);
	say(`packed ${megabytes(lstatSync(archive).size)}, installed ${megabytes(total)}, of which`);
	for (const name of readdirSync(modules).filter((name) => !name.startsWith("."))) {
		const bytes = sizeOf(join(modules, name));
		if (bytes > 500_000) say(`  ${name} ${megabytes(bytes)}`);
	}
	if (total > MAX_INSTALLED_BYTES)
		throw new Error(`more than ${megabytes(MAX_INSTALLED_BYTES)} are installed`);
}

try {
	const archive = pack();
	install(archive);
	expectText("coin --version", coin("--version"), /^coin\/\d+\.\d+\.\d+ /);
	expectText("coin convert unit 25coin", coin("convert", "unit", "25coin"), /^25000000sun$/);
	expectNoTools();
	await tryChain();
	measure(archive);
} finally {
	rmSync(place, { recursive: true, force: true });
}
