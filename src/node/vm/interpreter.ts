/** The interpreter loop, which runs a frame's code (protocol/machine §9.1). */

import { add, and, eq, lt, sub } from "./arithmetic.js";
import { NO_FACTOR, penaltyOf } from "./dynamic-energy.js";
import type { Frame } from "./frame.js";
import { type Instruction, STACK_LIMIT } from "./instruction.js";
import type { InstructionTable } from "./instruction-table.js";
import { expansionCost, MEMORY_LIMIT } from "./memory.js";
import { isDestination, readOperand } from "./program.js";
import {
	badJump,
	illegalOperation,
	outOfEnergy,
	outOfMemory,
	stackTooLarge,
	stackTooSmall,
	timeoutAt,
	type VmError,
} from "./vm-error.js";
import { MAX_SMALL, type Word } from "./word.js";

/** Energy spent between two checks of the clock: at most a few milliseconds, whatever the operations. */
export const ENERGY_BETWEEN_LOOKS = 20_000;

/** How the loop runs an operation. The enum must be in this file: only then does the switch compile to a single jump. */
export enum Kind {
	PUSH1 = 0,
	PUSH_SHORT = 1,
	PUSH_LONG = 2,
	DUP = 3,
	SWAP = 4,
	POP = 5,
	JUMP = 6,
	JUMPI = 7,
	JUMPDEST = 8,
	PC = 9,
	UNARY = 10,
	BINARY = 11,
	TERNARY = 12,
	NULLARY = 13,
	QUERY = 14,
	MLOAD = 15,
	MSTORE = 16,
	/** An effect with a fixed cost. */
	EFFECT = 17,
	/** An effect whose cost depends on its operands. */
	COSTED = 18,
	/** An effect that charges itself. */
	CALL = 19,
	/** Not an operation under these rules. */
	MISSING = 20,
	/** The most frequent operations, computed inline if both operands are small. */
	ADD = 21,
	SUB = 22,
	LT = 23,
	GT = 24,
	EQ = 25,
	ISZERO = 26,
	AND = 27,
}

