/** Imports of compiled programs: the driver, and arithmetic too long to inline. */

import { I32, I64 } from "../../../protocol/wasm-code.js";
import type { FunctionType, ImportedFunction } from "./wasm-writer.js";

const WORD = [I64, I64, I64, I64] as const;

/** A calculation on two words, top of the stack first. */
export const BINARY: FunctionType = { takes: [...WORD, ...WORD], gives: WORD };

/** A calculation on three words. */
export const TERNARY: FunctionType = { takes: [...WORD, ...WORD, ...WORD], gives: WORD };

const OPERATION: FunctionType = { takes: [I32, I32, I32, I32], gives: [I32] };
/**
 * Memory expansion: takes the word's offset (-1: beyond 31 bits) and what was charged for later operations;
 * gives 0 if not done.
 */
export const EXPANSION: FunctionType = { takes: [I32, I32], gives: [I32] };

/** Hash of memory: takes its address and size, and the address for the result. */
export const HASH: FunctionType = { takes: [I32, I32, I32], gives: [] };

const TERNARIES = ["ADDMOD", "MULMOD"];

/** Calculations in the arithmetic module, by operation name. */
export const CALCULATIONS = [
	...["MUL", "DIV", "SDIV", "MOD", "SMOD", "SIGNEXTEND", "BYTE", "SHL", "SHR", "SAR"],
	...TERNARIES,
];

/** All imports, in numeric order. */
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
	/** To run the operation at its position, whose fixed cost is already charged. */
	OPERATION: 0,
	/** The energy slice isn't enough for the block at its position. */
	ENERGY: 1,
	/** To be interpreted from its position; the operation there hasn't run. */
	INTERPRET: 2,
	/** Its position is an invalid jump target. */
	BAD_JUMP: 3,
} as const;
