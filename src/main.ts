/** The command line: finds and runs the command, and maps errors to exit codes. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { Config, run } from "@oclif/core";
import { COMMANDS } from "./commands/table.js";
import { isDeriving } from "./keystore/scrypt.js";
import { asksForHelp, OrderedHelp } from "./terminal/command-line/command-help.js";
import { type HelpEntry, rootHelp } from "./terminal/command-line/root-help.js";
import { longForm } from "./terminal/command-line/short-forms.js";
import { flagBeforeCommand, unknownCommand } from "./terminal/command-line/unknown-command.js";
import { asFailure, reportFailure, reportUncaught } from "./terminal/output/failure-report.js";
import { isUnknownCommand } from "./terminal/output/framework-errors.js";
import { endOnBrokenPipe, printText } from "./terminal/output/output.js";
import { handleSignals, watchBusy } from "./terminal/prompt/interrupt.js";
import type { Failure } from "./wallet/failure.js";
import { nearest } from "./wallet/values/suggestion.js";

const loadConfig = Config.load.bind(Config);

/**
 * Runs a command line.
 * @param words the arguments after the program's name
 * @param root directory of the package, with package.json and the command manifest
 */
export async function main(words: readonly string[], root: string): Promise<void> {
	handleSignals();
	watchBusy(isDeriving);
	process.stdout.on("error", endOnBrokenPipe);
	process.on("uncaughtException", (error) => process.exit(reportUncaught(error, words.includes("--json"))));
	try {
		const config = await loadConfig(manifestRoot(words, root));
		// The framework would reload it at each of its steps.
		Config.load = async () => config;
		bringCommands(config);
		if (asksForOverview(words)) return printText(rootHelp(config.version, entriesOf(config)));
		const asked = endpointHelp(helpWords(longWords(words, config)));
		const misplaced = flagBeforeCommand(asked, namesOf(config));
		if (misplaced) throw misplaced;
		if (asksForHelp(asked)) await new OrderedHelp(config, config.pjson.oclif.helpOptions).showHelp(asked);
		else await run(asked, config);
	} catch (error) {
		const json = words.includes("--json");
		process.exitCode = reportFailure(await failureOf(error, words, root), json);
	}
}

/**
 * Directory of a partial manifest: it has every command with this first word and only the names of others;
 * for `coin node start`, that command alone. Reading the full manifest takes longer than most commands run.
 */
function manifestRoot(words: readonly string[], root: string): string {
	const [word = "", second] = words;
	if (word === "node" && second === "start") return join(root, "dist", "start");
	const own = join(root, "dist", "words", word);
	return /^[a-z]+$/.test(word) && existsSync(own) ? own : root;
}

/** The framework expects each command in its own file; here they are bundled. */
function bringCommands(config: Config): void {
	for (const [id, load] of Object.entries(COMMANDS)) {
		for (const name of [id, ...(config.findCommand(id)?.aliases ?? [])]) {
			const command = config.findCommand(name);
			// Set the id on the class, as the framework does for commands that it loads.
			if (command) command.load = async () => Object.assign(await load(), { id });
		}
	}
}

/** Whether there are no words besides a request for help. */
function asksForOverview(words: readonly string[]): boolean {
	const flags = new Set(["--help", "-h", "--no-color"]);
	const rest = words[0] === "help" ? words.slice(1) : words;
	return rest.every((word) => flags.has(word));
}

/** Expands abbreviations; keeps a likely typo of a command, so that the error can suggest that command. */
function longWords(words: readonly string[], config: Config): string[] {
	const commandsOf = (topic: string): string[] =>
		config.commandIDs.filter((id) => id.startsWith(`${topic}:`)).map((id) => id.slice(topic.length + 1));
	return longForm(words, commandsOf, (word, known) => nearest(word, known).length > 0);
}

function entriesOf(config: Config): HelpEntry[] {
	const topics = config.topics.filter(({ name }) => !name.includes(":"));
	const single = config.commands.filter(({ id }) => !id.includes(":"));
	return [
		...topics.map(({ name, description }) => ({ name, about: description ?? "" })),
		...single.map(({ id, summary }) => ({ name: id, about: lowerFirst(summary ?? "") })),
	];
}

function lowerFirst(text: string): string {
	return text.charAt(0).toLowerCase() + text.slice(1);
}

/** `coin help wallet send` becomes `coin wallet send --help`. */
function helpWords(words: readonly string[]): string[] {
	return words[0] === "help" ? [...words.slice(1), "--help"] : [...words];
}

/** Help on an endpoint is its table row, which only the command itself knows. */
function endpointHelp(words: readonly string[]): string[] {
	const [command, name] = words;
	const wantsHelp = words.includes("--help") || words.includes("-h");
	return command === "rpc" && name !== undefined && !name.startsWith("-") && wantsHelp
		? ["rpc", name, "--table"]
		: [...words];
}

const spoken = (id: string): string => id.replaceAll(":", " ");

function namesOf({ commandIDs, topics }: Config): { commands: string[]; topics: string[] } {
	return { commands: commandIDs.map(spoken), topics: topics.map(({ name }) => spoken(name)) };
}

async function failureOf(error: unknown, words: readonly string[], root: string): Promise<Failure> {
	if (!isUnknownCommand(error)) return asFailure(error);
	const config = await loadConfig(root);
	return unknownCommand(words[0] === "help" ? words.slice(1) : words, {
		...namesOf(config),
		unlisted: Object.keys(COMMANDS)
			.filter((id) => !config.findCommand(id))
			.map(spoken),
		hasAddressFlag: (command) =>
			Object.hasOwn(config.findCommand(command.replaceAll(" ", ":"))?.flags ?? {}, "address"),
	});
}
