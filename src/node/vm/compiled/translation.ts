/**
 * Translates a program into a WebAssembly module. Blocks that start in the same few hundred bytes of code, a page, form one
 * function: small enough to compile quickly, large enough for most loops. A function moves between its own blocks; for other
 * pages it returns the entry at which the module's loop calls the next function.
 */

import { I32, I64, V128 } from "../../../protocol/wasm-code.js";
import { penaltyOf } from "../dynamic-energy.js";
import type { InstructionTable } from "../instruction-table.js";
import { Kind } from "../interpreter.js";
import { isDestination, JUMPDEST, type Program } from "../program.js";
import { ARENA_PAGES, Head } from "./arena.js";
import { BlockWriter, type CodeFacts, type Jumps, Local, type Target } from "./block-writer.js";
import { type BasicBlock, basicBlocks, type FixedCosts } from "./blocks.js";
import { Exit, IMPORTS } from "./imports.js";
import { LimbWriter } from "./limbs.js";
import {
	type FunctionCode,
	type FunctionType,
	MAX_MODULE_BYTES,
	Op,
	typesOf,
	WasmWriter,
	writeModule,
} from "./wasm-writer.js";

const PAGE_BITS = 8;
const PAGE = 1 << PAGE_BITS;

/** Blocks written per step of a translation: well below a millisecond of work. */
const STEP_BLOCKS = 4;

/** Takes an entry; returns the next one, or a negative number to leave the program. */
const PAGE_FUNCTION: FunctionType = { takes: [I32], gives: [I32] };
const RUN: FunctionType = { takes: [I32], gives: [] };

/** Name of the program's export. */
export const RUN_NAME = "run";

/**
 * Encodes an entry to a block: its page, whether only fallthrough and the driver may enter there (a jump
 * needs a destination), and its offset in the page.
 */
export function pageEntry(pc: number, isJumpTarget: boolean): number {
	return ((pc >> PAGE_BITS) << (PAGE_BITS + 1)) | (isJumpTarget ? 0 : PAGE) | (pc & (PAGE - 1));
}

/** What a translation depends on. */
export interface Rules {
	readonly table: InstructionTable;
	readonly factor: number;
	/** Energy fee of each memory access. */
	readonly memoryFee: number;
}

/** Fixed costs of operations, including the memory access fee. */
function fixedCosts({ table, factor, memoryFee }: Rules): FixedCosts {
	const feePenalty = penaltyOf(memoryFee, factor);
	const isAccess = (op: number): boolean => {
		const kind = (table.heads[op] as number) & 0xff;
		return kind === Kind.MLOAD || kind === Kind.MSTORE;
	};
	return {
		cost: (op) => (table.costs[op] as number) + (isAccess(op) ? memoryFee + feePenalty : 0),
		penalty: (op) => (table.penalties[op] as number) + (isAccess(op) ? feePenalty : 0),
	};
}

/** Maximum module bytes per byte of code; ordinary contracts take about 40. */
const GROWTH = 128;
const MIN_MODULE_BYTES = 1 << 16;

/** A translation in steps, so that it can be spread over time. */
export class Translation {
	private readonly blocks: Generator<BasicBlock>;
	private readonly facts: CodeFacts;
	private readonly pages: FunctionCode[] = [];
	private page: PageWriter | undefined;
	/** The first block of the next page. */
	private ahead: BasicBlock | undefined;
	private isDone = false;

	/** Size of the finished pages. */
	private bytes = 0;

	constructor(
		private readonly program: Program,
		rules: Rules,
	) {
		const { table, factor } = rules;
		const fixed = fixedCosts(rules);
		this.blocks = basicBlocks(program, table, fixed);
		this.facts = {
			instructions: program.instructions,
			codeLength: program.code.length,
			kindOf: (op) => (table.heads[op] as number) & 0xff,
			fixed,
			factor,
			isDestination: (target) => isDestination(program, target),
		};
	}

	/**
	 * Whether the module has grown too large to be worth it. Each exit of a block writes the words it holds,
	 * so adversarial code could grow a thousandfold.
	 */
	get isTooLarge(): boolean {
		const limit = Math.min(Math.max(GROWTH * this.program.code.length, MIN_MODULE_BYTES), MAX_MODULE_BYTES);
		return this.bytes + (this.page?.bytes ?? 0) > limit;
	}

