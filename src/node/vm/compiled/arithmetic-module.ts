/**
 * WebAssembly module with the longer calculations of compiled programs: products, quotients, and shifts by
 * distances not known at compile time. Words are four 64-bit limbs, lowest first; so are results.
 */

import { I32, I64 } from "../../../protocol/wasm-code.js";
import { ARENA_PAGES, Head } from "./arena.js";
import { expandFunction } from "./expand-function.js";
import { BINARY, EXPANSION, TERNARY } from "./imports.js";
import { keccakFunction } from "./keccak-function.js";
import { type Expression, Routine } from "./routine.js";
import { type FunctionCode, type FunctionType, Op, writeModule } from "./wasm-writer.js";

const DIGIT_MASK = 0xffff_ffffn;
/** Addresses of the 32-bit digits: numerator, which becomes the remainder; divisor; quotient. */
const [NUMERATOR, DIVISOR, QUOTIENT] = [Head.SCRATCH, Head.SCRATCH + 128, Head.SCRATCH + 256];

const low32 = (r: Routine, value: Expression): Expression => r.op(Op.I64_AND, value, r.long(DIGIT_MASK));
const high32 = (r: Routine, value: Expression): Expression => r.op(Op.I64_SHR_U, value, r.long(32n));

/** Whether some limbs are all zero. */
const allZero = (r: Routine, locals: readonly number[]): Expression =>
	r.op(Op.I64_EQZ, r.all(Op.I64_OR, r.get(locals[0] as number), ...locals.slice(1).map(r.get)));

const UPPER = [1, 2, 3, 5, 6, 7];
const ZEROS = (r: Routine, count: number): Expression[] => new Array(count).fill(r.long(0n));

/**
 * Schoolbook multiplication of limbs 0 to 3 by 4 to 7 with 32-bit digits: a product plus two digits fits 64
 * bits. Rows of zero limbs are skipped.
 * @param first local of the result's lowest digit; two more locals follow its digits
 * @param digits of the result, 8 or 16
 */
function multiply(r: Routine, first: number, digits: number): void {
	const [CARRY, SUM] = [first + digits, first + digits + 1];
	const digit = (word: number, i: number): Expression =>
		(i & 1) === 0 ? low32(r, r.get(word + (i >> 1))) : high32(r, r.get(word + (i >> 1)));
	for (let limb = 0; limb < 4; limb++) {
		r.when(r.op(Op.I64_NE, r.get(limb), r.long(0n)), () => {
			for (const i of [2 * limb, 2 * limb + 1]) {
				r.set(CARRY, r.long(0n));
				for (let j = 0; j < 8 && i + j < digits; j++) {
					const times = r.op(Op.I64_MUL, digit(0, i), digit(4, j));
					r.set(SUM, r.all(Op.I64_ADD, times, r.get(first + i + j), r.get(CARRY)));
					r.set(first + i + j, low32(r, r.get(SUM)));
					r.set(CARRY, high32(r, r.get(SUM)));
				}
				if (i + 8 < digits) r.set(first + i + 8, r.get(CARRY));
			}
		});
	}
}

/** Combines two digits into a limb. */
const limbOf = (r: Routine, first: number, i: number): Expression =>
	r.op(Op.I64_OR, r.get(first + 2 * i), r.op(Op.I64_SHL, r.get(first + 2 * i + 1), r.long(32n)));

function product(): FunctionCode {
	const r = new Routine();
	const RESULT = 8;
	r.when(allZero(r, UPPER), () =>
		r.when(r.op(Op.I64_EQZ, high32(r, r.op(Op.I64_OR, r.get(0), r.get(4)))), () =>
			r.give(r.op(Op.I64_MUL, r.get(0), r.get(4)), ...ZEROS(r, 3)),
		),
	);
	multiply(r, RESULT, 8);
	r.give(...[0, 1, 2, 3].map((i) => limbOf(r, RESULT, i)));
	return r.function(BINARY, [[10, I64]], "MUL");
}

/** Takes the numerator's digit count; the divisor has up to eight digits and isn't zero. */
const LONG_DIVISION: FunctionType = { takes: [I32], gives: [] };
/** Locals of the long division. */
const D = {
	COUNT: 0,
	LENGTH: 1,
	SHIFT: 2,
	J: 3,
	I: 4,
	AT: 5,
	TOP: 6,
	GUESS: 7,
	REST: 8,
	CARRY: 9,
	BORROW: 10,
	T: 11,
};

