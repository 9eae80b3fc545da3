/** The shape of a row of the opcode table. */

import type { Frame } from "./frame.js";
import type { Gates } from "./gates.js";
import type { Word } from "./word.js";

/** Maximum number of words on a stack. */
export const STACK_LIMIT = 1024;

/** Computes the energy of an operation that depends on its operands, which are still on the stack. */
export type CostRule = (frame: Frame, name: string) => number;

/**
 * What an operation does. Pure functions of words are called by the loop; `effect` pops and pushes on its
 * own; the loop implements the others itself.
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
	/** Words popped, and words pushed. */
	readonly takes: number;
	readonly gives: number;
	/** Energy. */
	readonly cost: number | CostRule;
	/** The rule that introduces the operation; absent if it always existed. */
	readonly gate?: keyof Gates;
	readonly action: Action;
	/** Opens frames: it charges itself, and dynamic energy counts only its own cost. */
	readonly isCall?: true;
}
