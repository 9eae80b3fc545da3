/** The attacked node: the real program as a process, observed from outside. */

import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { configText, type Ports, type Template } from "./template.js";

const START_LIMIT_MS = 60_000;

export class Victim {
	private output = "";

	private constructor(
		readonly ports: Ports,
		private readonly child: ChildProcess,
		private readonly folder: string,
	) {
		const keep = (chunk: Buffer): void => {
			this.output = (this.output + chunk.toString()).slice(-100_000);
		};
		child.stdout?.on("data", keep);
		child.stderr?.on("data", keep);
	}

	/** Starts the node on a copy of the template, and waits until it answers. */
	static async start(template: Template, ports: Ports, folder: string, more = ""): Promise<Victim> {
		rmSync(folder, { recursive: true, force: true });
		mkdirSync(folder, { recursive: true });
		cpSync(template.directory, join(folder, "data"), { recursive: true });
		writeFileSync(join(folder, "config.conf"), configText(template.genesisMs, ports, more));
		const words = ["node", "start", "-c", "config.conf", "-d", "data", "--witness", "--host", "127.0.0.1"];
		if (more.includes("event.subscribe")) words.push("--es");
		const program = resolve("bin/coin.js");
		const child = spawn(process.execPath, [program, ...words], {
			cwd: folder,
			stdio: ["ignore", "pipe", "pipe"],
			env: { PATH: process.env["PATH"] ?? "", HOME: folder, NODE_OPTIONS: process.env["PROBE"] ?? "" },
		});
		const victim = new Victim(ports, child, folder);
		const limit = Date.now() + START_LIMIT_MS;
		while (!(await victim.answers())) {
			if (child.exitCode !== null || Date.now() > limit) throw new Error(`no start:\n${victim.output}`);
			await sleep(50);
		}
		return victim;
	}

	private async answers(): Promise<boolean> {
		return fetch(`http://127.0.0.1:${this.ports.http}/wallet/getnowblock`, {
			signal: AbortSignal.timeout(2000),
		})
			.then((answer) => answer.ok)
			.catch(() => false);
	}

	get pid(): number {
		return this.child.pid as number;
	}

	get isAlive(): boolean {
		return this.child.exitCode === null && this.child.signalCode === null;
	}

	/** The last lines of its log. */
	get log(): string {
		return this.output;
	}

	/** Resident memory in bytes; 0 once the process is gone. */
	get memory(): number {
		try {
			const status = readFileSync(`/proc/${this.child.pid}/status`, "utf8");
			return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
		} catch {
			return 0;
		}
	}

	/** Total size of its files in bytes. */
	get disk(): number {
		return sizeOf(join(this.folder, "data"));
	}

	async stop(): Promise<void> {
		if (!this.isAlive) return;
		const ended = new Promise((done) => this.child.once("exit", done));
		this.child.kill("SIGTERM");
		const timer = globalThis.setTimeout(() => this.child.kill("SIGKILL"), 10_000);
		await ended;
		clearTimeout(timer);
	}
}

function sizeOf(path: string): number {
	try {
		const stat = statSync(path);
		if (!stat.isDirectory()) return stat.size;
		return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
	} catch {
		// A database file deleted meanwhile.
		return 0;
	}
}