/** Schoolbook division (Knuth, The Art of Computer Programming 2, 4.3.1, algorithm D) on digits of 32 bits. */
function longDivision(): FunctionCode {
	const r = new Routine();
	const { get, int, op, long } = r;
	const step = (local: number, by: number): void => r.set(local, op(Op.I32_ADD, get(local), int(by)));
	const at = (i: Expression): Expression => op(Op.I32_SHL, i, int(2));
	r.set(D.LENGTH, int(8));
	r.repeat(op(Op.I32_EQZ, op(Op.I64_EQZ, r.digit(at(get(D.LENGTH)), DIVISOR - 4))), () => step(D.LENGTH, -1));
	r.set(
		D.SHIFT,
		op(Op.I32_WRAP_I64, op(Op.I64_SUB, op(Op.I64_CLZ, r.digit(at(get(D.LENGTH)), DIVISOR - 4)), long(32n))),
	);
	shiftDigits(r, DIVISOR, get(D.LENGTH));
	shiftDigits(r, NUMERATOR, op(Op.I32_ADD, get(D.COUNT), int(1)));
	r.set(D.TOP, r.digit(at(get(D.LENGTH)), DIVISOR - 4));
	r.set(D.J, op(Op.I32_SUB, get(D.COUNT), get(D.LENGTH)));
	r.repeat(op(Op.I32_LT_S, get(D.J), int(0)), () => {
		r.set(D.AT, at(op(Op.I32_ADD, get(D.J), get(D.LENGTH))));
		guessDigit(r);
		subtractMultiple(r);
		r.when(op(Op.I64_LT_S, get(D.T), long(0n)), () => addBack(r));
		r.storeDigit(at(get(D.J)), QUOTIENT, get(D.GUESS));
		step(D.J, -1);
	});
	// What remains of the numerator, shifted back, is the remainder.
	r.set(D.I, int(0));
	r.repeat(op(Op.I32_EQZ, op(Op.I32_LT_S, get(D.I), get(D.LENGTH))), () => {
		const both = op(
			Op.I64_OR,
			r.digit(at(get(D.I)), NUMERATOR),
			op(Op.I64_SHL, r.digit(at(get(D.I)), NUMERATOR + 4), long(32n)),
		);
		r.storeDigit(at(get(D.I)), NUMERATOR, op(Op.I64_SHR_U, both, op(Op.I64_EXTEND_I32_U, get(D.SHIFT))));
		step(D.I, 1);
	});
	return r.function(LONG_DIVISION, [
		[5, I32],
		[6, I64],
	]);
}

/** Normalizes: shifts digits up so that the divisor's highest bit is set. */
function shiftDigits(r: Routine, where: number, count: Expression): void {
	const { get, int, op } = r;
	const place = op(Op.I32_SHL, get(D.I), int(2));
	r.set(D.I, count);
	r.repeat(op(Op.I32_LT_S, get(D.I), int(1)), () => {
		const lower = r.digit(place, where - 8);
		const both = op(Op.I64_OR, op(Op.I64_SHL, r.digit(place, where - 4), r.long(32n)), lower);
		r.storeDigit(place, where - 4, high32(r, op(Op.I64_SHL, both, op(Op.I64_EXTEND_I32_U, get(D.SHIFT)))));
		r.set(D.I, op(Op.I32_SUB, get(D.I), int(1)));
	});
}

/** Estimates a quotient digit from the topmost digits; at most one too large. */
function guessDigit(r: Routine): void {
	const { get, int, op, long } = r;
	const joined = (high: Expression, low: Expression): Expression =>
		op(Op.I64_OR, op(Op.I64_SHL, high, long(32n)), low);
	r.set(D.T, joined(r.digit(get(D.AT), NUMERATOR), r.digit(get(D.AT), NUMERATOR - 4)));
	r.set(D.GUESS, op(Op.I64_DIV_U, get(D.T), get(D.TOP)));
	r.set(D.REST, op(Op.I64_REM_U, get(D.T), get(D.TOP)));
	const second = r.digit(op(Op.I32_SHL, get(D.LENGTH), int(2)), DIVISOR - 8);
	const third = r.digit(get(D.AT), NUMERATOR - 8);
	const fits = op(
		Op.I32_AND,
		op(Op.I64_LE_U, get(D.GUESS), long(DIGIT_MASK)),
		op(Op.I64_LE_U, op(Op.I64_MUL, get(D.GUESS), second), joined(get(D.REST), third)),
	);
	r.repeat(op(Op.I32_OR, fits, op(Op.I64_GT_U, get(D.REST), long(DIGIT_MASK))), () => {
		r.set(D.GUESS, op(Op.I64_SUB, get(D.GUESS), long(1n)));
		r.set(D.REST, op(Op.I64_ADD, get(D.REST), get(D.TOP)));
	});
}

