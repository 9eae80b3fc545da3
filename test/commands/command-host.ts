/** Processes that run one command line after another (command-host-script.js): as many as tests run commands at the same time. */

import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

export interface Outcome {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

export interface CommandLine {
	readonly words: readonly string[];
	/** Text of standard input; empty: it ends at once. */
	readonly stdin: string;
	/** The whole environment: nothing of the test's own is added. */
	readonly environment: Readonly<Record<string, string>>;
	readonly directory: string;
}

const script = fileURLToPath(new URL("command-host-script.js", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
export const program = `${root}/bin/coin.js`;

/** Commands that pass their standard streams on, or aren't in the bundle that hosts run. */
const OWN_PROCESS = ["keystore unlock", "network watch"];

/** Whether a host can't run a command line; some of the environment is for the runtime, which reads it when it starts. */
export function needsOwnProcess(words: readonly string[], environment: Record<string, string>): boolean {
	const isForRuntime = Object.keys(environment).some((name) => name.startsWith("NODE_"));
	return isForRuntime || OWN_PROCESS.includes(words.slice(0, 2).join(" "));
}

/** Hosts that wait for a command line. */
const idle: CommandHost[] = [];

/** Runs a command line in a process that may have run others before. */
export async function runInHost(line: CommandLine): Promise<Outcome> {
	const host = idle.pop() ?? new CommandHost();
	const outcome = await host.run(line);
	if (host.isUsable) idle.push(host);
	return outcome;
}

class CommandHost {
	private readonly mark = randomUUID();
	private readonly child: ChildProcess;
	private readonly stdout: Output;
	private readonly stderr: Output;
	private hasEnded = false;

	constructor() {
		this.child = fork(script, [root, program, this.mark], {
			env: { PATH: process.env["PATH"] ?? "" },
			// What lives as long as a command dies young in a larger space.
			execArgv: ["--max-semi-space-size=64"],
			stdio: ["ignore", "pipe", "pipe", "ipc"],
		});
		this.stdout = new Output(this.child.stdout as Readable, this.mark);
		this.stderr = new Output(this.child.stderr as Readable, this.mark);
		// It ends with the test process, and keeps that from ending no longer than a run does.
		this.child.unref();
		this.child.channel?.unref();
	}

	get isUsable(): boolean {
		return !this.hasEnded;
	}

	async run(line: CommandLine): Promise<Outcome> {
		const ended = new Promise<number | null>((resolve, reject) => {
			this.child.once("error", reject);
			this.child.once("message", (code) => resolve(code as number));
			this.child.once("close", (code) => {
				this.hasEnded = true;
				resolve(code);
			});
		});
		this.child.send(line);
		const code = await ended;
		this.child.removeAllListeners();
		if (!this.hasEnded) await Promise.all([this.stdout.marked(), this.stderr.marked()]);
		return { code, stdout: this.stdout.take(), stderr: this.stderr.take() };
	}
}

/** What a host writes, cut at the mark behind each command line. */
class Output {
	private text = "";
	private wake = (): void => undefined;

	constructor(
		stream: Readable,
		private readonly mark: string,
	) {
		(stream as Socket).unref();
		stream.setEncoding("utf8").on("data", (text: string) => {
			this.text += text;
			this.wake();
		});
	}

	async marked(): Promise<void> {
		while (!this.text.endsWith(this.mark)) {
			await new Promise<void>((resolve) => {
				this.wake = resolve;
			});
		}
	}

	take(): string {
		const text = this.text.endsWith(this.mark) ? this.text.slice(0, -this.mark.length) : this.text;
		this.text = "";
		return text;
	}
}
