import { Args, Flags } from "@oclif/core";
import { command } from "../terminal/base/command-row.js";
import {
	type CompletedCommand,
	completionScript,
	completionSteps,
	functionsOf,
	INSTALLATION,
	isPlainWord,
	NAME_KINDS,
	namedByArguments,
	namesOf,
	SHELLS,
	type Shell,
	valuesOfFlags,
} from "../terminal/command-line/completion.js";
import { printText } from "../terminal/output/output.js";

export const Autocomplete = command({
	summary: "Print the completion script of a shell",
	description:
		"Completes commands, flags and their values, the endpoints and methods of coin rpc, and labels of keys, contacts and profiles, functions of contracts whose interface is kept here. " +
		"The script holds all but the labels and functions itself, so that no program is started for them; print it again after an update.",
	examples: [
		"<%= config.bin %> autocomplete bash > ~/.local/share/bash-completion/completions/coin",
		"<%= config.bin %> autocomplete zsh > ~/.zfunc/_coin",
		"<%= config.bin %> autocomplete --names accounts",
	],
	args: {
		shell: Args.string({
			description: "bash, zsh, fish or powershell",
			options: [...SHELLS],
			ignoreStdin: true,
		}),
	},
	flags: {
		names: Flags.option({
			options: NAME_KINDS,
			description: "print labels instead, one a line, as the scripts ask for them",
		})(),
		functions: Flags.string({
			description: "print the functions of a contract instead, as far as its interface is kept here",
			helpValue: "<contract>",
			exclusive: ["names"],
		}),
	},
	run: async ({ args, flags: given, config, settings, print }) => {
		if (given.names !== undefined) {
			for (const name of await namesOf(given.names, await settings())) printText(name);
			return;
		}
		if (given.functions !== undefined) {
			for (const name of await functionsOf(given.functions, await settings())) printText(name);
			return;
		}
		if (args.shell === undefined) {
			const rows = SHELLS.map((shell) => ({ shell, installation: INSTALLATION[shell] }));
			return print.list(rows, ["shell", "installation"], "");
		}
		const commands = config.commands.map(({ id, flags, args: words }) => ({
			name: id.replaceAll(":", " "),
			flags: Object.keys(flags).map((name) => `--${name}`),
			names: namedByArguments(id.replaceAll(":", " "), Object.keys(words)),
			hasFunctions: "function" in words,
			words: Object.values(words).flatMap(({ options = [] }) => options.filter(isPlainWord)),
			values: valuesOfFlags(flags),
		}));
		const steps = completionSteps([...commands, ...(await calledByName())]);
		printText(completionScript(args.shell as Shell, steps).trimEnd());
	},
});

/** Completions of `coin rpc`: endpoints with their fields, and methods. The tables are loaded on demand. */
async function calledByName(): Promise<CompletedCommand[]> {
	const [{ endpoints }, { methods }, { grpcMethods, requestFields }] = await Promise.all([
		import("../node/api/endpoint-table.js"),
		import("../node/api/jsonrpc/method-table.js"),
		import("../wallet/node/grpc-call.js"),
	]);
	return [
		...endpoints.map(({ name, fields }) => ({
			name: `rpc ${name}`,
			flags: [...fields.map((field) => `--${field.name}`), "--solidity", "--table", "--visible"],
		})),
		...methods.map(({ name }) => ({ name: `rpc ${name}`, flags: ["--result", "--table"] })),
		...grpcMethods.map((method) => ({
			name: `rpc ${method.name}`,
			flags: [...requestFields(method).map((field) => `--${field.name}`), "--binary", "--table", "--visible"],
		})),
	];
}
