/** Help on a command: usage and examples first, then its own flags, and finally those that all commands have. */

import { CommandHelp, Help, type Interfaces } from "@oclif/core";

// The usage line of a command: its arguments and required flags.

interface Usable {
	readonly strict?: boolean | undefined;
	readonly args: Readonly<Record<string, { readonly name: string; readonly required?: boolean | undefined }>>;
	readonly flags: Readonly<
		Record<
			string,
			{
				readonly name: string;
				readonly required?: boolean | undefined;
				readonly helpValue?: string | readonly string[] | undefined;
			}
		>
	>;
}

/** The usage after the command's name. Arguments are in `<…>`, optional ones in `[…]`; the last one is repeatable if it isn't strict. */
export function usageLine({ args, flags, strict }: Usable): string {
	const list = Object.values(args);
	const words = list.map(({ name, required }, index) => {
		const repeated = strict === false && index === list.length - 1 ? "..." : "";
		return required ? `<${name}>${repeated}` : `[${name}]${repeated}`;
	});
	const needed = Object.values(flags)
		.filter(({ required }) => required)
		.map(({ name, helpValue }) => `--${name} ${helpValue ?? "<value>"}`);
	return [...words, ...needed, "[flags]"].join(" ");
}

/** Groups of flags that are listed after a command's own, in this order. */
const LAST_GROUPS: readonly string[] = [
	"TRANSACTION",
	"NODE",
	"KEYSTORE",
	"MORE",
	"MORE DEVELOPMENT CHAIN",
	"REFERENCE",
	"GENERAL",
];

/** Puts required flags first, except before flags with a letter: the framework aligns the others with those by listing them after. */
function requiredFirst<T extends { readonly required?: boolean | undefined; readonly char?: unknown }>(
	flags: readonly T[],
): T[] {
	const rank = ({ char, required }: T): number => (char === undefined ? (required ? 1 : 2) : 0);
	return [...flags].sort((a, b) => rank(a) - rank(b));
}

class OrderedCommandHelp extends CommandHelp {
	protected override groupFlags(
		flags: Parameters<CommandHelp["groupFlags"]>[0],
	): ReturnType<CommandHelp["groupFlags"]> {
		const { mainFlags, flagGroups } = super.groupFlags(flags);
		const rank = (name: string): number => LAST_GROUPS.indexOf(name);
		const ordered = Object.entries(flagGroups).sort(([a], [b]) => rank(a) - rank(b));
		return {
			mainFlags: requiredFirst(mainFlags),
			flagGroups: Object.fromEntries(ordered.map(([name, group]) => [name, requiredFirst(group)])),
		};
	}

	/** Examples name the command as it was asked for: `coin send`, not the `coin wallet send` that it abbreviates. */
	protected override examples(
		examples: Parameters<CommandHelp["examples"]>[0],
	): ReturnType<CommandHelp["examples"]> {
		const { id, aliases } = this.command;
		if (!aliases.includes(id) || !Array.isArray(examples)) return super.examples(examples);
		const full = this.config.commands.find((other) => other.id !== id && other.aliases.includes(id));
		if (!full) return super.examples(examples);
		const [long, short] = [full.id, id].map((name) => `<%= config.bin %> ${name.replaceAll(":", " ")} `);
		return super.examples(
			examples.map((example) =>
				typeof example === "string" ? example.replaceAll(long ?? "", short ?? "") : example,
			),
		);
	}

	/** The framework calls every argument of a command that takes more words repeatable; its usage knows better. */
	protected override args(args: Parameters<CommandHelp["args"]>[0]): ReturnType<CommandHelp["args"]> {
		const usage = String(this.command.usage ?? "");
		const isRepeated = ({ name }: { readonly name: string }): boolean =>
			/^[>\]]+\.{3}/.test(usage.split(name)[1] ?? "");
		return super
			.args(args)
			?.map(([left, right], at) => [
				args[at] && isRepeated(args[at]) ? left : left.replace("...", ""),
				right,
			]);
	}

	protected override sections(): ReturnType<CommandHelp["sections"]> {
		const sections = super.sections();
		const isExamples = ({ header }: { readonly header: string }): boolean => header === "EXAMPLES";
		const at = sections.findIndex(({ header }) => header === "FLAGS");
		const others = sections.filter((section) => !isExamples(section));
		return [...others.slice(0, at), ...sections.filter(isExamples), ...others.slice(at)];
	}
}

export class OrderedHelp extends Help {
	protected override CommandHelpClass = OrderedCommandHelp;

	protected override formatTopic(topic: Interfaces.Topic): string {
		const { description = "" } = topic;
		return super.formatTopic({
			...topic,
			description: description.replace(/^./, (first) => first.toUpperCase()),
		});
	}
}

/** Whether a command line asks for help; words after `--` don't count. */
export function asksForHelp(words: readonly string[]): boolean {
	const end = words.indexOf("--");
	return words.slice(0, end < 0 ? words.length : end).some((word) => word === "--help" || word === "-h");
}
