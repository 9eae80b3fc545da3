/** `coin node adopt` as a process: killed at random moments and run again, or refusing. */

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { between, type Random } from "./random.js";

const program = fileURLToPath(new URL("../../bin/coin.js", import.meta.url));
/** An adoption of a recorded directory takes about a second after the start of the program. */
const KILL_AFTER_MS = { least: 300, most: 1500 };

interface Adoption {
	readonly source: string;
	readonly config: string;
	readonly data: string;
}

interface Outcome {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

function run(args: readonly string[], killAfterMs?: number): Promise<Outcome> {
	return new Promise((resolve) => {
		const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
		const timer =
			killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs);
		let [stdout, stderr] = ["", ""];
		child.stdout.on("data", (data) => {
			stdout += data;
		});
		child.stderr.on("data", (data) => {
			stderr += data;
		});
		child.on("close", (code) => {
			clearTimeout(timer);
			resolve({ code, stdout, stderr });
		});
	});
}

const argsOf = ({ source, config, data }: Adoption): string[] => [
	...["node", "adopt", source, "-c", config, "-d", data, "--json"],
];

/** Adopts, killed so many times; a node must not start in between. */
export async function adoptKilled(
	adoption: Adoption & { readonly kills: number; readonly random: Random },
): Promise<{ readonly killed: number; readonly refusedStarts: number; readonly entries: number }> {
	let [killed, refusedStarts] = [0, 0];
	for (let i = 0; i < adoption.kills; i++) {
		const { code } = await run(
			argsOf(adoption),
			between(adoption.random, KILL_AFTER_MS.least, KILL_AFTER_MS.most),
		);
		if (code !== null) break;
		killed++;
		const start = await run(["node", "db", "stat", "-c", adoption.config, "-d", adoption.data, "--json"]);
		if (start.code === 1 && start.stderr.includes("is not complete")) refusedStarts++;
	}
	const last = await run(argsOf(adoption));
	// A kill may have come after the last write.
	if (last.code !== 0 && !last.stderr.includes("holds a chain already")) throw new Error(last.stderr);
	const { entries = 0 } = (last.code === 0 ? JSON.parse(last.stdout) : {}) as { readonly entries?: number };
	return { killed, refusedStarts, entries };
}

/** What a damaged directory is answered with. */
export async function adoptRefused(adoption: Adoption): Promise<{ code: number | null; message: string }> {
	const { code, stderr } = await run(argsOf(adoption));
	return { code, message: stderr.trim() };
}
