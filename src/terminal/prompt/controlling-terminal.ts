/**
 * The terminal of the person who started the program, whatever standard input and output are: prompts work although a
 * transaction comes through a pipe (protocol/command-line §3.1).
 */

import { createReadStream, createWriteStream, openSync } from "node:fs";
import { isatty, ReadStream, WriteStream } from "node:tty";

export interface ControllingTerminal {
	readonly input: NodeJS.ReadableStream;
	readonly output: NodeJS.WritableStream;
	close(): void;
}

/** Opens the terminal; undefined if there is none. `COIN_TTY` names another device, for tests. */
export function openTerminal(): ControllingTerminal | undefined {
	const { COIN_TTY } = process.env;
	const windows = process.platform === "win32";
	const inputPath = COIN_TTY || (windows ? "\\\\.\\CONIN$" : "/dev/tty");
	const outputPath = COIN_TTY || (windows ? "\\\\.\\CONOUT$" : "/dev/tty");
	let inputFile: number;
	let outputFile: number;
	try {
		inputFile = openSync(inputPath, "r+");
		outputFile = openSync(outputPath, "r+");
	} catch {
		// No controlling terminal: the caller says what it needed one for.
		return undefined;
	}
	const input = isatty(inputFile)
		? new ReadStream(inputFile)
		: createReadStream(inputPath, { fd: inputFile });
	const output = isatty(outputFile)
		? new WriteStream(outputFile)
		: createWriteStream(outputPath, { fd: outputFile });
	return {
		input,
		output,
		close: () => {
			if (input instanceof ReadStream && input.isRaw) input.setRawMode(false);
			input.destroy();
			output.destroy();
		},
	};
}

let known: boolean | undefined;

/** Whether a person can be asked. */
export function canAsk(): boolean {
	if (known === undefined) {
		const terminal = openTerminal();
		terminal?.close();
		known = terminal !== undefined;
	}
	return known;
}