	/** Translates a few more blocks. @returns whether there are more */
	step(): boolean {
		this.page ??= this.nextPage();
		if (this.page.step()) return !this.isTooLarge;
		this.bytes += this.page.bytes;
		this.pages.push(this.page.finish());
		this.page = undefined;
		return !this.isDone && !this.isTooLarge;
	}

	private nextPage(): PageWriter {
		const number = this.pages.length;
		const blocks: BasicBlock[] = [];
		for (;;) {
			const block = this.ahead ?? this.blocks.next().value;
			this.ahead = block;
			if (!block) this.isDone = true;
			if (!block || block.pc >> PAGE_BITS > number) break;
			blocks.push(block);
			this.ahead = undefined;
		}
		return new PageWriter(this.facts, number, blocks);
	}

	/** The module, once everything is translated. */
	finish(): Uint8Array {
		const { pages } = this;
		// Pages without blocks are needed too, since a jump may name any byte of the code.
		while (pages.length <= this.program.code.length >> PAGE_BITS) {
			pages.push(new PageWriter(this.facts, pages.length, []).finish());
		}
		const functions: FunctionCode[] = [...pages];
		functions.push({ type: RUN, locals: [], body: new WasmWriter(), name: RUN_NAME });
		const types = typesOf({ imports: IMPORTS, functions });
		const body = (functions.at(-1) as FunctionCode).body;
		body
			.loop()
			.get(0)
			.get(0)
			.i32(PAGE_BITS + 1)
			.op(Op.I32_SHR_U);
		body.op(Op.CALL_INDIRECT).unsigned(types.indexOf(PAGE_FUNCTION)).unsigned(0);
		body.tee(0).i32(0).op(Op.I32_GE_S).brIf(0).end().end();
		return writeModule({
			memoryPages: ARENA_PAGES,
			imports: IMPORTS,
			functions,
			table: pages.map((_, i) => IMPORTS.length + i),
		});
	}
}

/**
 * A page's function: a loop around nested blocks, so that a forward jump is one branch and a backward one restarts the loop.
 */
class PageWriter {
	private readonly code = new WasmWriter();
	private readonly limbs = new LimbWriter(this.code, Local.FIRST_LIMB);
	/** Number of blocks written. */
	private written = 0;
	/** Block index by position in the code. */
	private readonly numbers: ReadonlyMap<number, number>;

	constructor(
		private readonly facts: CodeFacts,
		private readonly number: number,
		private readonly blocks: readonly BasicBlock[],
	) {
		this.numbers = new Map(blocks.map(({ pc }, i) => [pc, i]));
		this.begin();
	}

	get bytes(): number {
		return this.code.length;
	}

	/** Writes a few more blocks. @returns whether there are more */
	step(): boolean {
		const end = Math.min(this.blocks.length, this.written + STEP_BLOCKS);
		for (; this.written < end; this.written++) {
			this.code.end();
			this.block(this.blocks[this.written] as BasicBlock, this.written);
		}
		return end < this.blocks.length;
	}

	private begin(): void {
		const { code, blocks } = this;
		code.i32(0).access(Op.I32_LOAD, Head.TOP).set(Local.TOP);
		code.i32(0).access(Op.I32_LOAD, Head.STACK).set(Local.STACK);
		code.i32(0).access(Op.I64_LOAD, Head.LEFT).set(Local.LEFT);
		code.loop().block();
		for (const _ of blocks) code.block();
		code
			.get(Local.ENTRY)
			.i32(2 * PAGE - 1)
			.op(Op.I32_AND)
			.op(Op.BR_TABLE);
		const labels = this.labels();
		code.unsigned(labels.length);
		for (const label of labels) code.unsigned(label);
		code.unsigned(blocks.length);
	}

	/** The function, once all blocks are written. */
	finish(): FunctionCode {
		const { code } = this;
		code.end();
		this.badJump();
		code.end().i32(-1).end();
		return {
			type: PAGE_FUNCTION,
			locals: [
				[4, I32],
				[1, V128],
				[1 + this.limbs.locals, I64],
			],
			body: code,
		};
	}