/**
 * Runs a frame until it ends or opens another one.
 * @throws {VmError} how the frame fails
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one loop with one jump; a call for each case takes twice as long
export function run(frame: Frame): void {
	const { machine, stack, memory } = frame;
	const { instructions, destinations, operands } = frame.context.program;
	const penalized = frame.factor > NO_FACTOR;
	const table = penalized
		? machine.options.instructions.withFactor(frame.factor)
		: machine.options.instructions;
	const { heads, costs, penalties, unary, binary, ternary, nullary, query, effects } = table;
	const deadline = machine.options.deadlineMs;
	const timed = deadline !== Number.POSITIVE_INFINITY;
	const memoryFee = machine.gates.higherCpuLimit ? 1 : 0;
	let { pc, sp, left } = frame;
	// Below this energy the loop leaves its fast path: when energy runs out, and now and then to check the clock.
	let floor = timed ? Math.max(0, left - ENERGY_BETWEEN_LOOKS) : 0;
	frame.interrupted = false;

	for (;;) {
		const op = instructions[pc] as number;
		const head = heads[op] as number;
		// One comparison checks both bounds: a negative difference becomes a huge unsigned one.
		if ((sp - ((head >> 8) & 0xff)) >>> 0 > head >> 16) {
			frame.left = left;
			if (!traced(frame, table, op, pc, sp)) throw stackFault(table, op, sp);
		}
		const cost = costs[op] as number;
		left -= cost;
		if (left < floor) {
			if (left < 0) {
				frame.left = left + cost;
				if (!frame.spend(cost)) throw lackOfEnergy(frame, table, op, cost - (penalties[op] as number));
				left = frame.left;
			}
			if (timed) {
				floor = Math.max(0, left - ENERGY_BETWEEN_LOOKS);
				// An invalid operation must fail as such, not as a timeout.
				if (performance.now() > deadline && table.rows[op])
					throw timeoutAt((table.rows[op] as Instruction).name);
			}
		}
		if (penalized) frame.penalty += penalties[op] as number;

		switch ((head & 0xff) as Kind) {
			case Kind.PUSH1:
				stack[sp++] = instructions[pc + 1] as number;
				pc += 2;
				continue;
			case Kind.PUSH_SHORT: {
				let value = 0;
				const end = pc + op - 0x5f;
				while (pc < end) value = value * 256 + (instructions[++pc] as number);
				stack[sp++] = value;
				pc++;
				continue;
			}
			case Kind.PUSH_LONG:
				stack[sp++] = operands.get(pc) ?? readOperand(frame.context.program, pc);
				pc += op - 0x5e;
				continue;
			case Kind.DUP:
				stack[sp] = stack[sp - (op - 0x7f)] as Word;
				sp++;
				break;
			case Kind.SWAP: {
				const other = sp - (op - 0x8e);
				const top = stack[sp - 1] as Word;
				stack[sp - 1] = stack[other] as Word;
				stack[other] = top;
				break;
			}
			case Kind.POP:
				sp--;
				break;
			case Kind.JUMP: {
				const target = stack[--sp] as Word;
				if (
					typeof target !== "number" ||
					(destinations[target] !== 1 && !isDestination(frame.context.program, target))
				) {
					frame.left = left;
					throw badTarget(target);
				}
				pc = target;
				continue;
			}
			case Kind.JUMPI: {
				sp -= 2;
				if (stack[sp] === 0) break;
				const target = stack[sp + 1] as Word;
				if (
					typeof target !== "number" ||
					(destinations[target] !== 1 && !isDestination(frame.context.program, target))
				) {
					frame.left = left;
					throw badTarget(target);
				}
				pc = target;
				continue;
			}
			case Kind.JUMPDEST:
				break;
			case Kind.PC:
				stack[sp++] = pc;
				break;
			case Kind.ADD: {
				const a = stack[--sp] as Word;
				const b = stack[sp - 1] as Word;
				if (typeof a === "number" && typeof b === "number") {
					const sum = a + b;
					stack[sp - 1] = sum <= MAX_SMALL ? sum : add(a, b);
				} else stack[sp - 1] = add(a, b);
				break;
			}
			case Kind.SUB: {
				const a = stack[--sp] as Word;
				const b = stack[sp - 1] as Word;
				stack[sp - 1] = typeof a === "number" && typeof b === "number" && a >= b ? a - b : sub(a, b);
				break;
			}
			case Kind.LT: {
				const a = stack[--sp] as Word;
				const b = stack[sp - 1] as Word;
				stack[sp - 1] = typeof a === "number" && typeof b === "number" ? (a < b ? 1 : 0) : lt(a, b);
				break;
			}
			case Kind.GT: {
				const a = stack[--sp] as Word;
				const b = stack[sp - 1] as Word;
				stack[sp - 1] = typeof a === "number" && typeof b === "number" ? (a > b ? 1 : 0) : lt(b, a);
				break;
			}
			case Kind.EQ: {
				const a = stack[--sp] as Word;
				const b = stack[sp - 1] as Word;
				stack[sp - 1] = typeof a === "number" && typeof b === "number" ? (a === b ? 1 : 0) : eq(a, b);
				break;
			}
			case Kind.ISZERO:
				stack[sp - 1] = stack[sp - 1] === 0 ? 1 : 0;
				break;
			case Kind.AND: {
				const a = stack[--sp] as Word;
				const b = stack[sp - 1] as Word;
				// Holds for non-negative numbers below 2^31, which survive both `| 0` and `&`.
				stack[sp - 1] =
					typeof a === "number" && typeof b === "number" && (a | 0) === a && (b | 0) === b
						? a & b
						: and(a, b);
				break;
			}
			case Kind.UNARY:
				stack[sp - 1] = (unary[op] as (a: Word) => Word)(stack[sp - 1] as Word);
				break;
			case Kind.BINARY:
				sp--;
				stack[sp - 1] = (binary[op] as (a: Word, b: Word) => Word)(stack[sp] as Word, stack[sp - 1] as Word);
				break;
			case Kind.TERNARY:
				sp -= 2;
				stack[sp - 1] = (ternary[op] as (a: Word, b: Word, c: Word) => Word)(
					stack[sp + 1] as Word,
					stack[sp] as Word,
					stack[sp - 1] as Word,
				);
				break;
			case Kind.NULLARY:
				frame.left = left;
				stack[sp++] = (nullary[op] as (frame: Frame) => Word)(frame);
				break;
			case Kind.QUERY:
				frame.left = left;
				stack[sp - 1] = (query[op] as (frame: Frame, a: Word) => Word)(frame, stack[sp - 1] as Word);
				break;
			case Kind.MLOAD:
			case Kind.MSTORE: {
				const offset = stack[sp - 1] as Word;
				const end = typeof offset === "number" ? offset + 32 : Number.POSITIVE_INFINITY;
				let price = memoryFee;
				// Precompiles can grow memory beyond the limit, so being within the memory in use isn't enough.
				if (end > MEMORY_LIMIT) {
					frame.left = left;
					throw outOfMemory((table.rows[op] as Instruction).name);
				}
				if (end > memory.size) price += expansionCost(memory.size, end);
				const extra = penalized ? penaltyOf(price, frame.factor) : 0;
				left -= price + extra;
				if (left < 0) {
					frame.left = left + price + extra;
					if (!frame.spend(price + extra)) throw lackOfEnergy(frame, table, op, price, extra);
					left = frame.left;
					if (timed) floor = Math.max(0, left - ENERGY_BETWEEN_LOOKS);
				}
				frame.penalty += extra;
				memory.expand(end);
				if ((head & 0xff) === Kind.MLOAD) stack[sp - 1] = memory.loadWord(offset as number);
				else {
					sp -= 2;
					memory.storeWord(offset as number, stack[sp] as Word);
				}
				break;
			}
			case Kind.MISSING:
				frame.left = left;
				throw stackFault(table, op, sp);
			default:
				if (timed && performance.now() > deadline) throw timeoutAt((table.rows[op] as Instruction).name);
				frame.left = left;
				frame.sp = sp;
				frame.pc = pc;
				if ((head & 0xff) === Kind.COSTED) charge(frame, table, op);
				(effects[op] as (frame: Frame) => void)(frame);
				sp = frame.sp;
				left = frame.left;
				if (frame.interrupted) {
					frame.pc = pc + 1;
					return;
				}
				// A call may give back more energy than was left before; don't postpone the next clock check by that much.
				if (timed && left - floor > ENERGY_BETWEEN_LOOKS) floor = left - ENERGY_BETWEEN_LOOKS;
		}
		pc++;
	}
}

/** Charges an operation whose cost depends on its operands. */
export function charge(frame: Frame, table: InstructionTable, op: number): void {
	const row = table.rows[op] as Instruction;
	const cost = (table.rules[op] as (frame: Frame, name: string) => number)(frame, row.name);
	const extra = penaltyOf(cost, frame.factor);
	if (!frame.spend(cost + extra)) throw lackOfEnergy(frame, table, op, cost, extra);
	frame.penalty += extra;
}

