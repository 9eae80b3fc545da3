/**
 * What is reported to whoever traces an execution, while it happens. An observer must change nothing; what it throws ends the
 * execution, whose effects are then undone. Where nobody observes, nothing is gathered.
 */

import { EMPTY } from "../../protocol/bytes.js";
import type { TransactionInfoLog } from "../../protocol/messages.js";
import type { Frame } from "./frame.js";
import type { InternalRecord } from "./internal-transactions.js";
import type { VmError } from "./vm-error.js";
import type { Word } from "./word.js";

/** A call or creation that begins. Addresses have 21 bytes. */
export interface OpenedCall {
	/** The operation, of what the transaction begins with too: CALL, DELEGATECALL, CREATE2 and so on. */
	readonly kind: string;
	/** 0 for what the transaction begins with. */
	readonly depth: number;
	/** The account whose code calls. */
	readonly caller: Uint8Array;
	/** The account that the code acts as. */
	readonly address: Uint8Array;
	/** The account whose code runs. */
	readonly code: Uint8Array;
	/** In sun. */
	readonly value: bigint;
	readonly token: { readonly id: bigint; readonly amount: bigint } | undefined;
	/** Data of a call or code of a creation; holds until the call has ended. */
	readonly input: Uint8Array;
	/** What it may spend. */
	readonly energy: Word;
	/** The internal transaction that lists it; undefined: none does. */
	readonly record: InternalRecord | undefined;
}

/** How a call ended. */
export interface ClosedCall {
	/** As it was opened. What was opened deeper and not closed has ended with it. */
	readonly depth: number;
	readonly energyUsed: bigint;
	/** Share of dynamic energy's penalty in it, that of inner calls included. */
	readonly penalty: number;
	/** What it returned, also by a revert; holds only during the notification. */
	readonly output: Uint8Array;
	readonly reverted: boolean;
	readonly failure: VmError | CallRefusal | undefined;
}

/** Why a call didn't begin: it fails with a 0 on the stack. */
export interface CallRefusal {
	readonly result: undefined;
	readonly message: string;
}

export interface ExecutionObserver {
	/** An execution begins; what was told before didn't count. */
	began?(): void;
	opened?(call: OpenedCall): void;
	closed?(end: ClosedCall): void;
	/**
	 * Before an operation of a frame: its name, its position in the code, and the height of the stack, which the frame doesn't
	 * know yet. Absent: the machine runs at its full speed.
	 */
	step?(frame: Frame, operation: string, pc: number, height: number): void;
	logged?(frame: Frame, log: Readonly<TransactionInfoLog>): void;
	/** An internal transaction that is neither a call nor a creation: a stake, a vote, the end of a contract. */
	noted?(frame: Frame, record: InternalRecord): void;
}

/** Reports a frame that has ended. */
export function closeFrame(observer: ExecutionObserver, frame: Frame): void {
	observer.closed?.({
		depth: frame.context.depth,
		energyUsed: BigInt(frame.used),
		penalty: frame.penalty + frame.inheritedPenalty,
		output: frame.output,
		reverted: frame.reverted,
		failure: frame.failure,
	});
}

/** Reports a call that runs no code of this machine. */
export function closeAtOnce(
	observer: ExecutionObserver,
	depth: number,
	end: Partial<Omit<ClosedCall, "depth">> = {},
): void {
	observer.closed?.({
		depth,
		energyUsed: 0n,
		penalty: 0,
		output: EMPTY,
		reverted: false,
		failure: undefined,
		...end,
	});
}

export const TOO_DEEP: CallRefusal = { result: undefined, message: "max call depth exceeded" };
export const TOO_POOR: CallRefusal = { result: undefined, message: "insufficient balance for transfer" };
export const PRECOMPILE_FAILED: CallRefusal = { result: undefined, message: "precompiled contract failed" };
export const PRECOMPILE_TOO_DEAR: CallRefusal = {
	result: undefined,
	message: "out of energy in a precompiled contract",
};
