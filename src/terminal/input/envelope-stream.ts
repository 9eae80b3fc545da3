/** Input of commands that take transactions from an argument or a stream: each input gives one line of output, in order. */

import { readFile } from "node:fs/promises";
import { Flags } from "@oclif/core";
import { Failure } from "../../wallet/failure.js";
import { readSignedEnvelope, type TransactionEnvelope } from "../../wallet/transaction/envelope.js";
import { optional } from "../flags/flags.js";
import { asFailure, reportFailure } from "../output/failure-report.js";
import { printLine } from "../output/output.js";
import { argumentOrStdin, splitValues, stdinValues } from "./stdin.js";

export const transactionArgument = {
	transaction: optional("transaction as JSON, hex or a file; - or none for standard input (one a line)"),
};

export const streamFlags = {
	"keep-going": Flags.boolean({ description: "go on after a failing input; its output line is null" }),
};

/** One of several transactions, or why its input is invalid. */
type EnvelopeInput = TransactionEnvelope | Failure;

/**
 * Reads all inputs before the first one is processed, so that no secret is requested in vain.
 * @throws {Failure} `usage` without input, `stdin_empty`, `transaction_invalid`, `transaction_mismatch`
 */
export async function readEnvelopes(
	argument: string | undefined,
	rawOnly = false,
): Promise<TransactionEnvelope[]> {
	return (await readInputs(argument, rawOnly)).map((input) => {
		if (input instanceof Failure) throw input;
		return input;
	});
}

/**
 * Reads all inputs, including invalid ones, for commands that continue with the others ({@link forEachInput}).
 * @throws {Failure} `usage` without input, `stdin_empty`, `transaction_invalid` if the text can't be split into inputs
 */
export async function readInputs(argument: string | undefined, rawOnly = false): Promise<EnvelopeInput[]> {
	const input = await envelopeText(argument);
	if (!input)
		throw new Failure("usage", "no transaction: give it as an argument or through a pipe", {
			hint: "see --help",
		});
	const values = splitValues(input.text);
	const inputs: EnvelopeInput[] = [];
	for (const [index, value] of values.entries()) {
		const read = await envelopeOrFailure(value, rawOnly);
		inputs.push(read instanceof Failure && values.length > 1 ? read.with({ index }) : read);
	}
	return inputs;
}

async function envelopeOrFailure(value: string, rawOnly: boolean): Promise<EnvelopeInput> {
	try {
		return await readSignedEnvelope(value, rawOnly);
	} catch (error) {
		if (error instanceof Failure) return error;
		throw error;
	}
}

/** The text of an argument or standard input; an argument may also be a file, as `@file` or just its name. */
async function envelopeText(argument: string | undefined): Promise<{ readonly text: string } | undefined> {
	if (argument === undefined || argument === "-" || /^\s*[[{]|^(0x)?[0-9a-f]+$/i.test(argument))
		return argumentOrStdin(argument, "the transaction", true);
	const path = argument.replace(/^@/, "");
	try {
		return { text: await readFile(path, "utf8") };
	} catch {
		throw new Failure("transaction_invalid", `"${argument}" is neither a transaction nor a file with one`, {
			hint: "give JSON, hex or a file, or pipe it in: coin wallet sign < pay.json",
		});
	}
}

/**
 * Yields inputs from standard input as soon as each line arrives.
 * @throws {Failure} `stdin_empty` at the end, if there was no input; `transaction_invalid` if the text can't be split into inputs
 */
export async function* envelopesAsTheyCome(rawOnly = false): AsyncGenerator<EnvelopeInput> {
	let isEmpty = true;
	for await (const value of stdinValues("the transactions")) {
		isEmpty = false;
		yield await envelopeOrFailure(value, rawOnly);
	}
	if (isEmpty) throw new Failure("stdin_empty", "stdin was empty: did the command before it fail?");
}

/**
 * Processes inputs in order; an input that is a failure is reported in its turn.
 * @param explain adds the command's own facts to a failure
 * @returns whether all succeeded
 * @throws the first failure, unless `keepGoing`
 */
export async function forEachInput<T>(
	inputs: readonly (T | Failure)[] | AsyncIterable<T | Failure>,
	keepGoing: boolean,
	json: boolean,
	handle: (input: T) => Promise<void>,
	explain: (failure: Failure) => Failure = (failure) => failure,
): Promise<boolean> {
	let fine = true;
	const single = Array.isArray(inputs) && inputs.length === 1;
	let index = -1;
	for await (const input of inputs) {
		index++;
		try {
			if (input instanceof Failure) throw input;
			await handle(input);
		} catch (error) {
			const failure = single ? asFailure(error) : asFailure(error).with({ index });
			if (!keepGoing) throw failure;
			fine = false;
			reportFailure(explain(failure), json);
			printLine("null");
		}
	}
	return fine;
}
