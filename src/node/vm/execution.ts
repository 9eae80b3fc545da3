/** Runs a frame and all frames it opens, iteratively, so that deep nesting doesn't need a deep call stack. */

import { OverflowError } from "../../protocol/int64.js";
import { runProgram } from "./compiled/driver.js";
import { chargeUsage, enterFrame } from "./dynamic-energy.js";
import { closeFrame } from "./execution-observer.js";
import type { Frame } from "./frame.js";
import { runOutOfTime } from "./interpreter.js";
import { runtimeFailed, VmAbort, VmError } from "./vm-error.js";

/**
 * Runs the outermost frame to its end; the frame holds the outcome.
 * @throws {VmAbort} where the whole transaction ends
 */
export function execute(root: Frame): void {
	try {
		runFrames(root);
	} catch (error) {
		// Unfinished frames' logs and internal transactions never reached the outermost frame, except the record
		// that opened the first.
		const { child, machine } = root;
		if (child?.mark) {
			machine.logs.length = child.mark.logs;
			machine.internal.keep(child.mark.internal + 1);
		}
		throw error;
	}
}

function runFrames(root: Frame): void {
	let frame = root;
	let begun = false;
	for (;;) {
		try {
			if (begun || begins(frame)) runProgram(frame);
		} catch (error) {
			fail(frame, error);
		}
		if (frame.child) {
			frame = frame.child;
			begun = false;
			continue;
		}
		end(frame);
		let opener = frame.opener;
		while (opener && !returnTo(opener, frame)) {
			frame = opener;
			end(frame);
			opener = frame.opener;
		}
		if (!opener) return;
		frame = opener;
		begun = true;
	}
}

/** Starts a new frame; false if it has nothing to run. */
function begins(frame: Frame): boolean {
	if (frame.failure || frame.halted) return false;
	const { machine } = frame;
	frame.began = true;
	if (machine.gates.dynamicEnergy) frame.factor = enterFrame(machine, frame.context.address);
	if (machine.options.endsAtFirstOperation) runOutOfTime(frame);
	return true;
}

/** Records a frame's failure. @throws what no frame can catch */
function fail(frame: Frame, error: unknown): void {
	// Amounts of resources can overflow under #97.
	const failure =
		error instanceof OverflowError ? runtimeFailed("java.lang.ArithmeticException", error.message) : error;
	if (!(failure instanceof VmError) || failure instanceof VmAbort) throw failure;
	frame.failure = failure;
	frame.child = undefined;
}

/** Accounts for a frame that has ended, and reverts its effects if it failed or reverted. */
function end(frame: Frame): void {
	const { machine } = frame;
	if (!frame.failure && frame.began && machine.gates.dynamicEnergy) chargeUsage(frame);
	if (!frame.failure) frame.settle?.(frame);
	if ((frame.failure || frame.reverted) && frame.mark) machine.revert(frame.mark);
	if (frame.failure && !frame.failure.keepsEnergy) frame.spendAll();
	if (!frame.opener) return;
	frame.opener.inheritedPenalty += frame.penalty + frame.inheritedPenalty;
	if (machine.options.observer) closeFrame(machine.options.observer, frame);
}

/** Resumes the opener with its child's outcome; false if that makes it fail. */
function returnTo(opener: Frame, child: Frame): boolean {
	opener.interrupted = false;
	opener.child = undefined;
	try {
		child.resume?.(opener, child);
	} catch (error) {
		fail(opener, error);
		return false;
	}
	child.release();
	return true;
}
