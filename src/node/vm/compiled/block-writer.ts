/**
 * Compiles one basic block to WebAssembly. Words that the block computes stay in locals; those still on the
 * stack at its end are written to the frame's stack then. Every exit in between writes them first, and
 * refunds the energy charged for operations that haven't run.
 */

import { NO_FACTOR } from "../dynamic-energy.js";
import { Kind } from "../interpreter.js";
import { PUSH1 } from "../program.js";
import { ADDRESS_OFFSET, CALL_VALUE_OFFSET, CALLER_OFFSET, Head, INPUT_OFFSET, STACK_WORD } from "./arena.js";
import { type BasicBlock, type BlockOperation, type FixedCosts, spareHeight } from "./blocks.js";
import { calculationOf } from "./calculations.js";
import { EXPAND, Exit, KECCAK, OPERATE } from "./imports.js";
import {
	constantWord,
	isShort,
	knownWord,
	type Limb,
	type Limbs,
	type LimbWriter,
	retain,
	shortWord,
} from "./limbs.js";
import { Op, REVERSED, Simd, type WasmWriter } from "./wasm-writer.js";
import { WordStack } from "./word-stack.js";

/** Locals of a page's function; limb locals follow. */
export const Local = {
	/** Parameter: the page's entry to start at. */
	ENTRY: 0,
	/** Address past the top of the stack when the current block began. */
	TOP: 1,
	/** Address of the frame's stack. */
	STACK: 2,
	/** Address of the lowest word that the block uses. */
	LOW: 3,
	ADDRESS: 4,
	VECTOR: 5,
	LEFT: 6,
	FIRST_LIMB: 7,
} as const;

/** Maximum offset and size of memory hashed by the program itself: what fits in a frame's place. */
const MAX_HASHED = 0xffffn;

/** Operations that push a size, with its field in the head. */
const SIZES: Readonly<Record<string, number>> = {
	CALLDATASIZE: Head.INPUT,
	RETURNDATASIZE: Head.RETURNED,
	MSIZE: Head.SIZE,
};

/** Operations that push a word kept in the frame's place, with its offset. */
const WORDS: Readonly<Record<string, number>> = {
	ADDRESS: ADDRESS_OFFSET,
	CALLER: CALLER_OFFSET,
	CALLVALUE: CALL_VALUE_OFFSET,
};

/** A jump target: a known position, or the one in a limb, which is less than the code's length. */
export type Target = { readonly pc: number } | { readonly limb: Limb };

/** Generates transfers to other blocks. */
export interface Jumps {
	/** @param nested WebAssembly blocks opened since the start of this block */
	jump(target: Target, nested: number): void;
	/** Falls through to the next block. */
	fall(): void;
}

/** Facts shared by all blocks of a program. */
export interface CodeFacts {
	readonly instructions: Uint8Array;
	readonly codeLength: number;
	readonly kindOf: (op: number) => Kind;
	readonly fixed: FixedCosts;
	/** Dynamic energy factor, in ten-thousandths. */
	readonly factor: number;
	readonly isDestination: (target: number) => boolean;
}

export class BlockWriter {
	private readonly code: WasmWriter;
	private readonly stack: WordStack;

	constructor(
		private readonly limbs: LimbWriter,
		private readonly facts: CodeFacts,
		private readonly block: BasicBlock,
	) {
		this.code = limbs.code;
		this.stack = new WordStack(limbs, Local.LOW, block.needs);
	}

	write(jumps: Jumps): void {
		const { operations, end, next } = this.block;
		this.enter();
		const ends = end === "falls" || end === "missing" ? 0 : 1;
		for (const operation of operations.slice(0, operations.length - ends)) {
			this.operation(operation);
			this.limbs.settle();
		}
		const last = operations.at(-1) as BlockOperation;
		if (end === "jump") this.jump(last, jumps);
		else if (end === "jumpi") this.jumpIf(last, jumps);
		else {
			this.finish();
			if (end === "falls") jumps.fall();
			else if (end === "operation") this.leave(Exit.OPERATION, last.pc);
			else this.leave(Exit.INTERPRET, next);
		}
		this.stack.pop(this.stack.height);
		this.limbs.settle();
	}

