/** A development chain of a built or installed program, on ports that are free. */

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const START_LIMIT_MS = 60_000;

export interface Runtime {
	/** The program that runs JavaScript. */
	readonly node: string;
	/** bin/coin.js of the copy to start. */
	readonly program: string;
	/** Folder in which it is started. */
	readonly place: string;
	readonly environment: Readonly<Record<string, string>>;
	/** More words of its command line. */
	readonly words?: readonly string[];
	/** Who runs it, if not this process's user. */
	readonly uid?: number;
	readonly gid?: number;
}

/** Starts a development chain, asks, and ends it. @param ask given the URL of its HTTP API */
export async function withStartedChain(
	runtime: Runtime,
	ask: (url: string) => void | Promise<void>,
): Promise<void> {
	const { uid, gid } = runtime;
	const ready = join(runtime.place, "ready.json");
	rmSync(ready, { force: true });
	const apis = ["http", "solidity", "jsonrpc", "grpc", "grpc-solidity"];
	const ports = apis.flatMap((api) => [`--${api}-port`, "0"]);
	const words = [runtime.program, "node", "start", "--dev", "--ready-file", ready, "--port", "0", ...ports];
	const node = spawn(runtime.node, [...words, ...(runtime.words ?? [])], {
		cwd: runtime.place,
		env: runtime.environment,
		stdio: ["ignore", "ignore", "inherit"],
		...(uid !== undefined && { uid }),
		...(gid !== undefined && { gid }),
	});
	try {
		await ask(`http://127.0.0.1:${await fullNodePort(node, ready)}`);
	} finally {
		const closed = new Promise((resolve) => node.once("close", resolve));
		if (node.exitCode === null && node.kill("SIGTERM")) await closed;
	}
}

async function fullNodePort(node: ChildProcess, ready: string): Promise<number> {
	const started = Date.now();
	while (Date.now() - started < START_LIMIT_MS) {
		if (node.exitCode !== null) throw new Error(`the development chain ended with ${node.exitCode}`);
		try {
			return (JSON.parse(readFileSync(ready, "utf8")) as { ports: { full: number } }).ports.full;
		} catch {
			// Not there yet, or half written.
			await delay(50);
		}
	}
	throw new Error(`the development chain wasn't ready after ${START_LIMIT_MS / 1000} s`);
}
