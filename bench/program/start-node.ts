/** Starts a node of the bundled program in its own process, and waits until it answers. */

import { type ChildProcess, spawn } from "node:child_process";
import { request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { resolve } from "node:path";

const PROGRAM = resolve("bin/coin.js");
const ASK_AGAIN_MS = 3;

export interface StartedNode {
	readonly child: ChildProcess;
	/** From process start to the complete first answer of getnowblock. */
	readonly answerMs: number;
	/** Stops the process. */
	stop(): Promise<void>;
}

export async function freePorts(count: number): Promise<number[]> {
	const servers = Array.from({ length: count }, () => createServer());
	const ports: number[] = [];
	for (const server of servers) {
		await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
		ports.push((server.address() as AddressInfo).port);
	}
	await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
	return ports;
}

/** @param words arguments of `coin node start` @param port its HTTP port */
export async function startNode(words: readonly string[], cwd: string, port: number): Promise<StartedNode> {
	const started = performance.now();
	const child = spawn(process.execPath, [PROGRAM, "node", "start", ...words], {
		cwd,
		stdio: ["ignore", "ignore", "inherit"],
	});
	const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
	const stop = (): Promise<void> => {
		child.kill("SIGTERM");
		return ended;
	};
	while (!(await ask(port))) {
		if (child.exitCode !== null) throw new Error(`the node ended with ${child.exitCode}`);
		await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
	}
	return { child, answerMs: performance.now() - started, stop };
}

/** Whether the node answers. */
function ask(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const asked = request({ port, path: "/wallet/getnowblock", method: "POST", agent: false }, (answer) => {
			answer.resume().on("end", () => resolve(answer.statusCode === 200));
		});
		asked.on("error", () => resolve(false)).end("{}");
	});
}
