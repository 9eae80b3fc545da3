/** Common parts of the machine's precompiled contracts (protocol/precompiles). */

import { EMPTY } from "../../../protocol/bytes.js";
import type { Gates } from "../gates.js";
import type { Machine } from "../machine.js";
import { timeoutAt } from "../vm-error.js";
import { longWord, type Word, wordFromBytes, wordToBytes } from "../word.js";

export interface PrecompileResult {
	/** False: the call pushes 0 and all energy passed to it is consumed. The output is written to memory even then. */
	readonly success: boolean;
	readonly output: Uint8Array;
}

interface PrecompileContext {
	readonly machine: Machine;
	/** The calling contract; for a DELEGATECALL, its caller. */
	readonly caller: Uint8Array;
}

export interface Precompile {
	readonly name: string;
	/** The whole address word that calls it. */
	readonly word: number;
	readonly gate?: keyof Gates;
	readonly energy: (input: Uint8Array, gates: Gates) => bigint;
	/**
	 * @param input a view of the caller's memory: valid only during the call; the output must not alias it
	 * @throws {VmError} where the calling frame fails
	 */
	readonly run: (input: Uint8Array, context: PrecompileContext) => PrecompileResult;
}

export const succeed = (output: Uint8Array): PrecompileResult => ({ success: true, output });

export const failed: PrecompileResult = { success: false, output: EMPTY };

export const ZERO_WORD: Uint8Array = new Uint8Array(32);

export const ONE_WORD: Uint8Array = wordToBytes(1);

/** Called periodically by long computations. @throws {VmError} out of time */
export function checkTime({ options }: Machine, name: string): void {
	if (options.deadlineMs !== Number.POSITIVE_INFINITY && performance.now() > options.deadlineMs) {
		throw timeoutAt(name);
	}
}

/** A constant price. */
export const price = (energy: number) => (): bigint => BigInt(energy);

/** A base price plus a price per word of input. */
export function perWord(base: number, each: number): (input: Uint8Array) => bigint {
	return (input) => BigInt(base + each * Math.ceil(input.length / 32));
}

/** Word `index` of the input, zero-padded past its end. */
export function wordAt(input: Uint8Array, index: number): Word {
	return wordFromBytes(paddedSlice(input, 32 * index, 32));
}

/** A range of the input, zero-padded past its end. */
export function paddedSlice(input: Uint8Array, offset: number, length: number): Uint8Array {
	if (offset + length <= input.length) return input.subarray(offset, offset + length);
	const padded = new Uint8Array(length);
	if (offset < input.length) padded.set(input.subarray(offset, offset + length));
	return padded;
}

export function amountWord(amount: bigint): Uint8Array {
	return wordToBytes(longWord(amount));
}
