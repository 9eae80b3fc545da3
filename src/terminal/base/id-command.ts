/** The base of commands on transaction ids: one argument, or a list on standard input. */

import { Args } from "@oclif/core";
import { Failure } from "../../wallet/failure.js";
import { argumentOrStdin, listLines } from "../input/stdin.js";
import { parseTransactionId, QueryCommand } from "./query-command.js";

export const idArgument = {
	id: Args.string({
		description: "transaction id, - for a list on standard input",
		required: true,
		ignoreStdin: true,
	}),
};

export abstract class IdCommand extends QueryCommand {
	static override takesIds = true;

	/** The ids that an argument names. @throws {Failure} `bad_value`, `stdin_empty` */
	protected async ids(argument: string): Promise<Uint8Array[]> {
		const input = await argumentOrStdin(argument, "the transaction ids", false);
		if (!input) throw new Failure("usage", "no transaction id");
		return (input.fromStdin ? listLines(input.text) : [input.text]).map(parseTransactionId);
	}
}
