/** Failures of executions in the contract machine: result codes and the network's messages (protocol/machine §6.3). */

import { TransactionResultContractResult as Result } from "../../protocol/messages.js";
import { type Word, wordToHex } from "./word.js";

export { Result };

/**
 * A failure of a frame. It consumes all of the frame's energy unless `keepsEnergy`.
 *
 * `className` is the exception class that a failed constant call reports.
 */
export class VmError extends Error {
	override readonly name: string = "VmError";
	constructor(
		readonly result: number,
		message: string,
		readonly className: string,
		readonly keepsEnergy = false,
	) {
		// PERF: contracts can fail as often as they like, and a stack trace of this program is no use.
		const limit = Error.stackTraceLimit;
		Error.stackTraceLimit = 0;
		super(message);
		Error.stackTraceLimit = limit;
	}
}

/** A failure that ends the whole transaction, consuming all energy; no frame can catch it. Logs so far stay listed. */
export class VmAbort extends VmError {
	override readonly name: string = "VmAbort";
}

const IN_PROGRAM = "org.coin.core.vm.program.Program$";

export function outOfEnergy(
	operation: string,
	energy: { readonly limit: Word; readonly cost: Word; readonly penalty?: number; readonly used: Word },
): VmError {
	const penalty = energy.penalty === undefined ? "" : `, penaltyEnergy[${energy.penalty}]`;
	return new VmError(
		Result.OUT_OF_ENERGY,
		`Not enough energy for '${operation}' operation executing: curInvokeEnergyLimit[${energy.limit}], curOpEnergy[${energy.cost}]${penalty}, usedEnergy[${energy.used}]`,
		`${IN_PROGRAM}OutOfEnergyException`,
	);
}

/** Fails the check before a call or log: `cost` exceeds the energy left in the frame. */
export function tooFewEnergy(operation: string, cost: Word, left: Word): VmError {
	return new VmError(
		Result.OUT_OF_ENERGY,
		`Not enough energy for '${operation}' operation executing: opEnergy[${cost}], programEnergy[${left}]`,
		`${IN_PROGRAM}OutOfEnergyException`,
	);
}

/** Not enough energy to store a created contract's code. */
export function depositOutOfEnergy(what: string, cost: Word, left: Word): VmError {
	return new VmError(
		Result.OUT_OF_ENERGY,
		`Not enough energy for '${what}' executing: needEnergy[${cost}], leftEnergy[${left}];`,
		`${IN_PROGRAM}OutOfEnergyException`,
	);
}

export function illegalOperation(message: string): VmError {
	return new VmError(Result.ILLEGAL_OPERATION, message, `${IN_PROGRAM}IllegalOperationException`);
}

/** @param target the jump's operand, -1 if it needs more than four bytes */
export function badJump(target: number): VmError {
	return new VmError(
		Result.BAD_JUMP_DESTINATION,
		`Operation with pc isn't 'JUMPDEST': PC[${target}];`,
		`${IN_PROGRAM}BadJumpDestinationException`,
	);
}

export function stackTooSmall(expected: number, actual: number): VmError {
	return new VmError(
		Result.STACK_TOO_SMALL,
		`Expected stack size ${expected} but actual ${actual};`,
		`${IN_PROGRAM}StackTooSmallException`,
	);
}

export function stackTooLarge(): VmError {
	return new VmError(
		Result.STACK_TOO_LARGE,
		"Expected: overflow 1024 elements stack limit",
		`${IN_PROGRAM}StackTooLargeException`,
	);
}

export function outOfMemory(operation: string): VmError {
	return new VmError(
		Result.OUT_OF_MEMORY,
		`Out of Memory when '${operation}' operation executing`,
		`${IN_PROGRAM}OutOfMemoryException`,
	);
}

export function outOfTime(message: string): VmAbort {
	return new VmAbort(Result.OUT_OF_TIME, message, `${IN_PROGRAM}OutOfTimeException`);
}

/** Time ran out at an operation. */
export function timeoutAt(operation: string): VmAbort {
	return outOfTime(`CPU timeout for '${operation}' operation executing`);
}

/** Frames nest deeper than the network's runtime supports. */
export function stackOverflow(): VmAbort {
	return new VmAbort(
		Result.JVM_STACK_OVER_FLOW,
		"StackOverflowError:  exceed default JVM stack size!",
		`${IN_PROGRAM}JVMStackOverFlowException`,
	);
}

/** The network's runtime failed, for example by running out of memory. */
export function hostFailed(): VmAbort {
	return new VmAbort(Result.UNKNOWN, "Unknown Throwable", "java.lang.RuntimeException");
}

export function staticViolation(): VmError {
	return new VmError(
		Result.UNKNOWN,
		"Attempt to call a state modifying opcode inside STATICCALL",
		`${IN_PROGRAM}StaticCallModificationException`,
	);
}

export function returnDataBounds(offset: Word, size: Word, length: number): VmError {
	return new VmError(
		Result.UNKNOWN,
		`Illegal RETURNDATACOPY arguments: offset (${wordToHex(offset)}) + size (${wordToHex(size)}) > RETURNDATASIZE (${length})`,
		`${IN_PROGRAM}ReturnDataCopyIllegalBoundsException`,
	);
}

export function invalidCode(): VmError {
	return new VmError(
		Result.INVALID_CODE,
		"invalid code: must not begin with 0xef",
		`${IN_PROGRAM}InvalidCodeException`,
	);
}

/** A transfer failed although the sender has enough: the frame fails, but keeps its energy. */
export function transferFailed(message: string): VmError {
	return new VmError(Result.TRANSFER_FAILED, message, `${IN_PROGRAM}TransferException`, true);
}

/** A failure without a result code of its own. */
export function executionFailed(message: string): VmError {
	return new VmError(Result.UNKNOWN, message, `${IN_PROGRAM}BytecodeExecutionException`);
}

/** A failure that the network reports as a runtime exception. */
export function runtimeFailed(className: string, message: string): VmError {
	return new VmError(Result.UNKNOWN, message, className);
}

/** A word exceeds 64 bits where it must not. */
export function longOutOfRange(): VmError {
	return runtimeFailed("java.lang.ArithmeticException", "BigInteger out of long range");
}