	/** Checks the stack height and energy for the whole block, and charges it. */
	private enter(): void {
		const { code, block } = this;
		code
			.get(Local.TOP)
			.i32(STACK_WORD * block.needs)
			.op(Op.I32_SUB)
			.tee(Local.LOW);
		code.get(Local.STACK).op(Op.I32_SUB);
		const spare = spareHeight(block);
		if (spare < 0) code.i32(1).op(Op.I32_OR);
		// One comparison checks both bounds: a negative height becomes a huge unsigned one.
		else code.i32(STACK_WORD * spare).op(Op.I32_GT_U);
		code.when();
		this.leave(Exit.INTERPRET, block.pc, () => code.get(Local.TOP));
		code.end();
		if (block.cost > 0) {
			code.get(Local.LEFT).i64(BigInt(block.cost)).op(Op.I64_LT_S).when();
			this.leave(Exit.ENERGY, block.pc, () => code.get(Local.TOP));
			code.end();
		}
		this.charge(block.cost, block.penalty);
	}

	/** Charges energy; refunds it if negative. */
	private charge(cost: number, penalty: number): void {
		const { code } = this;
		if (cost !== 0) code.get(Local.LEFT).i64(BigInt(-cost)).op(Op.I64_ADD).set(Local.LEFT);
		if (penalty === 0) return;
		code.i32(0).i32(0).access(Op.I64_LOAD, Head.PENALTY);
		code.i64(BigInt(penalty)).op(Op.I64_ADD).access(Op.I64_STORE, Head.PENALTY);
	}

	/** Returns to the driver; the stack must have been written. */
	private leave(exit: number, pc: number, pushTop = (): void => this.pushTop()): void {
		const { code } = this;
		code.i32(0).i32(exit).access(Op.I32_STORE, Head.EXIT);
		code.i32(0).i32(pc).access(Op.I32_STORE, Head.PC);
		code.i32(0);
		pushTop();
		code.access(Op.I32_STORE, Head.TOP);
		this.saveLeft();
		code.i32(-1).op(Op.RETURN);
	}

	private saveLeft(): void {
		this.code.i32(0).get(Local.LEFT).access(Op.I64_STORE, Head.LEFT);
	}

	private loadLeft(): void {
		this.code.i32(0).access(Op.I64_LOAD, Head.LEFT).set(Local.LEFT);
	}

	private pushTop(): void {
		this.code
			.get(Local.LOW)
			.i32(STACK_WORD * this.stack.height)
			.op(Op.I32_ADD);
	}

	/** Leaves to the interpreter at this operation, refunding what was charged for it and the rest of the block. */
	private interpret({ pc, op, costAfter, penaltyAfter }: BlockOperation): void {
		const { fixed } = this.facts;
		this.stack.writeAside();
		this.charge(-costAfter - fixed.cost(op), -penaltyAfter - fixed.penalty(op));
		this.leave(Exit.INTERPRET, pc);
	}

	/** Ends the block: writes its words to the frame's stack. */
	private finish(): void {
		this.stack.write();
		if (this.stack.height === this.block.needs) return;
		this.pushTop();
		this.code.set(Local.TOP);
	}

	private jump(operation: BlockOperation, jumps: Jumps): void {
		const target = this.targetOf();
		const word = this.stack.peek(0);
		retain(word);
		if (!("pc" in target)) this.checkTarget(word, operation);
		this.stack.pop(1);
		this.finish();
		jumps.jump(target, 0);
		this.limbs.release(word);
	}

