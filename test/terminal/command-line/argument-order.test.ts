import { Args, type Config, Flags } from "@oclif/core";
import { expect, it } from "vitest";
import { CoinCommand } from "../../../src/terminal/base/coin-command.js";

let parsed: { readonly argv: readonly unknown[]; readonly args: object } | undefined;

class Echo extends CoinCommand {
	static override strict = false;
	static override args = { name: Args.string({ required: true, ignoreStdin: true }) };
	static override flags = {
		from: Flags.string(),
		abi: Flags.string({ multiple: true, multipleNonGreedy: true }),
	};

	async run(): Promise<void> {
		parsed = await this.parse(Echo);
	}
}

const config = { runHook: async () => ({ successes: [], failures: [] }) } as unknown as Config;

it.each([
	[["swap", "order", "100", "3", "100"], undefined],
	[
		["--from", "dev", "swap", "transferFrom", "dev-2", "dev", "5"],
		["swap", "transferFrom", "dev-2", "dev", "5"],
	],
	[
		["swap", "order", "--abi", "5", "0", "5", "1", "0"],
		["swap", "order", "0", "5", "1", "0"],
	],
	[["swap", "order", "-3", "1", "-3"], undefined],
	[
		["swap", "order", "--", "-3", "--from", "-3", "swap"],
		["swap", "order", "-3", "--from", "-3", "swap"],
	],
])("gives the arguments of %j in the order in which they were typed", async (words, expected) => {
	await new Echo(words, config).run();
	expect(parsed?.argv).toEqual(expected ?? words);
	expect(parsed?.args).toEqual({ name: "swap" });
});
