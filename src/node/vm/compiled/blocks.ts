/**
 * Splits code into basic blocks, entered only at the first operation and left only at the last. A block's
 * minimum cost and its stack requirement are sums over its operations.
 */

import { type Instruction, STACK_LIMIT } from "../instruction.js";
import type { InstructionTable } from "../instruction-table.js";
import { JUMPDEST, type Program, PUSH1, PUSH32 } from "../program.js";

/** Maximum operations per block, to keep its sums small and its function quick to compile. */
const LONGEST = 128;

/** How a block ends. */
type BlockEnd =
	/** With a jump. */
	| "jump"
	| "jumpi"
	/** With an operation that the driver runs, since it may end the frame or open another one. */
	| "operation"
	/** Before an undefined operation, which the interpreter fails. */
	| "missing"
	/** Falls through to the next block. */
	| "falls";

export interface BlockOperation {
	readonly pc: number;
	readonly op: number;
	readonly row: Instruction;
	/** Fixed costs and penalties of the operations after it in the block. */
	costAfter: number;
	penaltyAfter: number;
}

export interface BasicBlock {
	readonly pc: number;
	/** Start of the next block. */
	readonly next: number;
	readonly isDestination: boolean;
	readonly operations: readonly BlockOperation[];
	readonly end: BlockEnd;
	/** Fixed costs including penalties, and the penalties alone. */
	readonly cost: number;
	readonly penalty: number;
	/** Words required on the stack, and the maximum growth above that. */
	readonly needs: number;
	readonly grows: number;
}

/** The fixed part of operations' costs; for memory operations it includes the access fee. */
export interface FixedCosts {
	readonly cost: (op: number) => number;
	readonly penalty: (op: number) => number;
}

/** Whether an operation ends its block, because the frame may be waiting or ended afterwards. */
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

/** Position of the next operation. */
const after = (pc: number, op: number): number => pc + (op >= PUSH1 && op <= PUSH32 ? op - PUSH1 + 1 : 0) + 1;

/** All reachable blocks of a program: after an unconditional end, only a jump destination starts a new one. */
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

/** How far the stack may exceed the block's requirement at its start; negative: the block always overflows. */
export const spareHeight = ({ needs, grows }: BasicBlock): number => STACK_LIMIT - grows - needs;