	/** Branch labels by entry; entries without a block get the label after all blocks. */
	private labels(): number[] {
		const none = this.blocks.length;
		const labels: number[] = new Array(2 * PAGE).fill(none);
		this.blocks.forEach(({ pc, isDestination: isJumpTarget }, i) => {
			labels[pageEntry(pc, isJumpTarget) & (2 * PAGE - 1)] = i;
		});
		while (labels.at(-1) === none) labels.pop();
		return labels;
	}

	private block(block: BasicBlock, index: number): void {
		const { code, blocks } = this;
		const loops = this.jumpsToItself(block);
		if (loops) code.loop();
		const inside = loops ? 1 : 0;
		// Labels around a block's code: the later blocks, the bad jump, the page's loop.
		const around = blocks.length - 1 - index;
		const enter = (pc: number, isJumpTarget: boolean, nested: number): void => {
			const depth = nested + inside;
			const number = this.numbers.get(pc);
			if (number === index) code.br(nested);
			else if (number !== undefined && number > index) code.br(depth + number - index - 1);
			else if (number !== undefined) {
				code
					.i32(pageEntry(pc, isJumpTarget))
					.set(Local.ENTRY)
					.br(depth + around + 1);
			} else this.leavePage(() => code.i32(pageEntry(pc, isJumpTarget)));
		};
		const jumps: Jumps = {
			jump: (target, nested) => {
				if ("pc" in target) enter(target.pc, true, nested);
				else this.jumpAnywhere(target, nested + inside + around + 1);
			},
			fall: () => {
				const isNext = blocks[index + 1]?.pc === block.next;
				if (isNext && !loops) return;
				enter(block.next, this.facts.instructions[block.next] === JUMPDEST, 0);
			},
		};
		new BlockWriter(this.limbs, this.facts, block).write(jumps);
		if (loops) code.end();
	}

	/** Whether a block ends with a jump to its own start, judging by its last push. */
	private jumpsToItself({ pc, operations, end, isDestination: isJumpTarget }: BasicBlock): boolean {
		const before = operations.at(-2);
		if ((end !== "jump" && end !== "jumpi") || !isJumpTarget || !before) return false;
		const { instructions } = this.facts;
		let operand = 0;
		const last = operations.at(-1)?.pc as number;
		for (let at = before.pc + 1; at < last; at++) operand = operand * 256 + (instructions[at] as number);
		return before.row.action.kind === "push" && operand === pc;
	}

	/** @param toLoop the label of the page's loop */
	private jumpAnywhere({ limb }: Exclude<Target, { pc: number }>, toLoop: number): void {
		const { code } = this;
		this.limbs.push(limb);
		code.op(Op.I32_WRAP_I64).tee(Local.ENTRY);
		// The same as pageEntry for destinations.
		code.get(Local.ENTRY).i32(-PAGE).op(Op.I32_AND, Op.I32_ADD).tee(Local.ENTRY);
		code
			.i32(PAGE_BITS + 1)
			.op(Op.I32_SHR_U)
			.i32(this.number)
			.op(Op.I32_SUB, Op.I32_EQZ)
			.brIf(toLoop);
		this.leavePage(() => code.get(Local.ENTRY));
	}

	private leavePage(pushEntry: () => void): void {
		const { code } = this;
		code.i32(0).get(Local.TOP).access(Op.I32_STORE, Head.TOP);
		code.i32(0).get(Local.LEFT).access(Op.I64_STORE, Head.LEFT);
		pushEntry();
		code.op(Op.RETURN);
	}

	/** Leaves for a jump to a position in this page that isn't a destination. */
	private badJump(): void {
		const { code } = this;
		code.i32(0).i32(Exit.BAD_JUMP).access(Op.I32_STORE, Head.EXIT);
		code
			.i32(0)
			.get(Local.ENTRY)
			.i32(PAGE - 1)
			.op(Op.I32_AND)
			.i32(this.number << PAGE_BITS);
		code.op(Op.I32_OR).access(Op.I32_STORE, Head.PC);
		this.leavePage(() => code.i32(-1));
	}
}
