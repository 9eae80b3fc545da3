/** Installing a program that others wrote into a folder of its own, with the ordinary client of its registry. */

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const INSTALL_MS = 600_000;

/** The first word names the registry's client, the others what to install. */
export type Install = readonly [client: "npm" | "pip" | "go" | "mvn", ...what: readonly string[]];

/** Installs unless it has been. @throws {Error} with the client's last words */
export async function install(folder: string, [client, ...what]: Install): Promise<void> {
	const mark = join(folder, ".installed");
	const wanted = [client, ...what].join(" ");
	if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return;
	mkdirSync(folder, { recursive: true });
	for (const [file = "", ...words] of commandsOf(folder, client, what)) {
		const env = { ...process.env, GOBIN: join(folder, "bin") };
		const options = { cwd: folder, env, timeout: INSTALL_MS, maxBuffer: 64 << 20 };
		await run(file, words, options).catch((error: { stderr?: string; stdout?: string; message: string }) => {
			const text = (error.stderr || error.stdout || error.message).trim();
			throw new Error(text.split("\n").slice(-2).join(" ").slice(0, 300));
		});
	}
	writeFileSync(mark, wanted);
}

function commandsOf(folder: string, client: Install[0], what: readonly string[]): readonly string[][] {
	switch (client) {
		case "npm":
			writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
			return [["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", ...what]];
		case "pip":
			return [
				["python3", "-m", "venv", "venv"],
				["venv/bin/pip", "install", "-q", "--disable-pip-version-check", ...what],
			];
		case "go":
			return [["go", "install", ...what]];
		case "mvn":
			return [["mvn", "-q", "-B", "dependency:build-classpath", "-Dmdep.outputFile=classpath.txt"]];
	}
}
