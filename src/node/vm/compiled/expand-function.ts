/** The function that expands memory to a word and charges for it, within the frame's place and the program's energy slice. */

import { I64 } from "../../../protocol/wasm-code.js";
import { NO_FACTOR } from "../dynamic-energy.js";
import { Head, PLACE_MEMORY, STACK_WORD } from "./arena.js";
import { EXPANSION } from "./imports.js";
import { type Expression, Routine } from "./routine.js";
import { type FunctionCode, Op } from "./wasm-writer.js";

/** Locals: parameters, words before and after, cost including the access fee, total charged. */
const L = { OFFSET: 0, CHARGED: 1, BEFORE: 2, AFTER: 3, COST: 4, TOTAL: 5 } as const;

/** @param otherwise function number of the driver's fallback */
export function expandFunction(otherwise: number): FunctionCode {
	const r = new Routine();
	const { get, op, int, long } = r;
	const head = (at: number): Expression => r.load(Op.I64_LOAD, at);
	const ask = (): void => {
		r.body.get(L.OFFSET).get(L.CHARGED).call(otherwise).op(Op.RETURN);
	};
	r.when(op(Op.I32_GT_U, get(L.OFFSET), int(PLACE_MEMORY - STACK_WORD)), ask);
	r.set(L.BEFORE, op(Op.I64_SHR_U, r.load(Op.I64_LOAD32_U, Head.SIZE), long(5n)));
	const end = op(Op.I64_EXTEND_I32_U, op(Op.I32_ADD, get(L.OFFSET), int(2 * STACK_WORD - 1)));
	r.set(L.AFTER, op(Op.I64_SHR_U, end, long(5n)));
	const square = (words: number): Expression =>
		op(Op.I64_SHR_U, op(Op.I64_MUL, get(words), get(words)), long(9n));
	const words = op(Op.I64_MUL, op(Op.I64_SUB, get(L.AFTER), get(L.BEFORE)), long(3n));
	const growth = op(Op.I64_SUB, op(Op.I64_ADD, words, square(L.AFTER)), square(L.BEFORE));
	r.set(L.COST, op(Op.I64_ADD, growth, head(Head.FEE)));
	// Includes the penalty; the fee and its penalty are already charged with the block.
	const penalized = (cost: Expression): Expression =>
		op(Op.I64_DIV_U, op(Op.I64_MUL, cost, head(Head.FACTOR)), long(BigInt(NO_FACTOR)));
	r.set(L.TOTAL, op(Op.I64_SUB, penalized(get(L.COST)), penalized(head(Head.FEE))));
	r.when(op(Op.I64_LT_S, head(Head.LEFT), get(L.TOTAL)), ask);
	r.store(Op.I64_STORE, Head.LEFT, op(Op.I64_SUB, head(Head.LEFT), get(L.TOTAL)));
	const penalty = op(Op.I64_SUB, get(L.TOTAL), op(Op.I64_SUB, get(L.COST), head(Head.FEE)));
	r.store(Op.I64_STORE, Head.PENALTY, op(Op.I64_ADD, head(Head.PENALTY), penalty));
	const size = op(Op.I32_SHL, op(Op.I32_WRAP_I64, get(L.AFTER)), int(5));
	r.store(Op.I32_STORE, Head.SIZE, size);
	r.store(Op.I32_STORE, Head.ROOM, op(Op.I32_SUB, size, int(STACK_WORD - 1)));
	r.give(int(1));
	return r.function(EXPANSION, [[4, I64]], "expand");
}