/** Subtracts the estimated multiple of the divisor from the numerator; T is negative if the estimate was one too large. */
function subtractMultiple(r: Routine): void {
	const { get, int, op, long } = r;
	r.set(D.CARRY, long(0n));
	r.set(D.BORROW, long(0n));
	r.set(D.I, int(0));
	const place = op(Op.I32_SHL, get(D.I), int(2));
	const target = op(Op.I32_SHL, op(Op.I32_ADD, get(D.I), get(D.J)), int(2));
	r.repeat(op(Op.I32_EQZ, op(Op.I32_LT_S, get(D.I), get(D.LENGTH))), () => {
		r.set(D.T, op(Op.I64_ADD, op(Op.I64_MUL, get(D.GUESS), r.digit(place, DIVISOR)), get(D.CARRY)));
		r.set(D.CARRY, high32(r, get(D.T)));
		r.set(D.T, op(Op.I64_SUB, op(Op.I64_SUB, r.digit(target, NUMERATOR), get(D.BORROW)), low32(r, get(D.T))));
		r.storeDigit(target, NUMERATOR, get(D.T));
		r.set(D.BORROW, op(Op.I64_SHR_U, get(D.T), long(63n)));
		r.set(D.I, op(Op.I32_ADD, get(D.I), int(1)));
	});
	r.set(D.T, op(Op.I64_SUB, op(Op.I64_SUB, r.digit(get(D.AT), NUMERATOR), get(D.BORROW)), get(D.CARRY)));
	r.storeDigit(get(D.AT), NUMERATOR, get(D.T));
}

/** Corrects an estimate that was one too large. */
function addBack(r: Routine): void {
	const { get, int, op, long } = r;
	r.set(D.GUESS, op(Op.I64_SUB, get(D.GUESS), long(1n)));
	r.set(D.CARRY, long(0n));
	r.set(D.I, int(0));
	const place = op(Op.I32_SHL, get(D.I), int(2));
	const target = op(Op.I32_SHL, op(Op.I32_ADD, get(D.I), get(D.J)), int(2));
	r.repeat(op(Op.I32_EQZ, op(Op.I32_LT_S, get(D.I), get(D.LENGTH))), () => {
		r.set(D.T, r.all(Op.I64_ADD, r.digit(target, NUMERATOR), r.digit(place, DIVISOR), get(D.CARRY)));
		r.storeDigit(target, NUMERATOR, get(D.T));
		r.set(D.CARRY, high32(r, get(D.T)));
		r.set(D.I, op(Op.I32_ADD, get(D.I), int(1)));
	});
	const top = r.digit(get(D.AT), NUMERATOR);
	r.storeDigit(get(D.AT), NUMERATOR, op(Op.I64_ADD, top, get(D.CARRY)));
}

/** Quotient or remainder; division by zero gives zero. */
function division(name: string, op: number, result: number, divide: number): FunctionCode {
	const r = new Routine();
	r.when(allZero(r, [4, 5, 6, 7]), () => r.give(...ZEROS(r, 4)));
	r.when(allZero(r, UPPER), () => r.give(r.op(op, r.get(0), r.get(4)), ...ZEROS(r, 3)));
	for (let i = 0; i < 4; i++) {
		r.store(Op.I64_STORE, QUOTIENT + 8 * i, r.long(0n));
		r.store(Op.I64_STORE, DIVISOR + 8 * i, r.get(4 + i));
	}
	divideLimbs(r, [0, 1, 2, 3].map(r.get), divide);
	r.give(...[0, 1, 2, 3].map((i) => r.load(Op.I64_LOAD, result + 8 * i)));
	return r.function(BINARY, [], name);
}

/** Divides a numerator of several limbs by the divisor in scratch memory. */
function divideLimbs(r: Routine, numerator: readonly Expression[], divide: number): void {
	numerator.forEach((limb, i) => {
		r.store(Op.I64_STORE, NUMERATOR + 8 * i, limb);
	});
	// Zero digits above the numerator and below both, which the shifts read.
	for (const at of [NUMERATOR + 8 * numerator.length, NUMERATOR - 8, DIVISOR - 8]) {
		r.store(Op.I64_STORE, at, r.long(0n));
	}
	r.body.i32(2 * numerator.length).call(divide);
}

