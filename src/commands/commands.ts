import { type Command, Flags } from "@oclif/core";
import { command } from "../terminal/base/command-row.js";
import { commandSchema, type DescribedCommand } from "../terminal/schema/command-schema.js";
import { lines, type ResultShape, record } from "../terminal/schema/result-shape.js";

export const Commands = command({
	summary: "List every command, for people or as a catalogue for programs",
	description:
		"With --json a line a command: its class, and arguments, flags, result and errors as JSON Schema.",
	examples: ["<%= config.bin %> commands", "<%= config.bin %> commands --json --topic wallet"],
	result: lines(record({ id: "text", summary: "text", class: "text", schema: "any" })),
	flags: {
		topic: Flags.string({ description: "only the commands of one topic", helpValue: "<name>" }),
	},
	run: async ({ flags, config, json, print }) => {
		const found = config.commands
			.filter(({ id }) => flags.topic === undefined || id.split(":")[0] === flags.topic)
			.sort((a, b) => (a.id < b.id ? -1 : 1));
		const text = found.map(({ id, summary }) => ({ command: `coin ${id.replaceAll(":", " ")}`, summary }));
		if (json) return print.list(await Promise.all(found.map(catalogueEntry)), [], "");
		print.list(text, ["command", "summary"], "no commands");
	},
});

async function catalogueEntry(listed: Command.Loadable): Promise<object> {
	const { outputKind, result } = (await listed.load()) as {
		readonly outputKind?: string;
		readonly result?: ResultShape;
	};
	return {
		id: listed.id.replaceAll(":", " "),
		summary: listed.summary,
		class: outputKind ?? "query",
		schema: commandSchema(listed as DescribedCommand, result),
	};
}
