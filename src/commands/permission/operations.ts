import { Args } from "@oclif/core";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { argumentOrStdin } from "../../terminal/input/stdin.js";
import { Failure } from "../../wallet/failure.js";
import {
	operationIds,
	operationName,
	operationsHex,
	parseOperations,
} from "../../wallet/permission/operations.js";

export default class PermissionOperations extends CoinCommand {
	static override summary = "Convert operations between names and the 64 hex digits of the chain";
	static override examples = [
		"<%= config.bin %> permission operations Transfer,TriggerSmart",
		"<%= config.bin %> permission operations 7fff1fc0033ef30f000000000000000000000000000000000000000000000000",
		"<%= config.bin %> permission operations default,-VoteWitness",
	];
	static override args = {
		operations: Args.string({
			description: "names, numbers, default, all, or 64 hex digits",
			ignoreStdin: true,
		}),
	};

	async run(): Promise<void> {
		const { args } = await this.parse(PermissionOperations);
		const input = await argumentOrStdin(args.operations, "the operations", true);
		if (!input)
			throw new Failure("usage", "no operations: give names or 64 hex digits", { hint: "see --help" });
		const operations = parseOperations(input.text);
		const ids = operationIds(operations);
		const isHex = /^(0x)?[0-9a-fA-F]{64}$/.test(input.text.trim());
		const hex = operationsHex(operations);
		const names = ids.map(operationName);
		this.printRecord({ operations: hex, operationNames: names, ids }, [isHex ? names.join(",") : hex]);
	}
}
