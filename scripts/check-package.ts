/**
 * Packs the program, installs it as a user would into an empty directory, and tries it there: `npm run tool check:package`.
 * Needs the package registry that npm is configured for, and some seconds of a free processor.
 */

import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { canPackage, debianPackage, FOLDER } from "./debian-package.js";
import { tryInstallation } from "./installed-debian.js";
import { installPackage, packProgram, sizeOf } from "./installed-package.js";
import { withStartedChain } from "./started-chain.js";

const MAX_INSTALLED_BYTES = 46_000_000;

const place = mkdtempSync(join(tmpdir(), "coin-package-"));
const installed = join(place, "installed");
// The user's own configuration and keys stay out of it.
const environment = { PATH: process.env["PATH"] ?? "", HOME: place };

function say(line: string): void {
	process.stdout.write(`${line}\n`);
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

/** What the package for Debian has is started from where it was unpacked, and installed where this can be done aside. */
async function tryDebianPackage(): Promise<void> {
	if (!canPackage()) return say("the package for Debian isn't tried: there is no dpkg-deb");
	const archive = debianPackage(join(installed, "node_modules"), place);
	const unpacked = join(place, "unpacked");
	execFileSync("dpkg-deb", ["--extract", archive, unpacked]);
	// The link in usr/bin leads to the folder that postinst makes of this one.
	const program = join(unpacked, FOLDER, "node_modules/coin/bin/coin.js");
	const version = execFileSync(program, ["--version"], { cwd: place, env: environment, encoding: "utf8" });
	expectText(`${basename(archive)} coin --version`, version, /^coin\/\d+\.\d+\.\d+ /);
	await withStartedChain(
		{ node: process.execPath, program: realpathSync(program), place, environment },
		(url) => expectText("its chain head", coin("chain", "head", "--node", url), /^\d+$/),
	);
	const units = join(unpacked, "usr/lib/systemd/system");
	for (const unit of readdirSync(units).filter((name) => name.endsWith(".service"))) {
		expectText(
			unit,
			readFileSync(join(units, unit), "utf8").match(/^ExecStart=.*$/m)?.[0] ?? "",
			/^ExecStart=\/usr\/bin\/coin /,
		);
	}
	const copy = join(place, "copy");
	mkdirSync(copy);
	tryInstallation(archive, copy);
	say(`packaged for Debian ${(lstatSync(archive).size / 1e6).toFixed(1)} MB`);
}

try {
	const archive = packProgram(place);
	installPackage(archive, installed);
	expectText("coin --version", coin("--version"), /^coin\/\d+\.\d+\.\d+ /);
	expectText("coin convert unit 25coin", coin("convert", "unit", "25coin"), /^25000000sun$/);
	expectNoTools();
	await tryChain();
	measure(archive);
	await tryDebianPackage();
} finally {
	rmSync(place, { recursive: true, force: true });
}
