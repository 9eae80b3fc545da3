/** Repeatedly starts a process with a chain on one directory, and kills it while it writes. */

import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Answers } from "./answers.js";
import { NodeFailedError } from "./kill-node.js";
import { between, type Random } from "./random.js";

const CHILD = fileURLToPath(new URL("kill-chain-child.ts", import.meta.url));

/** Starts the child, reads its answers, and kills it. An incomplete last line doesn't count. */
export async function runAndKillChain(directory: string, random: Random, answers: Answers): Promise<void> {
	const seed = between(random, 0, 1 << 30);
	const child = spawn(process.execPath, ["--import", "tsx", CHILD, directory, String(seed)], {
		stdio: ["ignore", "pipe", "pipe"],
	});
	let rest = "";
	let errors = "";
	let ready: () => void = () => {};
	const isReady = new Promise<void>((resolve) => {
		ready = resolve;
	});
	const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
	child.stderr.on("data", (chunk: Buffer) => {
		errors += chunk.toString();
	});
	child.stdout.on("data", (chunk: Buffer) => {
		const lines = (rest + chunk.toString()).split("\n");
		rest = lines.pop() as string;
		for (const line of lines) {
			const [kind, first, second] = line.split(" ");
			if (kind === "ready") ready();
			if (kind === "transaction") answers.transactions.add(first as string);
			if (kind === "block") answers.blocks.set(Number(first), second as string);
		}
	});
	await Promise.race([isReady, ended]);
	await sleep(between(random, 0, 400));
	if (child.exitCode !== null) throw new NodeFailedError(`the chain ended by itself:\n${errors}`);
	child.kill("SIGKILL");
	await ended;
}
