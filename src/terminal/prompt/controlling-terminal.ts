/**
 * The controlling terminal, whatever standard input and output are, so that prompts work even if a
 * transaction is piped in (protocol/command-line §3.1).
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
		// No controlling terminal: the caller reports what it was needed for.
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

/** Whether the user can be prompted. */
export function canAsk(): boolean {
	if (known === undefined) {
		const terminal = openTerminal();
		terminal?.close();
		known = terminal !== undefined;
	}
	return known;
}
