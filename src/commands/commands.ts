import { type Command, Flags } from "@oclif/core";
import { CoinCommand } from "../terminal/base/coin-command.js";
import { commandSchema, type DescribedCommand } from "../terminal/schema/command-schema.js";
import { lines, type ResultShape, record } from "../terminal/schema/result-shape.js";

export class Commands extends CoinCommand {
	static override summary = "List every command, for people or as a catalogue for programs";
	static override description =
		"With --json a line a command: its class, and arguments, flags, result and errors as JSON Schema.";
	static override examples = [
		"<%= config.bin %> commands",
		"<%= config.bin %> commands --json --topic wallet",
	];
	static override result = lines(record({ id: "text", summary: "text", class: "text", schema: "any" }));
	static override flags = {
		topic: Flags.string({ description: "only the commands of one topic", helpValue: "<name>" }),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(Commands);
		const found = this.config.commands
			.filter(({ id }) => flags.topic === undefined || id.split(":")[0] === flags.topic)
			.sort((a, b) => (a.id < b.id ? -1 : 1));
		const rows = this.json ? await Promise.all(found.map(catalogueEntry)) : [];
		const text = found.map(({ id, summary }) => ({ command: `coin ${id.replaceAll(":", " ")}`, summary }));
		if (this.json) return this.printList(rows, [], "");
		this.printList(text, ["command", "summary"], "no commands");
	}
}

async function catalogueEntry(command: Command.Loadable): Promise<object> {
	const { outputKind, result } = (await command.load()) as {
		readonly outputKind?: string;
		readonly result?: ResultShape;
	};
	return {
		id: command.id.replaceAll(":", " "),
		summary: command.summary,
		class: outputKind ?? "query",
		schema: commandSchema(command as DescribedCommand, result),
	};
}
