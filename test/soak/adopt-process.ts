/** Runs `coin node adopt` as a process: killed at random times and restarted, or refusing. */

import { spawn } from "node:child_process";
import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { between, type Random } from "./random.js";

const program = fileURLToPath(new URL("../../bin/coin.js", import.meta.url));
/** Copying a recorded directory takes less, once the database exists. */
const LONGEST_MS = 600;
/** Polling interval for the database. */
const LOOK_MS = 5;

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

/** @param kill waits for a file, then kills after a delay */
function run(
	args: readonly string[],
	kill?: { readonly file: string; readonly afterMs: number },
): Promise<Outcome> {
	return new Promise((resolve) => {
		const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
		const look = (): void => {
			if (!kill) return;
			if (existsSync(kill.file)) timer = setTimeout(() => child.kill("SIGKILL"), kill.afterMs);
			else timer = setTimeout(look, LOOK_MS);
		};
		let timer: NodeJS.Timeout | undefined;
		look();
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

/** Adopts with this many kills; a node must not start in between. */
export async function adoptKilled(
	adoption: Adoption & { readonly kills: number; readonly random: Random },
): Promise<{ readonly killed: number; readonly refusedStarts: number; readonly entries: number }> {
	let [killed, refusedStarts] = [0, 0];
	for (let i = 0; i < adoption.kills; i++) {
		const afterMs = between(adoption.random, 0, LONGEST_MS);
		const { code } = await run(argsOf(adoption), { file: join(adoption.data, "database"), afterMs });
		if (code !== null) break;
		killed++;
		// On a copy: the kill may have been before any write, and then this creates a chain.
		const copy = `${adoption.data}-copy`;
		cpSync(adoption.data, copy, { recursive: true });
		const start = await run(["node", "db", "stat", "-c", adoption.config, "-d", copy, "--json"]);
		rmSync(copy, { recursive: true });
		if (start.code === 1 && start.stderr.includes("is not complete")) refusedStarts++;
	}
	const last = await run(argsOf(adoption));
	// The kill may have been after the last write.
	if (last.code !== 0 && !last.stderr.includes("holds a chain already")) throw new Error(last.stderr);
	const { entries = 0 } = (last.code === 0 ? JSON.parse(last.stdout) : {}) as { readonly entries?: number };
	return { killed, refusedStarts, entries };
}

/** The refusal of a damaged directory. */
export async function adoptRefused(adoption: Adoption): Promise<{ code: number | null; message: string }> {
	const { code, stderr } = await run(argsOf(adoption));
	return { code, message: stderr.trim() };
}
