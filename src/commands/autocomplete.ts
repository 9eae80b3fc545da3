import { Args } from "@oclif/core";
import { CoinCommand } from "../terminal/coin-command.js";
import {
	type CompletedCommand,
	completionScript,
	completionSteps,
	INSTALLATION,
	SHELLS,
	type Shell,
} from "../terminal/completion.js";
import { printText } from "../terminal/output.js";

export default class Autocomplete extends CoinCommand {
	static override summary = "Print the completion script of a shell";
	static override description =
		"Completes commands, flags, and the endpoints and methods of coin rpc. The script holds them itself, so that no program is started; print it again after an update.";
	static override examples = [
		"<%= config.bin %> autocomplete bash > ~/.local/share/bash-completion/completions/coin",
		"<%= config.bin %> autocomplete zsh > ~/.zfunc/_coin",
	];
	static override args = {
		shell: Args.string({ description: "bash, zsh or powershell", options: [...SHELLS], ignoreStdin: true }),
	};

	async run(): Promise<void> {
		const { args } = await this.parse(Autocomplete);
		if (args.shell === undefined) {
			const rows = SHELLS.map((shell) => ({ shell, installation: INSTALLATION[shell] }));
			return this.printList(rows, ["shell", "installation"], "");
		}
		const commands = this.config.commands.map(({ id, flags }) => ({
			name: id.replaceAll(":", " "),
			flags: Object.keys(flags).map((name) => `--${name}`),
		}));
		const steps = completionSteps([...commands, ...(await calledByName())]);
		printText(completionScript(args.shell as Shell, steps).trimEnd());
	}
}

/** What `coin rpc` can be followed by: endpoints with their fields, and methods. The tables are loaded only for this. */
async function calledByName(): Promise<CompletedCommand[]> {
	const [{ endpoints }, { methods }, { grpcMethods, requestFields }] = await Promise.all([
		import("../node/api/endpoint-table.js"),
		import("../node/api/jsonrpc/method-table.js"),
		import("../wallet/grpc-methods.js"),
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