	private jumpIf(operation: BlockOperation, jumps: Jumps): void {
		const { code, limbs, stack } = this;
		const target = this.targetOf();
		const isKnown = "pc" in target;
		const [word, condition] = stack.top(2) as [Limbs, Limbs];
		const any = limbs.any(condition);
		// If the jump itself fails, the interpreter needs its operands on the stack.
		if (!isKnown) stack.write(2);
		retain(word);
		retain(condition);
		stack.pop(2);
		this.finish();
		limbs.push(any);
		code.i64(0n).op(Op.I64_NE).when();
		if (!isKnown) {
			stack.height += 2;
			this.checkTarget(word, operation);
			stack.height -= 2;
		}
		jumps.jump(target, 1);
		code.end();
		limbs.release(word);
		limbs.release(condition);
		jumps.fall();
	}

	/** The target of the jump on the stack. A known invalid target fails its check at run time. */
	private targetOf(): Target {
		const word = this.stack.peek(0);
		const value = knownWord(word);
		if (value !== undefined && value < this.facts.codeLength && this.facts.isDestination(Number(value))) {
			return { pc: Number(value) };
		}
		return { limb: word[0] };
	}

	/** Leaves jumps past the end of the code to the interpreter. */
	private checkTarget(word: Limbs, operation: BlockOperation): void {
		const { code } = this;
		this.limbs.push(word[0]);
		code.i64(BigInt(this.facts.codeLength)).op(Op.I64_GE_U);
		this.orLong(word);
		code.when();
		this.interpret(operation);
		code.end();
	}

	/** Adds a check to the condition on the stack: a word has more than one limb. */
	private orLong(word: Limbs): void {
		if (isShort(word)) return;
		this.limbs.push(this.limbs.any(word.slice(1)));
		this.code.i64(0n).op(Op.I64_NE, Op.I32_OR);
	}

	private operation(operation: BlockOperation): void {
		const { stack } = this;
		const { pc, op, row } = operation;
		switch (this.facts.kindOf(op)) {
			case Kind.PUSH1:
			case Kind.PUSH_SHORT:
			case Kind.PUSH_LONG:
				stack.push(constantWord(this.operandOf(pc, op)));
				return;
			case Kind.DUP:
				stack.push(stack.peek(row.takes - 1));
				return;
			case Kind.SWAP:
				stack.swap(row.takes - 1);
				return;
			case Kind.POP:
				stack.pop(1);
				return;
			case Kind.JUMPDEST:
				return;
			case Kind.PC:
				stack.push(constantWord(BigInt(pc)));
				return;
			case Kind.MLOAD:
				this.load(operation);
				return;
			case Kind.MSTORE:
				this.storeWord(operation);
				return;
			default: {
				const calculation = calculationOf(row.name);
				if (row.name === "SHA3") this.hash(operation);
				else if (row.name === "CALLDATALOAD") this.loadInput(operation);
				else if (row.name in SIZES) this.size(SIZES[row.name] as number);
				else if (row.name in WORDS) this.placeWord(WORDS[row.name] as number);
				else if (!calculation) this.operate(operation);
				else stack.replace(row.takes, calculation(this.limbs, stack.top(row.takes)));
			}
		}
	}

	private operandOf(pc: number, op: number): bigint {
		const digits = Buffer.from(this.facts.instructions.subarray(pc + 1, pc + 1 + op - PUSH1 + 1)).toString(
			"hex",
		);
		return digits === "" ? 0n : BigInt(`0x${digits}`);
	}

	/** Calls the driver for an operation that doesn't end the block. */
	private operate({ pc, row, costAfter, penaltyAfter }: BlockOperation): void {
		const { code, stack } = this;
		stack.write(row.takes);
		this.saveLeft();
		code.i32(pc);
		this.pushTop();
		code.i32(costAfter).i32(penaltyAfter).call(OPERATE);
		this.loadLeft();
		stack.pop(row.takes);
		stack.pushWritten(row.gives);
		code.op(Op.I32_EQZ).when();
		stack.writeAside();
		this.charge(-costAfter, -penaltyAfter);
		this.leave(Exit.INTERPRET, pc + 1);
		code.end();
	}

