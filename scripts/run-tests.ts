/**
 * The checks of `npm test` after the build: types and lint beside the tests, as a compiler uses one core and many
 * tests wait. What is wrong with them is printed when it is found; the tests go on, so that they end what they
 * started. The project `long` has a script of its own.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** Scripts of package.json. */
const CHECKS = ["typecheck", "lint"] as const;

/** npm tells its scripts where it is; what isn't a script of its own says so. */
const npm = process.env["npm_execpath"];
if (npm === undefined) throw new Error("start it with npm test");

const cwd = fileURLToPath(new URL("..", import.meta.url));
const started = new Set<ChildProcess>();

function start(words: readonly string[], stdio: "inherit" | "pipe"): ChildProcess {
	const child = spawn(process.execPath, words, { cwd, stdio: ["ignore", stdio, stdio] });
	started.add(child);
	child.once("close", () => started.delete(child));
	return child;
}

/** @returns whether it passes; what it says otherwise is printed */
async function passes(script: string): Promise<boolean> {
	const child = start([npm as string, "run", "--silent", script], "pipe");
	let said = "";
	for (const stream of [child.stdout, child.stderr])
		stream?.setEncoding("utf8").on("data", (text: string) => {
			said += text;
		});
	const [code] = await once(child, "close").catch((error: Error) => [error.message]);
	if (code !== 0) process.stderr.write(`npm run ${script}\n${said}`);
	return code === 0;
}

/** One after the other, so that a core stays for the tests. */
async function check(): Promise<boolean> {
	for (const script of CHECKS) if (!(await passes(script))) return false;
	return true;
}

const words = process.argv.slice(2);
// Projects that are named and excluded together would be all but those excluded.
const projects = words.some((word) => word.startsWith("--project")) ? [] : ["--project=!long"];
const tests = start(["node_modules/vitest/vitest.mjs", "run", ...projects, ...words], "inherit");
for (const signal of ["SIGINT", "SIGTERM"] as const)
	process.once(signal, () => {
		// A terminal has sent its SIGINT to all of them.
		if (signal === "SIGTERM" || !process.stdin.isTTY) for (const child of started) child.kill(signal);
	});
const [[code], isClean] = await Promise.all([once(tests, "close"), check()]);
process.exitCode = isClean && code === 0 ? 0 : 1;
