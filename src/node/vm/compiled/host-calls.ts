/** Functions that compiled programs call in the machine. The running frame is kept here. */

import { penaltyOf } from "../dynamic-energy.js";
import type { Frame } from "../frame.js";
import type { InstructionTable } from "../instruction-table.js";
import { writeLog } from "../instructions/data.js";
import { charge, Kind } from "../interpreter.js";
import { expansionCost } from "../memory.js";
import { timeoutAt } from "../vm-error.js";
import type { Word } from "../word.js";
import {
	Head,
	headField,
	longField,
	PLACE_MEMORY,
	readStackWord,
	STACK_WORD,
	setLongField,
	setMemory,
	stackWordBytes,
	writeStackWord,
} from "./arena.js";

/** A frame and the parameters its compiled program runs with. */
export interface RunningFrame {
	readonly frame: Frame;
	readonly table: InstructionTable;
	readonly memoryFee: number;
	/** Whether the program may hash itself: no slot guesses are being learned. */
	readonly hashes: boolean;
	/** Energy between two returns to the driver. */
	readonly slice: number;
	/** The frame's energy beyond the program's current slice. */
	aside: number;
}

const LOG0 = 0xa0;
const LOG4 = 0xa4;

let running: RunningFrame | undefined;

/** Sets the running frame. @returns the previous one */
export function setRunning(next: RunningFrame | undefined): RunningFrame | undefined {
	const before = running;
	running = next;
	return before;
}

/** Gives the program its next slice of the frame's energy. */
export function giveSlice(run: RunningFrame): void {
	const { left } = run.frame;
	const given = Math.min(left, run.slice);
	run.aside = left - given;
	setLongField(Head.LEFT, given);
}

/**
 * Writes back what is left of the program's slice. Doesn't grant a new one: that happens only with a clock
 * check. Energy charged in advance for later operations isn't part of the frame's, and may exceed it.
 */
function giveBack(run: RunningFrame, charged: number): void {
	const left = run.frame.left - charged;
	run.aside = Math.min(run.aside, left);
	setLongField(Head.LEFT, left - run.aside);
}

/** Updates the frame with the program's energy and memory. */
export function syncFrame(run: RunningFrame, charged = 0): void {
	run.frame.memory.expand(headField(Head.SIZE));
	run.frame.left = longField(Head.LEFT) + run.aside + charged;
}

/** Moves operands to the bottom of the frame's own stack, where operations expect them. */
export function takeOperands(frame: Frame, top: number, count: number): void {
	const { stack } = frame;
	for (let i = 0; i < count; i++) stack[i] = readStackWord(top - STACK_WORD * (count - i));
	frame.sp = count;
}

/** Moves an operation's results to the program's stack. @param at the address for the first word */
export function giveResults(frame: Frame, at: number): void {
	for (let i = 0; i < frame.sp; i++) writeStackWord(at + STACK_WORD * i, frame.stack[i] as Word);
	frame.sp = 0;
}

/**
 * Runs an operation that doesn't end the frame's block.
 * @param top address past its operands
 * @param charged energy already charged for later operations; `chargedPenalty` is the penalty in it
 * @returns 1; 0 if the interpreter must take over
 */
export function operate(pc: number, top: number, charged: number, chargedPenalty: number): number {
	const run = running as RunningFrame;
	const { frame, table } = run;
	const op = frame.context.program.instructions[pc] as number;
	syncFrame(run, charged);
	frame.penalty = longField(Head.PENALTY) - chargedPenalty;
	frame.pc = pc;
	const takes = ((table.heads[op] as number) >> 8) & 0xff;
	if (op >= LOG0 && op <= LOG4) performLog(frame, table, op, top);
	else {
		takeOperands(frame, top, takes);
		perform(frame, table, op);
		giveResults(frame, top - STACK_WORD * takes);
	}
	setMemory(frame.memory.size);
	setLongField(Head.PENALTY, frame.penalty + chargedPenalty);
	giveBack(run, charged);
	return run.aside < 0 || frame.memory.place === undefined ? 0 : 1;
}

/** PERF: handles topics as bytes, without converting them to words. */
function performLog(frame: Frame, table: InstructionTable, op: number, top: number): void {
	checkTime(frame, table, op);
	takeOperands(frame, top, 2);
	charge(frame, table, op);
	frame.sp = 0;
	const topics: Uint8Array[] = [];
	for (let i = 0; i < op - LOG0; i++) topics.push(stackWordBytes(top - STACK_WORD * (3 + i)));
	writeLog(frame, frame.stack[1] as Word, frame.stack[0] as Word, topics);
}

function checkTime({ machine }: Frame, table: InstructionTable, op: number): void {
	const { deadlineMs } = machine.options;
	if (deadlineMs !== Number.POSITIVE_INFINITY && performance.now() > deadlineMs)
		throw timeoutAt(table.rows[op]?.name ?? "");
}

/** Runs an operation whose fixed cost is paid, with its operands at the bottom of the frame's stack. */
export function perform(frame: Frame, table: InstructionTable, op: number): void {
	const { stack } = frame;
	switch (((table.heads[op] as number) & 0xff) as Kind) {
		case Kind.NULLARY:
			stack[0] = (table.nullary[op] as (frame: Frame) => Word)(frame);
			frame.sp = 1;
			return;
		case Kind.QUERY:
			stack[0] = (table.query[op] as (frame: Frame, a: Word) => Word)(frame, stack[0] as Word);
			return;
		case Kind.UNARY:
			stack[0] = (table.unary[op] as (a: Word) => Word)(stack[0] as Word);
			return;
		case Kind.BINARY:
			stack[0] = (table.binary[op] as (a: Word, b: Word) => Word)(stack[1] as Word, stack[0] as Word);
			frame.sp = 1;
			return;
		case Kind.TERNARY:
			stack[0] = (table.ternary[op] as (a: Word, b: Word, c: Word) => Word)(
				stack[2] as Word,
				stack[1] as Word,
				stack[0] as Word,
			);
			frame.sp = 1;
			return;
		default:
			checkTime(frame, table, op);
			if (((table.heads[op] as number) & 0xff) === Kind.COSTED) charge(frame, table, op);
			(table.effects[op] as (frame: Frame) => void)(frame);
	}
}

/**
 * Expands memory to a word and charges what its fixed cost doesn't cover.
 * @param offset -1: beyond 31 bits
 * @returns 1; 0 if the interpreter must decide, with nothing changed
 */
export function widen(offset: number, charged: number): number {
	const run = running as RunningFrame;
	const { frame, memoryFee } = run;
	const end = offset + STACK_WORD;
	if (offset < 0 || end > PLACE_MEMORY) return 0;
	syncFrame(run, charged);
	const cost = expansionCost(frame.memory.size, end);
	const { factor } = frame;
	const penalty = penaltyOf(cost + memoryFee, factor) - penaltyOf(memoryFee, factor);
	if (frame.left - charged < cost + penalty) return 0;
	frame.left -= cost + penalty;
	giveBack(run, charged);
	setLongField(Head.PENALTY, longField(Head.PENALTY) + penalty);
	frame.memory.expand(end);
	setMemory(frame.memory.size);
	return 1;
}