	/**
	 * Hashes memory in use, unless slot guesses are being learned from hashes; then, or if energy is short, the
	 * driver does it.
	 */
	private hash(operation: BlockOperation): void {
		const { code, limbs, stack } = this;
		const [offset, size] = stack.top(2) as [Limbs, Limbs];
		code.block().block();
		for (const word of [offset, size]) {
			limbs.push(word[0]);
			code.i64(MAX_HASHED).op(Op.I64_GT_U);
			this.orLong(word);
			code.brIf(0);
		}
		limbs.push(offset[0]);
		limbs.push(size[0]);
		code.op(Op.I64_ADD).i32(0).access(Op.I64_LOAD32_U, Head.SIZE).op(Op.I64_GT_U).brIf(0);
		code.i32(0).access(Op.I32_LOAD, Head.HASHES).op(Op.I32_EQZ).brIf(0);
		limbs.push(size[0]);
		code.i64(31n).op(Op.I64_ADD).i64(5n).op(Op.I64_SHR_U).i64(6n).op(Op.I64_MUL).i64(30n).op(Op.I64_ADD);
		this.chargeCalculated(0);
		code.i32(0).access(Op.I32_LOAD, Head.MEMORY);
		limbs.push(offset[0]);
		code.op(Op.I32_WRAP_I64, Op.I32_ADD);
		limbs.push(size[0]);
		code.op(Op.I32_WRAP_I64);
		code
			.get(Local.LOW)
			.i32(STACK_WORD * (stack.height - 2))
			.op(Op.I32_ADD)
			.call(KECCAK);
		code.br(1).end();
		this.operate(operation);
		code.end();
	}

	/** Charges the energy on WebAssembly's stack plus penalty. @param otherwise label to branch to if there is too little */
	private chargeCalculated(otherwise: number): void {
		const { code, limbs } = this;
		const { factor } = this.facts;
		const cost = limbs.take();
		const total = factor > NO_FACTOR ? this.penalized(cost) : cost;
		code.get(Local.LEFT);
		limbs.push(total);
		code.op(Op.I64_LT_S).brIf(otherwise).get(Local.LEFT);
		limbs.push(total);
		code.op(Op.I64_SUB).set(Local.LEFT);
		if (total === cost) return;
		code.i32(0).i32(0).access(Op.I64_LOAD, Head.PENALTY);
		limbs.push(total);
		code.op(Op.I64_ADD);
		limbs.push(cost);
		code.op(Op.I64_SUB).access(Op.I64_STORE, Head.PENALTY);
	}

	/** A cost including its penalty. */
	private penalized(cost: Limb): Limb {
		this.limbs.push(cost);
		this.code.i64(BigInt(this.facts.factor)).op(Op.I64_MUL).i64(BigInt(NO_FACTOR)).op(Op.I64_DIV_U);
		return this.limbs.take();
	}

	/** Address of a word of memory, expanding the memory if necessary. */
	private access(operation: BlockOperation, offset: Limbs): void {
		const { code, limbs } = this;
		limbs.push(offset[0]);
		code.i32(0).access(Op.I64_LOAD32_U, Head.ROOM).op(Op.I64_GE_U);
		this.orLong(offset);
		code.when();
		this.saveLeft();
		this.pushOffset(offset);
		code.i32(operation.costAfter).call(EXPAND);
		this.loadLeft();
		code.op(Op.I32_EQZ).when();
		this.interpret(operation);
		code.end().end();
		limbs.push(offset[0]);
		code.op(Op.I32_WRAP_I64).i32(0).access(Op.I32_LOAD, Head.MEMORY).op(Op.I32_ADD).set(Local.ADDRESS);
	}

	/** An offset as 32 bits; -1 for larger ones. */
	private pushOffset(offset: Limbs): void {
		const { code, limbs } = this;
		limbs.push(offset[0]);
		code.op(Op.I32_WRAP_I64).i32(-1);
		limbs.push(offset[0]);
		code.i64(0x7fff_ffffn).op(Op.I64_GT_U);
		this.orLong(offset);
		code.op(Op.I32_EQZ, Op.SELECT);
	}