/** Sum or product of two words modulo a third (8 to 11); 0 if that is 0. */
function modular(name: "ADDMOD" | "MULMOD", divide: number): FunctionCode {
	const r = new Routine();
	const { get, op } = r;
	const FIRST = 12;
	r.when(allZero(r, [8, 9, 10, 11]), () => r.give(...ZEROS(r, 4)));
	for (let i = 0; i < 4; i++) r.store(Op.I64_STORE, DIVISOR + 8 * i, get(8 + i));
	if (name === "MULMOD") {
		multiply(r, FIRST, 16);
		const limbs = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => limbOf(r, FIRST, i));
		divideLimbs(r, limbs, divide);
	} else {
		const CARRY = FIRST;
		for (let i = 0; i < 4; i++) {
			// At most one of the two additions overflows.
			r.set(i, op(Op.I64_ADD, get(i), get(CARRY)));
			const first = op(Op.I64_LT_U, get(i), get(CARRY));
			r.set(4 + i, op(Op.I64_ADD, get(i), get(4 + i)));
			const second = op(Op.I64_LT_U, get(4 + i), get(i));
			r.set(CARRY, op(Op.I64_EXTEND_I32_U, op(Op.I32_OR, first, second)));
		}
		divideLimbs(r, [4, 5, 6, 7, CARRY].map(get), divide);
	}
	r.give(...[0, 1, 2, 3].map((i) => r.load(Op.I64_LOAD, NUMERATOR + 8 * i)));
	return r.function(TERNARY, [[18, I64]], name);
}

/** Quotient or remainder of signed words. @param divide function number of the unsigned operation */
function signedDivision(name: "SDIV" | "SMOD", divide: number): FunctionCode {
	const r = new Routine();
	const { get, op, long } = r;
	const [SIGN, OTHER, CARRY] = [8, 9, 10];
	r.set(SIGN, op(Op.I64_SHR_S, get(3), long(63n)));
	r.set(OTHER, op(Op.I64_SHR_S, get(7), long(63n)));
	/** Negates a word if the mask is all ones. */
	const negate = (first: number, mask: number): void => {
		r.set(CARRY, op(Op.I64_AND, get(mask), long(1n)));
		for (let i = first; i < first + 4; i++) {
			r.set(i, op(Op.I64_ADD, op(Op.I64_XOR, get(i), get(mask)), get(CARRY)));
			r.set(CARRY, op(Op.I64_AND, get(CARRY), op(Op.I64_EXTEND_I32_U, op(Op.I64_EQZ, get(i)))));
		}
	};
	negate(0, SIGN);
	negate(4, OTHER);
	for (let i = 0; i < 8; i++) r.body.get(i);
	r.body.call(divide);
	for (const limb of [3, 2, 1, 0]) r.body.set(limb);
	if (name === "SDIV") r.set(SIGN, op(Op.I64_XOR, get(SIGN), get(OTHER)));
	negate(0, SIGN);
	r.give(get(0), get(1), get(2), get(3));
	return r.function(BINARY, [[3, I64]], name);
}

/** Shifts a word (4 to 7) by limbs 0 to 3: whole limbs in steps of 128 and 64 bits, then the remaining bits. */
function shift(name: "SHL" | "SHR" | "SAR"): FunctionCode {
	const r = new Routine();
	const { get, op, long } = r;
	const [FILL, BACK] = [8, 9];
	const word = name === "SHL" ? [7, 6, 5, 4] : [4, 5, 6, 7];
	const [forth, back] = name === "SHL" ? [Op.I64_SHL, Op.I64_SHR_U] : [Op.I64_SHR_U, Op.I64_SHL];
	if (name === "SAR") r.set(FILL, op(Op.I64_SHR_S, get(7), long(63n)));
	r.when(isAbove(r, 255n), () => r.give(get(FILL), get(FILL), get(FILL), get(FILL)));
	for (const limbs of [2, 1]) {
		r.when(op(Op.I32_WRAP_I64, op(Op.I64_AND, get(0), long(BigInt(64 * limbs)))), () =>
			word.forEach((local, i) => {
				const from = word[i + limbs];
				r.set(local, get(from ?? FILL));
			}),
		);
	}
	r.set(0, op(Op.I64_AND, get(0), long(63n)));
	r.when(op(Op.I32_WRAP_I64, get(0)), () => {
		r.set(BACK, op(Op.I64_SUB, long(64n), get(0)));
		word.forEach((local, i) => {
			const next = get(word[i + 1] ?? FILL);
			r.set(local, op(Op.I64_OR, op(forth, get(local), get(0)), op(back, next, get(BACK))));
		});
	});
	r.give(get(4), get(5), get(6), get(7));
	return r.function(BINARY, [[2, I64]], name);
}

