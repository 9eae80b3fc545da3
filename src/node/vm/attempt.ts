/** Operations that push 0 when they fail, rather than failing the frame (protocol/network-operations §1). */

import { OverflowError } from "../../protocol/int64.js";
import type { Frame } from "./frame.js";
import type { InternalRecord, InternalTransfer } from "./internal-transactions.js";
import { staticViolation } from "./vm-error.js";
import type { Word } from "./word.js";
import { fitsInt64, low32, toSigned } from "./word.js";

/** Signals that an attempt fails. It carries no reason, since the network shows none. */
class AttemptFailed extends Error {
	override readonly name = "AttemptFailed";
}

/** @throws {AttemptFailed} unless the condition holds */
export function require(condition: boolean): asserts condition {
	if (!condition) throw new AttemptFailed();
}

/** @throws {VmError} in a static frame */
export function requireWritable(frame: Frame): void {
	if (frame.context.isStatic) throw staticViolation();
}

/** Records an internal transaction of the frame's contract. */
export function note(
	frame: Frame,
	receiver: Uint8Array,
	text: string,
	transfer: InternalTransfer,
): InternalRecord {
	const { machine, context } = frame;
	const record = machine.internal.add(context.openedBy, context.address, receiver, text, transfer);
	machine.options.observer?.noted?.(frame, record);
	return record;
}

/**
 * Runs an attempt and pushes its result. If it fails, or its amounts overflow (#97), its effects are
 * reverted, its internal transactions are marked as rejected, and 0 is pushed.
 */
export function attempt(frame: Frame, body: () => Word): void {
	const { machine } = frame;
	const mark = machine.mark();
	try {
		frame.push(body());
	} catch (error) {
		if (!(error instanceof AttemptFailed || error instanceof OverflowError)) throw error;
		machine.revert(mark);
		frame.push(0);
	}
}

/** An amount operand. @throws {AttemptFailed} if it doesn't fit 64 bits, signed */
export function readAmountOperand(word: Word): bigint {
	require(fitsInt64(word));
	return toSigned(word);
}

/** Resource code of a Stake 1.0 operand: the low 32 bits. */
export function resourceCodeV1(word: Word): number {
	return low32(word);
}

/** Resource code of a Stake 2.0 operand; -1 if it isn't a valid code. */
export function resourceCodeV2(word: Word): number {
	return typeof word === "number" && word <= 2 ? word : -1;
}
