/**
 * Code cut into basic blocks: runs of operations that are entered at their first one and left at their last one. What a
 * block costs at least and what it needs of the stack are sums over its operations.
 */

import { type Instruction, STACK_LIMIT } from "../instruction.js";
import type { InstructionTable } from "../instruction-table.js";
import { JUMPDEST, type Program, PUSH1, PUSH32 } from "../program.js";

/** Operations of a block at the most, so that its sums stay small and its function can be compiled in little time. */
const LONGEST = 128;

/** How a block ends. */
type BlockEnd =
	/** With a jump of its own. */
	| "jump"
	| "jumpi"
	/** With an operation that the driver runs: it may end the frame or open another one. */
	| "operation"
	/** Before an operation that no rule brings: the interpreter says how that fails. */
	| "missing"
	/** Before the next block. */
	| "falls";

export interface BlockOperation {
	readonly pc: number;
	readonly op: number;
	readonly row: Instruction;
	/** Of the operations behind it in the block: fixed costs and their penalties. */
	costAfter: number;
	penaltyAfter: number;
}

export interface BasicBlock {
	readonly pc: number;
	/** Where the next one begins. */
	readonly next: number;
	readonly isDestination: boolean;
	readonly operations: readonly BlockOperation[];
	readonly end: BlockEnd;
	/** Fixed costs with penalties, and the penalties alone. */
	readonly cost: number;
	readonly penalty: number;
	/** Words that must be on the stack, and how many more it has at the highest. */
	readonly needs: number;
	readonly grows: number;
}

/** What costs an operation always has; those of memory operations count the fee that every access has. */
export interface FixedCosts {
	readonly cost: (op: number) => number;
	readonly penalty: (op: number) => number;
}

/** Whether the driver runs an operation, because afterwards the frame may wait or have ended. */
function endsBlock({ action, isCall, name }: Instruction): boolean {
	return isCall === true || (action.kind === "effect" && INTERRUPTING.has(name));
}

const INTERRUPTING: ReadonlySet<string> = new Set([
	"STOP",
	"RETURN",
	"REVERT",
	"SUICIDE",
	"CREATE",
	"CREATE2",
]);

/** The operation behind this one. */
const after = (pc: number, op: number): number => pc + (op >= PUSH1 && op <= PUSH32 ? op - PUSH1 + 1 : 0) + 1;

/** All blocks of a program that can be reached: behind an unconditional end only a destination begins one. */
export function* basicBlocks(
	program: Program,
	table: InstructionTable,
	fixed: FixedCosts,
): Generator<BasicBlock> {
	const { code, instructions } = program;
	let pc = 0;
	let isReached = true;
	while (pc < code.length || (pc < instructions.length && isReached)) {
		const op = instructions[pc] as number;
		if (!isReached && op !== JUMPDEST) {
			pc = after(pc, op);
			continue;
		}
		const block = blockAt(instructions, pc, table, fixed);
		yield block;
		pc = block.next;
		const last = block.operations.at(-1)?.row;
		isReached =
			block.end === "jumpi" ||
			block.end === "falls" ||
			(block.end === "operation" && last !== undefined && last.gives > 0);
		if (block.end === "missing") pc++;
	}
}

function blockAt(
	instructions: Uint8Array,
	start: number,
	table: InstructionTable,
	fixed: FixedCosts,
): BasicBlock {
	const operations: BlockOperation[] = [];
	let [cost, penalty, needs, grows, height] = [0, 0, 0, 0, 0];
	let end: BlockEnd = "falls";
	let pc = start;
	while (end === "falls" && operations.length < LONGEST) {
		const op = instructions[pc] as number;
		if (op === JUMPDEST && pc !== start) break;
		const row = table.rows[op];
		if (!row) {
			end = "missing";
			break;
		}
		needs = Math.max(needs, row.takes - height);
		height += row.gives - row.takes;
		grows = Math.max(grows, height);
		cost += fixed.cost(op);
		penalty += fixed.penalty(op);
		operations.push({ pc, op, row, costAfter: cost, penaltyAfter: penalty });
		if (row.action.kind === "jump" || row.action.kind === "jumpi") end = row.action.kind;
		else if (endsBlock(row)) end = "operation";
		pc = after(pc, op);
	}
	for (const operation of operations) {
		operation.costAfter = cost - operation.costAfter;
		operation.penaltyAfter = penalty - operation.penaltyAfter;
	}
	const isDestination = instructions[start] === JUMPDEST;
	return { pc: start, next: pc, isDestination, operations, end, cost, penalty, needs, grows };
}

/** How much higher than its need a stack may be when a block begins; negative: the block overflows any. */
export const spareHeight = ({ needs, grows }: BasicBlock): number => STACK_LIMIT - grows - needs;
