/** What SIGINT and SIGTERM do: restore the terminal, say nothing more, and end with 130 or 143 (protocol/command-line §4.1). */

import { Failure } from "../../wallet/failure.js";

/** Runs before the process ends; gets the exit code that is about to be used. */
type Cleanup = (exitCode: number) => void;

const cleanups: Cleanup[] = [];
let handler: ((signal: "SIGINT" | "SIGTERM") => void) | undefined;

const INTERRUPTED = 130;
/** The code of the last signal that came. */
let interruptedBy = INTERRUPTED;

let isBusy: () => boolean = () => false;

/** Says how to find out whether the process has work on other threads that can't be given up. */
export function watchBusy(busy: () => boolean): void {
	isBusy = busy;
}

/** Installs the handlers; called once, at start. */
export function handleSignals(): void {
	for (const [signal, code] of [
		["SIGINT", INTERRUPTED],
		["SIGTERM", 143],
	] as const) {
		process.on(signal, () => {
			interruptedBy = code;
			if (handler) handler(signal);
			else endInterrupted();
		});
	}
}

let isRefusing = false;

/** From now on the interruption of a question refuses it, and nothing more: for programs with a prompt of their own. */
export function onlyRefusing(): void {
	isRefusing = true;
}

/** Ends the process, or where that is too much refuses what was asked. @throws {Failure} `confirmation_refused` */
export function endQuestion(): never {
	if (isRefusing) throw new Failure("confirmation_refused", "interrupted; nothing was done");
	endInterrupted();
}

/** Ends the process as an interruption does. */
export function endInterrupted(code: number = interruptedBy): never {
	for (const cleanup of cleanups.reverse()) cleanup(code);
	if (isBusy()) {
		// `process.exit` would wait for work on other threads: the signal's own effect doesn't.
		const signal = code === INTERRUPTED ? "SIGINT" : "SIGTERM";
		process.removeAllListeners(signal);
		process.kill(process.pid, signal);
	}
	process.exit(code);
}

/**
 * Registers work for the case of an interruption, such as printing the last known state of a transaction.
 * @returns a function that takes the registration back
 */
export function onInterrupt(cleanup: Cleanup): () => void {
	cleanups.push(cleanup);
	return () => {
		const index = cleanups.indexOf(cleanup);
		if (index >= 0) cleanups.splice(index, 1);
	};
}

/** Takes the signals over from the default: the work they interrupt looks at what is returned, and ends in its own time. */
export function interruption(): AbortSignal {
	const controller = new AbortController();
	takeOverSignals(() => controller.abort());
	return controller.signal;
}

/** Gives the signals to a long-running program, which then ends by itself. */
export function takeOverSignals(take: (signal: "SIGINT" | "SIGTERM") => void): void {
	handler = take;
}
