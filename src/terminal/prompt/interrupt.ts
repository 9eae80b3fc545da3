/** Handles SIGINT and SIGTERM: restores the terminal, prints nothing more, and exits with 130 or 143 (protocol/command-line §4.1). */

import { Failure } from "../../wallet/failure.js";

/** Runs before the process exits, with the exit code that will be used. */
type Cleanup = (exitCode: number) => void;

const cleanups: Cleanup[] = [];
let handler: ((signal: "SIGINT" | "SIGTERM") => void) | undefined;

const INTERRUPTED = 130;
/** Exit code for the last signal received. */
let interruptedBy = INTERRUPTED;

let isBusy: () => boolean = () => false;

/** Sets how to determine whether the process has work on other threads that can't be cancelled. */
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

/** From now on, interrupting a prompt only refuses it: for commands with an interactive prompt of their own. */
export function onlyRefusing(): void {
	isRefusing = true;
}

/** Handles an interrupted prompt: exits the process, or after {@link onlyRefusing} throws. @throws {Failure} `confirmation_refused` */
export function endQuestion(): never {
	if (isRefusing) throw new Failure("confirmation_refused", "interrupted; nothing was done");
	endInterrupted();
}

/** Exits the process as after a signal. */
export function endInterrupted(code: number = interruptedBy): never {
	for (const cleanup of cleanups.reverse()) cleanup(code);
	if (isBusy()) {
		// `process.exit` would wait for work on other threads; the signal's default action doesn't.
		const signal = code === INTERRUPTED ? "SIGINT" : "SIGTERM";
		process.removeAllListeners(signal);
		process.kill(process.pid, signal);
	}
	process.exit(code);
}

/**
 * Registers a cleanup for an interruption, such as printing the last known state of a transaction.
 * @returns a function that unregisters it
 */
export function onInterrupt(cleanup: Cleanup): () => void {
	cleanups.push(cleanup);
	return () => {
		const index = cleanups.indexOf(cleanup);
		if (index >= 0) cleanups.splice(index, 1);
	};
}

/** Replaces the default handling of signals by an AbortSignal, on which the interrupted work ends by itself. */
export function interruption(): AbortSignal {
	const controller = new AbortController();
	takeOverSignals(() => controller.abort());
	return controller.signal;
}

/** Passes the signals to a long-running command, which then ends by itself. */
export function takeOverSignals(take: (signal: "SIGINT" | "SIGTERM") => void): void {
	handler = take;
}