	private size(field: number): void {
		this.code.i32(0).access(Op.I64_LOAD32_U, field);
		this.stack.push(shortWord(this.limbs.take()));
	}

	private placeWord(offset: number): void {
		const { code, limbs } = this;
		const word = [0, 8, 16, 24].map((at) => {
			code.get(Local.STACK).access(Op.I64_LOAD, offset + at);
			return limbs.take();
		});
		this.stack.push(word as unknown as Limbs);
	}

	/** Loads a word of input if the program can read it there; otherwise, or past its end, leaves it to the driver. */
	private loadInput(operation: BlockOperation): void {
		const { code, limbs, stack } = this;
		const offset = stack.peek(0);
		code.block().block();
		limbs.push(offset[0]);
		code.i32(0).access(Op.I64_LOAD32_U, Head.SEEN).op(Op.I64_GE_U);
		this.orLong(offset);
		code.brIf(0);
		code.get(Local.STACK);
		limbs.push(offset[0]);
		code.op(Op.I32_WRAP_I64, Op.I32_ADD).set(Local.ADDRESS);
		const [third, fourth] = this.loadHalf(INPUT_OFFSET);
		const [first, second] = this.loadHalf(INPUT_OFFSET + 16);
		[first, second, third, fourth].forEach((limb, i) => {
			code.get(Local.LOW);
			limbs.push(limb);
			code.access(Op.I64_STORE, STACK_WORD * (stack.height - 1) + 8 * i);
		});
		code.br(1).end();
		this.operate(operation);
		code.end();
	}

	private load(operation: BlockOperation): void {
		const { stack } = this;
		this.access(operation, stack.peek(0));
		const [third, fourth] = this.loadHalf(0);
		const [first, second] = this.loadHalf(16);
		stack.replace(1, [first, second, third, fourth]);
	}

	/** Loads 16 bytes of memory as two limbs, lower one first. */
	private loadHalf(offset: number): [Limb, Limb] {
		const { code, limbs } = this;
		code.get(Local.ADDRESS).simdAccess(Simd.LOAD, offset).tee(Local.VECTOR).get(Local.VECTOR);
		code
			.simd(Simd.SHUFFLE, ...REVERSED)
			.tee(Local.VECTOR)
			.simd(Simd.EXTRACT_I64, 0);
		const low = limbs.take();
		code.get(Local.VECTOR).simd(Simd.EXTRACT_I64, 1);
		return [low, limbs.take()];
	}

	private storeWord(operation: BlockOperation): void {
		const { stack } = this;
		const [offset, word] = stack.top(2) as [Limbs, Limbs];
		this.access(operation, offset);
		this.storeHalf(0, word[2], word[3]);
		this.storeHalf(16, word[0], word[1]);
		stack.pop(2);
	}

	private storeHalf(offset: number, low: Limb, high: Limb): void {
		const { code, limbs } = this;
		if (low.value !== undefined && high.value !== undefined) {
			code.get(Local.ADDRESS).i64(swapped(high.value)).access(Op.I64_STORE, offset);
			code
				.get(Local.ADDRESS)
				.i64(swapped(low.value))
				.access(Op.I64_STORE, offset + 8);
			return;
		}
		code.get(Local.ADDRESS);
		limbs.push(low);
		code.simd(Simd.SPLAT_I64);
		limbs.push(high);
		code
			.simd(Simd.REPLACE_I64, 1)
			.tee(Local.VECTOR)
			.get(Local.VECTOR)
			.simd(Simd.SHUFFLE, ...REVERSED);
		code.simdAccess(Simd.STORE, offset);
	}
}

/** A limb with its bytes swapped to memory order. */
function swapped(limb: bigint): bigint {
	const bytes = Buffer.alloc(8);
	bytes.writeBigUInt64BE(limb);
	return bytes.readBigUInt64LE();
}
