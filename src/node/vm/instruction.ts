/** The shape of a row of the opcode table. */

import type { Frame } from "./frame.js";
import type { Gates } from "./gates.js";
import type { Word } from "./word.js";

/** Words that the stack of a frame holds at most. */
export const STACK_LIMIT = 1024;

/** Energy of an operation that depends on its operands; they are still on the stack. */
export type CostRule = (frame: Frame, name: string) => number;

/**
 * What an operation does. Pure functions of words stand for themselves; `effect` pops and pushes on its own; the
 * others are known to the loop.
 */
export type Action =
	| { readonly kind: "nullary"; readonly run: (frame: Frame) => Word }
	| { readonly kind: "unary"; readonly run: (a: Word) => Word }
	| { readonly kind: "binary"; readonly run: (a: Word, b: Word) => Word }
	| { readonly kind: "ternary"; readonly run: (a: Word, b: Word, c: Word) => Word }
	/** Replaces the top of the stack by what the frame knows about it. */
	| { readonly kind: "query"; readonly run: (frame: Frame, a: Word) => Word }
	| { readonly kind: "effect"; readonly run: (frame: Frame) => void }
	| {
			readonly kind:
				| "push"
				| "dup"
				| "swap"
				| "pop"
				| "jump"
				| "jumpi"
				| "jumpdest"
				| "pc"
				| "mload"
				| "mstore";
	  };

/** One row of the opcode table. */
export interface Instruction {
	readonly byte: number;
	readonly name: string;
	/** Words taken from the stack, and put on it. */
	readonly takes: number;
	readonly gives: number;
	/** Energy. */
	readonly cost: number | CostRule;
	/** The rule that brings the operation; without one it was always there. */
	readonly gate?: keyof Gates;
	readonly action: Action;
	/** Opens frames: dynamic energy counts its own cost only, and it charges itself. */
	readonly isCall?: true;
}
