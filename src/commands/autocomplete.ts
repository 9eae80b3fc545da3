import { Args } from "@oclif/core";
import { CoinCommand } from "../terminal/coin-command.js";
import {
	completionScript,
	completionSteps,
	INSTALLATION,
	SHELLS,
	type Shell,
} from "../terminal/completion.js";
import { printLine } from "../terminal/output.js";

export default class Autocomplete extends CoinCommand {
	static override summary = "Print the completion script of a shell";
	static override description =
		"Completes commands and flags. The script holds them itself, so that no program is started; print it again after an update.";
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
		printLine(completionScript(args.shell as Shell, completionSteps(commands)).trimEnd());
	}
}
