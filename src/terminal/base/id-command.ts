/** Commands on transaction ids: one argument, or a list on standard input. */

import { Args } from "@oclif/core";
import { Failure } from "../../wallet/failure.js";
import { argumentOrStdin, listLines } from "../input/stdin.js";
import { parseTransactionId } from "./node-questions.js";

export const idArgument = {
	id: Args.string({
		description: "transaction id, - for a list on standard input",
		required: true,
		ignoreStdin: true,
	}),
};

/** The ids that an argument names. @throws {Failure} `bad_value`, `stdin_empty` */
export async function transactionIds(argument: string): Promise<Uint8Array[]> {
	const input = await argumentOrStdin(argument, "the transaction ids", false);
	if (!input) throw new Failure("usage", "no transaction id");
	return (input.fromStdin ? listLines(input.text) : [input.text]).map(parseTransactionId);
}
