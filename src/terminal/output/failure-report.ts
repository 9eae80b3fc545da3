/** Prints failures: one record on standard error for programs, two short lines for people (protocol/command-line §2.2). */

import { AbiDataError } from "../../abi/codec.js";
import { firstSource, sourceTrace } from "../../diagnostics/stack-trace.js";
import { KeystoreError } from "../../keystore/keystore-error.js";
import { OperatorError } from "../../protocol/operator-error.js";
import { ProvingError, type ProvingFailure } from "../../protocol/sapling/prover.js";
import { FAILURE_KINDS, Failure, type FailureCode } from "../../wallet/failure.js";
import { paint } from "./colors.js";
import { isFrameworkError, plainMessage } from "./framework-errors.js";
import { printJsonNote, printNote } from "./output.js";

/** Failure codes for proving errors. An inconsistent witness is a bug of this program. */
const PROVING_CODES: Readonly<Record<ProvingFailure, FailureCode>> = {
	witness: "internal",
	parameters: "bad_value",
	busy: "node_busy",
	closed: "interrupted",
	failed: "internal",
};

/** Converts any thrown value to a failure; unknown errors are `internal`. */
export function asFailure(error: unknown): Failure {
	if (error instanceof Failure) return error;
	if (error instanceof AbiDataError) return new Failure("bad_value", error.message);
	if (error instanceof KeystoreError) return new Failure(error.code, error.message);
	if (error instanceof ProvingError) return new Failure(PROVING_CODES[error.failure], error.message);
	// Its message is for whoever can fix it; callers that know more give it another code.
	if (error instanceof OperatorError) return new Failure("bad_value", error.message);
	if (isFrameworkError(error))
		return new Failure("usage", plainMessage(error.message), { hint: "see --help" });
	if (error instanceof Error) {
		const code = (error as { code?: unknown }).code;
		const path = (error as { path?: unknown }).path;
		if (typeof code === "string" && typeof path === "string")
			return new Failure("bad_value", fileMessage(code, path));
	}
	const what = error instanceof Error ? error.message : String(error);
	const where = firstSource(sourceTrace(error));
	return new Failure("internal", `a defect in coin: ${what}. Please report it with the command you ran`, {
		cause: error,
		...(where !== undefined && { hint: `${where}; DEBUG=coin prints the stack trace` }),
	});
}

function fileMessage(code: string, path: string): string {
	const reasons: Readonly<Record<string, string>> = {
		ENOENT: "no such file or directory",
		EACCES: "permission denied",
		EISDIR: "is a directory",
		ENOTDIR: "a part of the path is not a directory",
		ENOSPC: "no space left",
		EROFS: "the file system is read-only",
		EEXIST: "exists already",
	};
	return `${path}: ${reasons[code] ?? code}`;
}

/** The record that programs read. */
function failureRecord(failure: Failure): { readonly error: Readonly<Record<string, unknown>> } {
	const { sent, txID, node, index, details, hint } = failure.facts;
	return {
		error: {
			code: failure.code,
			message: failure.message,
			hint,
			retry: failure.retry,
			sent,
			txID,
			node,
			index,
			details,
		},
	};
}

/** Prints a failure and returns its exit code. */
export function reportFailure(failure: Failure, json: boolean): number {
	if (json) {
		printJsonNote(failureRecord(failure));
	} else {
		printNote(`${paint("red", "error:", process.stderr)} ${failure.message}`);
		if (failure.facts.hint) printNote(`${paint("dim", "hint:", process.stderr)} ${failure.facts.hint}`);
	}
	const cause = failure.facts.cause;
	if (failure.code === "internal" && cause instanceof Error && wantsTraces()) printTrace(cause);
	return FAILURE_KINDS[failure.code].exit;
}

/**
 * Prints an uncaught error, with a stack trace if it is a bug: the program's state is lost, and it exits.
 * @returns the exit code
 */
export function reportUncaught(error: unknown, json: boolean): number {
	const failure = asFailure(error);
	if (failure.code === "internal" && !wantsTraces()) printTrace(error);
	return reportFailure(failure, json);
}

function wantsTraces(): boolean {
	const { DEBUG } = process.env;
	return /\bcoin/.test(DEBUG ?? "");
}

function printTrace(error: unknown): void {
	for (const line of sourceTrace(error).split("\n")) printNote(line);
}
