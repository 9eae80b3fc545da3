/** The command line: finds the command that the words name, runs it, and turns what goes wrong into an exit code. */

import { Config, run } from "@oclif/core";
import { isDeriving } from "./keystore/deriving.js";
import { asFailure, reportFailure, reportUncaught } from "./terminal/failure-report.js";
import { isUnknownCommand } from "./terminal/framework-errors.js";
import { handleSignals, watchBusy } from "./terminal/interrupt.js";
import { printText } from "./terminal/output.js";
import { type HelpEntry, rootHelp } from "./terminal/root-help.js";
import { longForm } from "./terminal/short-forms.js";
import { Failure } from "./wallet/failure.js";
import { nearest } from "./wallet/suggestion.js";

/**
 * Runs one command line.
 * @param words the arguments after the program's name
 * @param root directory of the package, with package.json and the command manifest
 */
export async function main(words: readonly string[], root: string): Promise<void> {
	handleSignals();
	watchBusy(isDeriving);
	process.stdout.on("error", endOnBrokenPipe);
	process.on("uncaughtException", (error) => process.exit(reportUncaught(error, words.includes("--json"))));
	try {
		const config = await Config.load(root);
		if (asksForOverview(words)) return printText(rootHelp(config.version, entriesOf(config)));
		await run(endpointHelp(helpWords(longWords(words, config))), config);
	} catch (error) {
		const json = words.includes("--json");
		process.exitCode = reportFailure(await refusal(error, words, root), json);
	}
}

/** Nothing, or nothing but a wish for help. */
function asksForOverview(words: readonly string[]): boolean {
	const flags = new Set(["--help", "-h", "--no-color"]);
	const rest = words[0] === "help" ? words.slice(1) : words;
	return rest.every((word) => flags.has(word));
}

/** Short forms are written out; a word near to a command of its topic stays, so that the refusal names that command. */
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

/** `coin help wallet send` is `coin wallet send --help`. */
function helpWords(words: readonly string[]): string[] {
	return words[0] === "help" ? [...words.slice(1), "--help"] : [...words];
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
	if (!isUnknownCommand(error)) return failure;
	const config = await Config.load(root);
	const typed = words.slice(0, firstFlag(words));
	const names = config.commandIDs.map((id) => id.replaceAll(":", " "));
	const surplus = afterCommand(typed, names);
	if (surplus) {
		const { flags = {} } = config.findCommand(surplus.command.replaceAll(" ", ":")) ?? {};
		const hint = Object.hasOwn(flags, "address")
			? `did you mean --address ${surplus.word}?`
			: `coin ${surplus.command} --help shows what it takes`;
		return new Failure("usage", `coin ${surplus.command} takes no argument, but got "${surplus.word}"`, {
			hint,
		});
	}
	const topics = config.topics.map(({ name }) => name.replaceAll(":", " "));
	const known = typed.findLastIndex((_, index) => topics.includes(typed.slice(0, index + 1).join(" "))) + 1;
	const wanted = typed.slice(0, known + 1).join(" ");
	const group = typed.slice(0, known).join(" ");
	if (wanted === "")
		return new Failure("usage", `there is no command "${wanted}"`, { hint: "coin --version prints it" });
	const near = [
		...new Set([
			...sameWord(typed.slice(0, known + 1), names),
			...nearestCommand(typed, [...new Set([...names, ...topics])]),
		]),
	]
		.filter((name) => name !== group)
		.slice(0, 3);
	const hint =
		near.length > 0
			? `did you mean ${near.map((name) => `coin ${name}`).join(", or ")}?`
			: `coin ${group === "" ? "" : `${group} `}--help lists the commands`;
	return new Failure("usage", `there is no command "${wanted}"`, { hint });
}

/** A whole command with a word behind it that it doesn't take: the framework reads both as one name. */
function afterCommand(
	words: readonly string[],
	names: readonly string[],
): { readonly command: string; readonly word: string } | undefined {
	for (let count = words.length - 1; count > 0; count--) {
		const command = words.slice(0, count).join(" ");
		const isGroup = names.some((name) => name.startsWith(`${command} `));
		if (names.includes(command) && !isGroup) return { command, word: words[count] as string };
	}
	return undefined;
}

/** Commands of any topic, or of the one that is named, that end with the word: `send` is `wallet send`. */
function sameWord(words: readonly string[], names: readonly string[]): string[] {
	const word = words.at(-1) ?? "";
	const other = { new: "new", list: "list", ls: "list", create: "new" }[word] ?? word;
	const found = names.filter((name) => name.endsWith(` ${other}`));
	const [topic] = words;
	// Wallets are what others call the keys of the keystore.
	const preferred = topic === "wallet" ? "keystore" : topic === "send" ? "wallet" : "account";
	return found.sort((a, b) => Number(b.startsWith(preferred)) - Number(a.startsWith(preferred))).slice(0, 2);
}

function firstFlag(words: readonly string[]): number {
	const index = words.findIndex((word) => word.startsWith("-"));
	return index < 0 ? words.length : index;
}

/** Arguments may follow the name: the longest beginning of the words that resembles a command is taken for it. */
function nearestCommand(words: readonly string[], names: readonly string[]): string[] {
	for (let count = Math.min(3, words.length); count > 0; count--) {
		const sameLength = names.filter((name) => name.split(" ").length === count);
		const near = nearest(words.slice(0, count).join(" "), sameLength);
		if (near.length > 0) return near;
	}
	return [];
}
