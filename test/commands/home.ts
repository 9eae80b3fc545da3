/** Runs the built program as a person or a script would: a subprocess with its own home, and no terminal. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { needsOwnProcess, type Outcome, program, runInHost } from "./command-host.js";

export type { Outcome } from "./command-host.js";

/** How long commands wait for an answer, where that isn't the point. */
export const PATIENCE = "10m";

/** A command line that runs in a process of its own. */
export interface Started {
	readonly child: ChildProcess;
	readonly outcome: Promise<Outcome>;
	/** What it wrote to standard error so far. */
	errors(): string;
}

/** A home directory for one test: keystore, configuration, password files. */
export class Home {
	readonly path = mkdtempSync(join(tmpdir(), "coin-home-"));

	constructor() {
		if (!existsSync(fileURLToPath(new URL("../../dist/coin.cjs", import.meta.url)))) {
			throw new Error("the program isn't built: npm run build");
		}
	}

	/** Writes a file that only its owner can read. */
	write(name: string, text: string): string {
		const path = join(this.path, name);
		writeFileSync(path, text, { mode: 0o600 });
		return path;
	}

	read(name: string): string {
		return readFileSync(join(this.path, name), "utf8");
	}

	/**
	 * Runs a command line in a process that runs others, too, which takes a fifth of the time that one of its own would.
	 * @param stdin text for standard input; undefined: an empty, closed one
	 */
	run(words: readonly string[], stdin = "", environment: Record<string, string> = {}): Promise<Outcome> {
		if (needsOwnProcess(words, environment)) return this.start(words, stdin, environment).outcome;
		return runInHost({ words, stdin, environment: this.environment(environment), directory: this.path });
	}

	private environment(further: Record<string, string>): Record<string, string> {
		return {
			PATH: process.env["PATH"] ?? "",
			HOME: this.path,
			COIN_TTY: join(this.path, "no-terminal"),
			// A machine that does much else takes longer than people want to wait for.
			COIN_TIMEOUT: PATIENCE,
			...further,
		};
	}

	/** Starts a command line in a process of its own: one that the test will interrupt, or whose process is the point. */
	start(words: readonly string[], stdin?: string, environment: Record<string, string> = {}): Started {
		const child = spawn(process.execPath, [program, ...words], {
			cwd: this.path,
			env: this.environment(environment),
			stdio: ["pipe", "pipe", "pipe"],
		});
		let stdout = "";
		let stderr = "";
		child.stdout.setEncoding("utf8").on("data", (text: string) => {
			stdout += text;
		});
		child.stderr.setEncoding("utf8").on("data", (text: string) => {
			stderr += text;
		});
		child.stdin.on("error", () => undefined);
		child.stdin.end(stdin ?? "");
		const outcome = new Promise<Outcome>((resolve, reject) => {
			child.once("error", reject);
			child.once("close", (code) => resolve({ code, stdout, stderr }));
		});
		return { child, outcome, errors: () => stderr };
	}

	remove(): void {
		rmSync(this.path, { recursive: true, force: true });
	}
}

/** The error record that a failing command printed. */
export function errorRecord({ stderr }: Outcome): Record<string, unknown> {
	const line = stderr.trim().split("\n").at(-1) ?? "";
	return (JSON.parse(line) as { error: Record<string, unknown> }).error;
}
