/** Pure word operations, compiled inline or as a call of the arithmetic module. */

import { importNumber } from "./imports.js";
import {
	constantLimb,
	isShort,
	knownWord,
	type Limb,
	type Limbs,
	type LimbWriter,
	shortWord,
	ZERO_LIMBS,
} from "./limbs.js";
import { Op } from "./wasm-writer.js";

type Calculation = (writer: LimbWriter, operands: readonly Limbs[]) => Limbs;

/** A calculation with both operands required. */
const binary =
	(rule: (writer: LimbWriter, a: Limbs, b: Limbs) => Limbs): Calculation =>
	(writer, [a, b]) =>
		rule(writer, a as Limbs, b as Limbs);

/** A comparison; the result is 0 or 1. */
const comparison = (rule: (writer: LimbWriter, a: Limbs, b: Limbs) => Limb): Calculation =>
	binary((writer, a, b) => shortWord(rule(writer, a, b)));

/** Calls the arithmetic module. */
function called(name: string): Calculation {
	const index = importNumber(name);
	return (writer, operands) => {
		for (const operand of operands) for (const limb of operand) writer.push(limb);
		writer.code.call(index);
		const [high, third, second, low] = [writer.take(), writer.take(), writer.take(), writer.take()];
		return [low, second, third, high];
	};
}

/** The operand's value if known, capped at 0xffff; undefined if unknown. */
function knownSmall(word: Limbs): number | undefined {
	const value = knownWord(word);
	return value === undefined ? undefined : value < 0x1_0000n ? Number(value) : 0xffff;
}

type Shift = (writer: LimbWriter, word: Limbs, by: number) => Limbs;

/** Shifts by a known distance are inlined; others call the arithmetic module. */
function shift(name: string, rule: Shift): Calculation {
	const other = called(name);
	return (writer, operands) => {
		const [distance, word] = operands as [Limbs, Limbs];
		const by = knownSmall(distance);
		if (by === undefined) return other(writer, operands);
		return rule(writer, word, by);
	};
}

/** Division or remainder with a known one-limb divisor and a one-limb dividend is inlined. */
function division(name: string, op: number): Calculation {
	const other = called(name);
	return (writer, operands) => {
		const [a, b] = operands as [Limbs, Limbs];
		if (!isShort(a) || !isShort(b) || b[0].value === undefined) return other(writer, operands);
		if (b[0].value === 0n) return ZERO_LIMBS;
		writer.push(a[0]);
		writer.push(b[0]);
		writer.code.op(op);
		return shortWord(writer.take());
	};
}

/** Products with a known power of two are shifts. */
function product(): Calculation {
	const other = called("MUL");
	return (writer, operands) => {
		const [a, b] = operands as [Limbs, Limbs];
		const power = powerOfTwo(a) ?? powerOfTwo(b);
		if (power !== undefined) return writer.shiftLeft(powerOfTwo(a) === undefined ? a : b, power);
		return other(writer, operands);
	};
}

function powerOfTwo(word: Limbs): number | undefined {
	const value = knownWord(word);
	if (value === undefined || value === 0n || (value & (value - 1n)) !== 0n) return undefined;
	return value.toString(2).length - 1;
}

function byteOf(): Calculation {
	const other = called("BYTE");
	return (writer, operands) => {
		const [index, word] = operands as [Limbs, Limbs];
		const at = knownSmall(index);
		if (at === undefined) return other(writer, operands);
		if (at > 31) return ZERO_LIMBS;
		return shortWord(writer.and(writer.shiftRight(word, 8 * (31 - at))[0], constantLimb(0xffn)));
	};
}

const RULES: Readonly<Record<string, Calculation>> = {
	ADD: binary((w, a, b) => w.add(a, b)),
	SUB: binary((w, a, b) => w.sub(a, b)),
	MUL: product(),
	DIV: division("DIV", Op.I64_DIV_U),
	MOD: division("MOD", Op.I64_REM_U),
	SDIV: called("SDIV"),
	SMOD: called("SMOD"),
	ADDMOD: called("ADDMOD"),
	MULMOD: called("MULMOD"),
	SIGNEXTEND: called("SIGNEXTEND"),
	LT: comparison((w, a, b) => w.lessWord(a, b)),
	GT: comparison((w, a, b) => w.lessWord(b, a)),
	SLT: comparison((w, a, b) => w.lessWord(a, b, true)),
	SGT: comparison((w, a, b) => w.lessWord(b, a, true)),
	EQ: comparison((w, a, b) => w.equalWord(a, b)),
	ISZERO: (w, [a]) => shortWord(w.isNone(a as Limbs)),
	AND: binary((w, a, b) => w.map(a, b, (x, y) => w.and(x, y))),
	OR: binary((w, a, b) => w.map(a, b, (x, y) => w.or(x, y))),
	XOR: binary((w, a, b) => w.map(a, b, (x, y) => w.xor(x, y))),
	NOT: (w, [a]) => w.not(a as Limbs),
	BYTE: byteOf(),
	SHL: shift("SHL", (w, word, by) => (by > 255 ? ZERO_LIMBS : w.shiftLeft(word, by))),
	SHR: shift("SHR", (w, word, by) => (by > 255 ? ZERO_LIMBS : w.shiftRight(word, by))),
	SAR: shift("SAR", (w, word, by) => w.shiftRight(word, Math.min(by, 255), true)),
};

/** How an operation is calculated in a program; undefined: by the driver. */
export function calculationOf(name: string): Calculation | undefined {
	return RULES[name];
}