/** Selects the limb of a word (4 to 7) by an index in a local, with nested selects. */
function chosen(r: Routine, step: number): Expression {
	const is = (i: number): Expression => r.op(Op.I64_EQ, r.get(step), r.long(BigInt(i)));
	return [5, 6, 7].reduce<Expression>(
		(other, local, i) => () => {
			r.get(local)();
			other();
			is(i + 1)();
			r.body.op(Op.SELECT);
		},
		r.get(4),
	);
}

/** Byte `index` from the most significant one. */
function byteOf(): FunctionCode {
	const r = new Routine();
	const { get, op, long } = r;
	const STEP = 8;
	r.when(isAbove(r, 31n), () => r.give(...ZEROS(r, 4)));
	r.set(0, op(Op.I64_SUB, long(31n), get(0)));
	r.set(STEP, op(Op.I64_SHR_U, get(0), long(3n)));
	const bits = op(Op.I64_SHL, op(Op.I64_AND, get(0), long(7n)), long(3n));
	r.give(op(Op.I64_AND, op(Op.I64_SHR_U, chosen(r, STEP), bits), long(0xffn)), ...ZEROS(r, 3));
	return r.function(BINARY, [[1, I64]], "BYTE");
}

/** Whether the first word exceeds a small limit. */
function isAbove(r: Routine, limit: bigint): Expression {
	const { get, op, long } = r;
	return op(
		Op.I32_OR,
		op(Op.I64_GT_U, get(0), long(limit)),
		op(Op.I64_NE, r.all(Op.I64_OR, get(1), get(2), get(3)), long(0n)),
	);
}

/** Sign extension from the lowest `index + 1` bytes: shifts the sign's limb up and down, and fills the limbs above. */
function signExtension(): FunctionCode {
	const r = new Routine();
	const { get, op, long } = r;
	const [STEP, BITS, FILL] = [8, 9, 10];
	r.when(isAbove(r, 30n), () => r.give(get(4), get(5), get(6), get(7)));
	r.set(STEP, op(Op.I64_SHR_U, get(0), long(3n)));
	r.set(BITS, op(Op.I64_SUB, long(56n), op(Op.I64_SHL, op(Op.I64_AND, get(0), long(7n)), long(3n))));
	r.set(0, op(Op.I64_SHR_S, op(Op.I64_SHL, chosen(r, STEP), get(BITS)), get(BITS)));
	r.set(FILL, op(Op.I64_SHR_S, get(0), long(63n)));
	for (let i = 0; i < 4; i++) {
		r.when(op(Op.I64_EQ, get(STEP), long(BigInt(i))), () => r.set(4 + i, get(0)));
		r.when(op(Op.I64_LT_U, get(STEP), long(BigInt(i))), () => r.set(4 + i, get(FILL)));
	}
	r.give(get(4), get(5), get(6), get(7));
	return r.function(BINARY, [[3, I64]], "SIGNEXTEND");
}

/** The module's functions, one at a time, so that building them can be spread over time. */
export function* arithmeticFunctions(): Generator<FunctionCode> {
	// Function numbers: the import comes first.
	const [widen, divide, quotient, remainder] = [0, 1, 2, 3];
	yield longDivision();
	yield division("DIV", Op.I64_DIV_U, QUOTIENT, divide);
	yield division("MOD", Op.I64_REM_U, NUMERATOR, divide);
	yield signedDivision("SDIV", quotient);
	yield signedDivision("SMOD", remainder);
	yield modular("ADDMOD", divide);
	yield modular("MULMOD", divide);
	yield product();
	yield signExtension();
	yield byteOf();
	yield shift("SHL");
	yield shift("SHR");
	yield shift("SAR");
	yield keccakFunction();
	yield expandFunction(widen);
}

/** The module's bytes. Exports `CALCULATIONS`, `KECCAK` and `expand`; imports `widen`, the fallback of `expand`. */
export function arithmeticModule(functions: Iterable<FunctionCode> = arithmeticFunctions()): Uint8Array {
	const imports = [{ name: "widen", type: EXPANSION }];
	return writeModule({ memoryPages: ARENA_PAGES, imports, functions: [...functions], table: [] });
}
