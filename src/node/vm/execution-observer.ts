/**
 * Callbacks for tracing an execution as it happens. Observers must not change anything; if one throws, the
 * execution ends and its effects are reverted. Without an observer, nothing is collected.
 */

import { EMPTY } from "../../protocol/bytes.js";
import type { TransactionInfoLog } from "../../protocol/messages.js";
import type { Frame } from "./frame.js";
import type { InternalRecord } from "./internal-transactions.js";
import type { VmError } from "./vm-error.js";
import type { Word } from "./word.js";

/** A call or creation that begins. Addresses are 21 bytes. */
export interface OpenedCall {
	/** The operation, also for the outermost frame: CALL, DELEGATECALL, CREATE2 and so on. */
	readonly kind: string;
	/** 0 for the outermost call or creation. */
	readonly depth: number;
	/** The account that makes the call. */
	readonly caller: Uint8Array;
	/** The account that the code runs as. */
	readonly address: Uint8Array;
	/** The account whose code runs. */
	readonly code: Uint8Array;
	/** In sun. */
	readonly value: bigint;
	readonly token: { readonly id: bigint; readonly amount: bigint } | undefined;
	/** Call data, or the code of a creation; valid until the call has ended. */
	readonly input: Uint8Array;
	/** Energy it may spend. */
	readonly energy: Word;
	/** The internal transaction that records it; undefined: none. */
	readonly record: InternalRecord | undefined;
}

/** How a call ended. */
export interface ClosedCall {
	/** The depth it was opened with. Any deeper calls still open end with it. */
	readonly depth: number;
	readonly energyUsed: bigint;
	/** Part of it that is dynamic energy's penalty, including inner calls. */
	readonly penalty: number;
	/** Return or revert data; valid only during the notification. */
	readonly output: Uint8Array;
	readonly reverted: boolean;
	readonly failure: VmError | CallRefusal | undefined;
}

/** Why a call never began; it pushes 0. */
export interface CallRefusal {
	readonly result: undefined;
	readonly message: string;
}

export interface ExecutionObserver {
	/** An execution begins; discard anything reported before. */
	began?(): void;
	opened?(call: OpenedCall): void;
	closed?(end: ClosedCall): void;
	/**
	 * Called before each operation with its name, its position in the code and the stack height, which the
	 * frame hasn't stored yet. Without this callback, the machine runs at full speed.
	 */
	step?(frame: Frame, operation: string, pc: number, height: number): void;
	logged?(frame: Frame, log: Readonly<TransactionInfoLog>): void;
	/** An internal transaction other than a call or creation: a stake, a vote, a self-destruct. */
	noted?(frame: Frame, record: InternalRecord): void;
}

/** Reports that a frame has ended. */
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

/** Reports the end of a call that ran no code in this machine. */
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
