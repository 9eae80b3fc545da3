/**
 * Writes docs/commands/, a page per topic, from the commands' own definitions. `--check` compares instead,
 * and fails on differences.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

interface Flag {
	readonly name: string;
	readonly char?: string;
	readonly description?: string;
	readonly type: "boolean" | "option";
	readonly helpValue?: string;
	readonly options?: readonly string[];
	readonly default?: unknown;
	readonly env?: string;
	readonly hidden?: boolean;
	readonly multiple?: boolean;
	readonly allowNo?: boolean;
}

interface Command {
	readonly id: string;
	readonly summary?: string;
	readonly description?: string;
	readonly aliases?: readonly string[];
	readonly usage: string;
	readonly examples?: readonly string[];
	readonly args: Readonly<
		Record<string, { readonly name: string; readonly description?: string; readonly required?: boolean }>
	>;
	readonly flags: Readonly<Record<string, Flag>>;
}

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "docs", "commands");
const manifest = JSON.parse(readFileSync(join(root, "oclif.manifest.json"), "utf8")) as {
	commands: Record<string, Command>;
};
const { oclif } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
	oclif: { topics: Record<string, { description: string }> };
};

/** Flags of every command, listed once. */
const GENERAL = ["json", "json-schema", "quiet", "config", "no-color"];
const general = Object.values(manifest.commands["convert:unit"]?.flags ?? {}).filter(({ name }) =>
	GENERAL.includes(name),
);

function isGeneral(flag: Flag): boolean {
	return general.some(({ name, description }) => name === flag.name && description === flag.description);
}

function flagRow(flag: Flag): string {
	const value =
		flag.type === "option"
			? ` ${flag.helpValue ?? (flag.options ? flag.options.join("\\|") : "<value>")}`
			: "";
	const long = flag.allowNo ? `--[no-]${flag.name}` : `--${flag.name}`;
	const names = `${flag.char ? `-${flag.char}, ` : ""}${long}${value.replaceAll("|", "\\|").replaceAll("\\\\|", "\\|")}`;
	const notes = [
		flag.description ?? "",
		flag.multiple && !flag.description?.includes("repeatable") ? "repeatable" : "",
		flag.default === undefined || flag.default === false ? "" : `default ${String(flag.default)}`,
		flag.env ? `environment ${flag.env}` : "",
	];
	return `| \`${names}\` | ${notes
		.filter((note) => note !== "")
		.join("; ")
		.replaceAll("|", "\\|")} |`;
}

function aliasLines({ aliases = [] }: Command): string[] {
	if (aliases.length === 0) return [];
	return ["", `Also as ${aliases.map((alias) => `\`coin ${alias.replaceAll(":", " ")}\``).join(", ")}.`];
}

function usageOf({ id, usage }: Command): string {
	const name = id.replaceAll(":", " ");
	return usage.startsWith(name) ? `coin ${usage}` : `coin ${name} ${usage}`;
}

function section(command: Command): string {
	const flags = Object.values(command.flags).filter((flag) => !flag.hidden && !isGeneral(flag));
	const args = Object.values(command.args).filter(({ description }) => description);
	const examples = (command.examples ?? []).map((example) => example.replaceAll("<%= config.bin %>", "coin"));
	return [
		`## coin ${command.id.replaceAll(":", " ")}`,
		"",
		`${command.summary ?? ""}.`,
		...(command.description ? ["", command.description] : []),
		"",
		"```",
		usageOf(command),
		"```",
		...aliasLines(command),
		...(args.length > 0
			? ["", ...args.map(({ name, description }) => `- \`${name}\`: ${description ?? ""}`)]
			: []),
		...(flags.length > 0 ? ["", "| flag | meaning |", "|---|---|", ...flags.map(flagRow)] : []),
		...(examples.length > 0 ? ["", "```", ...examples, "```"] : []),
		"",
	].join("\n");
}

function pages(): Map<string, string> {
	const byTopic = new Map<string, Command[]>();
	for (const command of Object.values(manifest.commands)) {
		const topic = command.id.split(":")[0] as string;
		byTopic.set(topic, [...(byTopic.get(topic) ?? []), command]);
	}
	const pages = new Map<string, string>();
	const index = ["# Commands", "", "Written by `npm run document` from the commands themselves.", ""];
	for (const topic of [...byTopic.keys()].sort()) {
		const commands = (byTopic.get(topic) as Command[]).sort((a, b) => (a.id < b.id ? -1 : 1));
		const about = oclif.topics[topic]?.description ?? commands[0]?.summary ?? "";
		index.push(`- [coin ${topic}](${topic}.md): ${about}`);
		pages.set(`${topic}.md`, `# coin ${topic}\n\n${commands.map(section).join("\n")}`);
	}
	index.push(
		"",
		"## Text or JSON",
		"",
		"One rule for all commands:",
		"",
		"- Results are text for people; with `--json` they are JSON, one value a line.",
		"- Commands that make, sign or send a transaction, and those that print without an end (`block follow`, `contract logs`),",
		"  print JSON also without `--json` as soon as standard output is not a terminal; `--text` keeps the text.",
		"- What another command or program reads as a document is JSON on a terminal too: transactions (`--build`, `--sign`,",
		"  `wallet sign`, `merge`), `permission template`, `chain head --ref`, `contract abi`, `dev dump` and the answers of `rpc`.",
		"- Notes, warnings, progress and summaries go to standard error; failures too, as a line of JSON where results are JSON.",
		"",
		"`coin commands --json` names the class of each command.",
		"",
		"## Flags",
		"",
		"Every command takes these flags:",
		"",
		"| flag | meaning |",
		"|---|---|",
		...general.map(flagRow),
	);
	pages.set("README.md", `${index.join("\n")}\n`);
	return pages;
}

const wanted = pages();
const present = existsSync(folder) ? readdirSync(folder) : [];
if (process.argv.includes("--check")) {
	const stale = [...wanted].filter(
		([name, text]) => !present.includes(name) || readFileSync(join(folder, name), "utf8") !== text,
	);
	const extra = present.filter((name) => !wanted.has(name));
	if (stale.length + extra.length > 0) {
		process.stderr.write(
			`docs/commands differs from the commands (${[...stale.map(([name]) => name), ...extra].join(", ")}): npm run document\n`,
		);
		process.exitCode = 1;
	}
} else {
	mkdirSync(folder, { recursive: true });
	for (const name of present) if (!wanted.has(name)) rmSync(join(folder, name));
	for (const [name, text] of wanted) writeFileSync(join(folder, name), text);
}
