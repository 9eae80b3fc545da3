import type { Command, Interfaces } from "@oclif/core";
import { describe, expect, it } from "vitest";
import { OrderedHelp, usageLine } from "../../../src/terminal/command-line/command-help.js";

describe("the usage of a command", () => {
	it("names the arguments and the flags that must be there", () => {
		const command = {
			args: { amount: { name: "amount", required: true }, more: { name: "more" } },
			flags: { for: { name: "for", required: true, helpValue: "<resource>" }, from: { name: "from" } },
		};
		expect(usageLine(command)).toBe("<amount> [more] --for <resource> [flags]");
		expect(usageLine({ ...command, strict: false })).toContain("<amount> [more]... ");
	});

	it("calls no argument repeatable that isn't", () => {
		class Shown extends OrderedHelp {
			of(command: object): string {
				return this.formatCommand(command as Command.Loadable);
			}
		}
		const config = { bin: "coin", topics: [], topicSeparator: " " } as unknown as Interfaces.Config;
		const args = {
			address: { name: "address", required: true, description: "the contract" },
			function: { name: "function", description: "signature or name" },
		};
		const shown = (usage: string): string =>
			new Shown(config).of({
				id: "call",
				strict: false,
				aliases: [],
				hiddenAliases: [],
				flags: {},
				args,
				usage,
			});
		expect(shown("<address> <function> [<argument>...]")).toMatch(/ADDRESS {2}.*\[FUNCTION\] {2}/s);
		expect(shown("<address> [function]...")).toMatch(/ADDRESS {2}.*\[FUNCTION\.\.\.\] {2}/s);
	});
});