/** Checks and charges a frame's first operation, then times out, as a transaction recorded as out of time must end. */
export function runOutOfTime(frame: Frame): never {
	const table = frame.machine.options.instructions.withFactor(frame.factor);
	const op = frame.context.program.instructions[0] as number;
	const row = table.rows[op];
	if (!row || frame.sp < row.takes) throw stackFault(table, op, frame.sp);
	const cost = table.costs[op] as number;
	const penalty = table.penalties[op] as number;
	if (!frame.spend(cost)) throw lackOfEnergy(frame, table, op, cost - penalty);
	frame.penalty += penalty;
	throw timeoutAt(row.name);
}

/** Name of the operation a frame ended with: the one at `pc` if it failed, otherwise the one before. */
export function lastOperation(frame: Frame): string {
	const op = frame.context.program.instructions[frame.failure ? frame.pc : frame.pc - 1] ?? 0;
	return frame.machine.options.instructions.rows[op]?.name ?? "STOP";
}

/** Notifies the observer of an operation; false if there is no observer, or on a real stack fault. */
function traced(frame: Frame, table: InstructionTable, op: number, pc: number, sp: number): boolean {
	const { observer } = frame.machine.options;
	const row = table.rows[op];
	if (!observer?.step || (row && (sp < row.takes || sp - row.takes + row.gives > STACK_LIMIT))) return false;
	observer.step(frame, row?.name ?? "INVALID", pc, sp);
	return true;
}

function stackFault(table: InstructionTable, op: number, height: number): VmError {
	const row = table.rows[op];
	if (!row) return illegalOperation(`Invalid operation code: opCode[${op.toString(16).padStart(2, "0")}];`);
	return height < row.takes ? stackTooSmall(row.takes, height) : stackTooLarge();
}

function lackOfEnergy(
	frame: Frame,
	table: InstructionTable,
	op: number,
	cost: number,
	penalty = penaltyOf(cost, frame.factor),
): VmError {
	const row = table.rows[op] as Instruction;
	const energy = { limit: frame.context.energy, cost, used: frame.used };
	return outOfEnergy(row.name, frame.factor > NO_FACTOR ? { ...energy, penalty } : energy);
}

export function badTarget(target: Word): VmError {
	return badJump(typeof target === "number" && target <= 0xffffffff ? target | 0 : -1);
}
