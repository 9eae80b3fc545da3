/** Reads standard input, which can be read only once, and splits it into values (protocol/command-line §1.4). */

import { Failure } from "../../wallet/failure.js";

const MAX_INPUT_BYTES = 64 * 1024 * 1024;
const MAX_VALUE_BYTES = 1024 * 1024;

let taken: string | undefined;

/** Whether values come through a pipe or a file rather than from a keyboard. */
export function stdinIsPiped(): boolean {
	return process.stdin.isTTY !== true;
}

function take(purpose: string): void {
	if (taken !== undefined) {
		throw new Failure(
			"usage",
			`standard input can carry one thing only: ${taken} was read from it, ${purpose} can't be`,
		);
	}
	taken = purpose;
}

/**
 * Reads standard input to its end.
 * @param purpose what is read, for the error of a second reader
 * @throws {Failure} `usage` if it was already read, `bad_value` beyond 64 MiB
 */
export async function readStdin(purpose: string): Promise<string> {
	take(purpose);
	return readStream(process.stdin, "standard input", MAX_INPUT_BYTES);
}

/** Reads a stream to its end. @param name for messages @throws {Failure} `bad_value` if it is too long */
export async function readStream(
	stream: AsyncIterable<Buffer>,
	name: string,
	maxBytes: number,
): Promise<string> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stream) {
		size += chunk.length;
		if (size > maxBytes) throw new Failure("bad_value", `${name} is larger than ${maxBytes >> 20} MiB`);
		chunks.push(chunk);
	}
	return Buffer.concat(chunks)
		.toString("utf8")
		.replace(/^\uFEFF/, "");
}

/**
 * The value of an argument that may be `-` or missing.
 * @param implicit whether a missing argument means standard input if that is not a terminal
 * @returns undefined if there is no value at all
 */
export async function argumentOrStdin(
	argument: string | undefined,
	purpose: string,
	implicit: boolean,
): Promise<{ readonly text: string; readonly fromStdin: boolean } | undefined> {
	if (argument !== undefined && argument !== "-") return { text: argument, fromStdin: false };
	if (argument === undefined && (!implicit || !stdinIsPiped())) return undefined;
	return { text: await givenStdin(purpose), fromStdin: true };
}

/** {@link readStdin} for input that must not be empty. @throws {Failure} `stdin_empty` */
export async function givenStdin(purpose: string): Promise<string> {
	const text = await readStdin(purpose);
	if (text.trim() === "")
		throw new Failure("stdin_empty", "stdin was empty: did the command before it fail?");
	return text;
}

/**
 * Yields the values of standard input as soon as each line arrives.
 * @throws {Failure} as {@link readStdin} and {@link splitValues}
 */
export async function* stdinValues(purpose: string): AsyncGenerator<string> {
	take(purpose);
	let pending = "";
	process.stdin.setEncoding("utf8");
	for await (const chunk of process.stdin as AsyncIterable<string>) {
		pending += chunk;
		const end = pending.lastIndexOf("\n");
		if (end < 0) continue;
		const values = completeValues(pending.slice(0, end));
		// The value continues on the next line.
		if (values === undefined && pending.length <= MAX_VALUE_BYTES) continue;
		const text = pending.slice(0, end);
		pending = pending.slice(end + 1);
		yield* values ?? splitValues(text);
	}
	yield* splitValues(pending);
}

/** The values of a text; undefined if its last one isn't complete. */
function completeValues(text: string): string[] | undefined {
	try {
		return splitValues(text);
	} catch (error) {
		if (error instanceof Failure && error.code === "transaction_invalid") return undefined;
		throw error;
	}
}

/**
 * Splits a text into JSON values, each on one or several lines, and bare words such as hex.
 * @throws {Failure} `transaction_invalid` for a value that is incomplete or larger than 1 MiB
 */
export function splitValues(text: string): string[] {
	const values: string[] = [];
	let position = 0;
	for (;;) {
		while (position < text.length && /[\s,]/.test(text.charAt(position))) position++;
		if (position >= text.length) return values;
		const end = endOfValue(text, position, values.length);
		const value = text.slice(position, end);
		if (value.length > MAX_VALUE_BYTES) {
			throw new Failure("transaction_invalid", "a value on standard input is larger than 1 MiB", {
				index: values.length,
			});
		}
		values.push(value);
		position = end;
	}
}

function endOfValue(text: string, start: number, index: number): number {
	const first = text.charAt(start);
	if (first !== "{" && first !== "[") {
		const word = /\s/g;
		word.lastIndex = start;
		return word.exec(text)?.index ?? text.length;
	}
	let depth = 0;
	for (let i = start; i < text.length; i++) {
		const char = text.charAt(i);
		if (char === '"') {
			i++;
			while (i < text.length && text.charAt(i) !== '"') i += text.charAt(i) === "\\" ? 2 : 1;
		} else if (char === "{" || char === "[") depth++;
		else if (char === "}" || char === "]") {
			depth--;
			if (depth === 0) return i + 1;
		}
	}
	throw new Failure("transaction_invalid", "the input ends inside a JSON value", { index });
}
