/** WebAssembly functions written as expressions, for code generated once, where generation speed doesn't matter. */

import { type FunctionCode, type FunctionType, Op, WasmWriter } from "./wasm-writer.js";

/** Emits an instruction with its operands. */
export type Expression = () => void;

/** A function's code, built from expressions. */
export class Routine {
	readonly body = new WasmWriter();

	get =
		(local: number): Expression =>
		() =>
			this.body.get(local);

	long =
		(value: bigint): Expression =>
		() =>
			this.body.i64(value);

	int =
		(value: number): Expression =>
		() =>
			this.body.i32(value);

	op =
		(op: number, ...operands: readonly Expression[]): Expression =>
		() => {
			for (const operand of operands) operand();
			this.body.op(op);
		};

	/** Joins several operands with a binary operation. */
	all = (op: number, first: Expression, ...rest: readonly Expression[]): Expression =>
		rest.reduce((joined, operand) => this.op(op, joined, operand), first);

	set(local: number, value: Expression): void {
		value();
		this.body.set(local);
	}

	/** Loads from a fixed address. */
	load =
		(op: number, at: number): Expression =>
		() => {
			this.body.i32(0).access(op, at);
		};

	store(op: number, at: number, value: Expression): void {
		this.body.i32(0);
		value();
		this.body.access(op, at);
	}

	/** A 32-bit digit at an address, as 64 bits. */
	digit =
		(address: Expression, offset: number): Expression =>
		() => {
			address();
			this.body.access(Op.I64_LOAD32_U, offset);
		};

	byte =
		(address: Expression): Expression =>
		() => {
			address();
			this.body.op(Op.I32_LOAD8_U, 0, 0);
		};

	storeByte(address: Expression, value: Expression): void {
		address();
		value();
		this.body.op(Op.I32_STORE8, 0, 0);
	}

	storeDigit(address: Expression, offset: number, value: Expression): void {
		address();
		value();
		this.body.access(Op.I64_STORE32, offset);
	}

	when(condition: Expression, then: () => void): void {
		condition();
		this.body.when();
		then();
		this.body.end();
	}

	/** @param until ends the loop, checked before each iteration */
	repeat(until: Expression, body: () => void): void {
		this.body.block().loop();
		until();
		this.body.brIf(1);
		body();
		this.body.br(0).end().end();
	}

	give(...results: readonly Expression[]): void {
		for (const result of results) result();
		this.body.op(Op.RETURN);
	}

	/** The finished function; its end is unreachable if it has results. */
	function(type: FunctionType, locals: FunctionCode["locals"], name?: string): FunctionCode {
		if (type.gives.length > 0) this.body.op(UNREACHABLE);
		this.body.end();
		return { type, locals, body: this.body, ...(name === undefined ? {} : { name }) };
	}
}

const UNREACHABLE = 0x00;
