/** What compiled programs call: the driver, and the arithmetic that is too long to stand in every program. */

import { I32, I64 } from "../../../protocol/wasm-code.js";
import type { FunctionType, ImportedFunction } from "./wasm-writer.js";

const WORD = [I64, I64, I64, I64] as const;

/** A calculation on two words, the top of the stack first. */
export const BINARY: FunctionType = { takes: [...WORD, ...WORD], gives: WORD };

/** The same on three. */
export const TERNARY: FunctionType = { takes: [...WORD, ...WORD, ...WORD], gives: WORD };

const OPERATION: FunctionType = { takes: [I32, I32, I32, I32], gives: [I32] };
/** What makes a word of memory usable: its offset (-1: beyond 31 bits), what was charged for later operations; 0: it wasn't done. */
export const EXPANSION: FunctionType = { takes: [I32, I32], gives: [I32] };

/** The hash of memory: its address, its size, and the address of the word that it becomes. */
export const HASH: FunctionType = { takes: [I32, I32, I32], gives: [] };

const TERNARIES = ["ADDMOD", "MULMOD"];

/** Calculations of the arithmetic module, by the operations that they are. */
export const CALCULATIONS = [
	...["MUL", "DIV", "SDIV", "MOD", "SMOD", "SIGNEXTEND", "BYTE", "SHL", "SHR", "SAR"],
	...TERNARIES,
];

/** All imports, in the order of their numbers. */
export const IMPORTS: readonly ImportedFunction[] = [
	{ name: "operate", type: OPERATION },
	{ name: "expand", type: EXPANSION },
	{ name: "KECCAK", type: HASH },
	...CALCULATIONS.map((name) => ({ name, type: TERNARIES.includes(name) ? TERNARY : BINARY })),
];

export const importNumber = (name: string): number => IMPORTS.findIndex((each) => each.name === name);

export const OPERATE = 0;
export const EXPAND = 1;
export const KECCAK = 2;

/** Why a program returns to the driver. */
export const Exit = {
	/** To run the operation at its place, which is charged for as far as its cost is fixed. */
	OPERATION: 0,
	/** The slice of energy doesn't suffice for the block at its place. */
	ENERGY: 1,
	/** The interpreter goes on at its place: nothing of the operation there was done. */
	INTERPRET: 2,
	/** Its place is where a jump went that may not go there. */
	BAD_JUMP: 3,
} as const;
