/** The overview page: what the program can do, grouped by tasks, in 40 lines and 100 columns. */

import { paint } from "../output/colors.js";

/** A topic, or a command without a topic, with its summary. */
export interface HelpEntry {
	readonly name: string;
	readonly about: string;
}

/** Tasks, each with its topics and commands. */
const TASKS: readonly (readonly [task: string, names: readonly string[]])[] = [
	["Run a chain", ["node", "signer", "network", "dev", "explorer"]],
	["Keep keys", ["keystore", "contact", "permission", "message"]],
	["Pay and hold", ["send", "balance", "wallet", "account", "token", "shielded"]],
	["Stake and vote", ["stake", "vote", "reward", "witness", "proposal"]],
	["Use contracts", ["call", "contract", "console", "abi"]],
	["Trade", ["exchange", "market"]],
	["Look things up", ["tx", "block", "chain", "rpc"]],
	["Set up", ["profile", "convert", "commands", "autocomplete"]],
];

/**
 * The page.
 * @param entries all topics, and commands without one; those not in any task are listed at the end
 */
export function rootHelp(version: string, entries: readonly HelpEntry[]): string {
	const abouts = new Map(entries.map(({ name, about }) => [name, about]));
	const placed = new Set(TASKS.flatMap(([, names]) => names));
	const others = entries.map(({ name }) => name).filter((name) => !placed.has(name));
	const groups = [...TASKS, ["Also", others] as const]
		.map(([task, names]) => [task, names.filter((name) => abouts.has(name))] as const)
		.filter(([, names]) => names.length > 0);
	const lines = groups.flatMap(([task, names]) =>
		names.map((name, index) => {
			const title = index === 0 ? task : "";
			return `  ${paint("bold", title.padEnd(14))}  ${name.padEnd(12)}  ${abouts.get(name)}`;
		}),
	);
	return [
		`coin ${version}: a full node and wallet toolkit in one program`,
		"  coin <command> [arguments] [flags]        coin <command> --help tells more, with examples",
		"",
		...lines,
		"",
		"  First steps: coin node start (a chain of your own), coin keystore new ann, coin account balance",
	].join("\n");
}
