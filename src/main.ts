/** The command line: finds the command that the words name, runs it, and turns what goes wrong into an exit code. */

import { Config, run } from "@oclif/core";
import { asFailure, reportFailure } from "./terminal/failure-report.js";
import { handleSignals } from "./terminal/interrupt.js";
import { Failure } from "./wallet/failure.js";

/**
 * Runs one command line.
 * @param words the arguments after the program's name
 * @param root directory of the package, with package.json and the command manifest
 */
export async function main(words: readonly string[], root: string): Promise<void> {
	handleSignals();
	process.stdout.on("error", endOnBrokenPipe);
	try {
		const config = await Config.load(root);
		await run(endpointHelp(words), config);
	} catch (error) {
		const json = words.includes("--json");
		process.exitCode = reportFailure(await refusal(error, words, root), json);
	}
}

/** Help on an endpoint is its row of the table, which only the command itself knows. */
function endpointHelp(words: readonly string[]): string[] {
	const [command, name] = words;
	const wantsHelp = words.includes("--help") || words.includes("-h");
	return command === "rpc" && name !== undefined && !name.startsWith("-") && wantsHelp
		? ["rpc", name, "--table"]
		: [...words];
}

/** A reader that has seen enough, such as `head -1`, is no failure. */
function endOnBrokenPipe(error: NodeJS.ErrnoException): void {
	if (error.code === "EPIPE") process.exit(process.exitCode ?? 0);
	throw error;
}

async function refusal(error: unknown, words: readonly string[], root: string): Promise<Failure> {
	const failure = asFailure(error);
	if (!/^command .* not found$/.test(failure.message)) return failure;
	const config = await Config.load(root);
	const wanted = words.filter((word) => !word.startsWith("-")).join(" ");
	const names = config.commandIDs.map((id) => id.replaceAll(":", " "));
	const near = names
		.map((name) => ({ name, distance: editDistance(wanted, name) }))
		.filter(({ name, distance }) => distance <= Math.max(2, name.length / 3))
		.sort((a, b) => a.distance - b.distance)
		.slice(0, 3);
	const hint =
		near.length > 0
			? `did you mean ${near.map(({ name }) => `coin ${name}`).join(", or ")}?`
			: "coin --help lists the commands";
	return new Failure("usage", `there is no command "${wanted}"`, { hint });
}

/** Number of letters to add, drop or change to get from one text to the other. */
function editDistance(from: string, to: string): number {
	let row = Array.from({ length: to.length + 1 }, (_, index) => index);
	for (let i = 1; i <= from.length; i++) {
		const next = [i];
		for (let j = 1; j <= to.length; j++) {
			const change = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
			next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
		}
		row = next;
	}
	return row[to.length] as number;
}
