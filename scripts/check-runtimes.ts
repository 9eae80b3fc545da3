/**
 * Tests the built program under each supported release line of Node.js: replays a recording, and queries a
 * development chain. `npm run tool check:runtimes -- 22 24` tests those two only. Needs npm's registry, which
 * has the runtimes as packages.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withStartedChain } from "./started-chain.js";

const RELEASE_LINES = ["20", "22", "24", "26"];
const RECORDED_SET = "test/golden/late-stake-delegation";

const root = join(import.meta.dirname, "..");
const program = join(root, "bin/coin.js");

/** Installs a runtime into a folder, without its redundant install script. @returns path of the executable */
function installRuntime(place: string, line: string): string {
	const name = `node-${process.platform}-${process.arch}`;
	mkdirSync(place);
	writeFileSync(join(place, "package.json"), '{ "private": true }\n');
	const words = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", `${name}@${line}`];
	execFileSync("npm", words, { cwd: place, stdio: ["ignore", "ignore", "inherit"] });
	return join(place, "node_modules", name, "bin", "node");
}

async function tryRuntime(place: string, line: string): Promise<void> {
	const node = installRuntime(place, line);
	const environment = { PATH: process.env["PATH"] ?? "", HOME: place };
	const run = (...words: string[]): string =>
		execFileSync(node, words, { cwd: root, env: environment, encoding: "utf8" }).trim();
	process.stdout.write(`${run(program, "--version")}\n`);
	process.stdout.write(`  ${run("dist/replay.js", RECORDED_SET).split("\n").at(-1)}\n`);
	await withStartedChain({ node, program, place, environment }, (url) => {
		const head = run(program, "chain", "head", "--node", url);
		if (!/^\d+$/.test(head)) throw new Error(`coin chain head printed ${JSON.stringify(head)}`);
		process.stdout.write(`  coin chain head: ${head}\n`);
	});
}

const place = mkdtempSync(join(tmpdir(), "coin-runtimes-"));
const chosen = process.argv.slice(2);
try {
	for (const line of chosen.length > 0 ? chosen : RELEASE_LINES) await tryRuntime(join(place, line), line);
} finally {
	rmSync(place, { recursive: true, force: true });
}
