/**
 * Runs a frame's program, compiled if it is worth it.
 *
 * Takes a frame that begins, or resumes after a frame it opened, and leaves it as the interpreter would:
 * ended, failed, or with a frame opened. Energy, penalties, memory, the order of failures and their messages
 * match the interpreter, which takes over wherever a compiled program can't decide: a block without enough
 * energy or stack, an invalid jump, memory beyond the arena. Observed frames are interpreted too. Compiled
 * programs never touch state, time or other frames: the instruction table's functions do that.
 */

import { NO_FACTOR } from "../dynamic-energy.js";
import type { Frame } from "../frame.js";
import { badTarget, ENERGY_BETWEEN_LOOKS, run as interpret } from "../interpreter.js";
import { JUMPDEST } from "../program.js";
import { timeoutAt } from "../vm-error.js";
import {
	ADDRESS_OFFSET,
	CALL_VALUE_OFFSET,
	CALLER_OFFSET,
	Head,
	headField,
	longField,
	putAddress,
	putInput,
	readStackWord,
	STACK_WORD,
	setLongField,
	setMemory,
	setRules,
	setSizes,
	usePlace,
	writeStackWord,
} from "./arena.js";
import { type CompiledProgram, compiledFor } from "./compiler.js";
import {
	giveResults,
	giveSlice,
	perform,
	type RunningFrame,
	setRunning,
	syncFrame,
	takeOperands,
} from "./host-calls.js";
import { Exit } from "./imports.js";
import { pageEntry } from "./translation.js";

/** Energy between two returns to the driver without a time limit: the runtime swaps in better code only at a call. */
const LONG_SLICE = 1_000_000;

/** A frame that is running compiled code. */
export interface CompiledRun extends RunningFrame {
	readonly program: CompiledProgram;
	readonly place: number;
	/** Words on the program's stack, excluding results that an operation left on the frame's own stack. */
	height: number;
}

/**
 * Runs a frame until it ends or opens another one.
 * @throws {VmError} how the frame fails
 */
export function runProgram(frame: Frame): void {
	if (frame.compiled === "begins") frame.compiled = begin(frame);
	if (frame.compiled) runCompiled(frame, frame.compiled);
	else if (frame.context.program.keeper) interpretAndCount(frame);
	else interpret(frame);
}

function interpretAndCount(frame: Frame): void {
	const { program } = frame.context;
	const before = frame.left;
	interpret(frame);
	// Energy forwarded to calls isn't spent here, so cap it: a frame rarely spends more between two calls.
	program.heat += Math.max(0, Math.min(before - frame.left, LONG_SLICE));
}

/** The compiled program for a new frame, if there is one it can run. */
function begin(frame: Frame): CompiledRun | undefined {
	const { machine, context, memory, factor } = frame;
	const { place } = memory;
	if (machine.options.observer || place === undefined || memory.size > 0 || frame.sp > 0) return undefined;
	const { instructions, deadlineMs } = machine.options;
	const table = factor > NO_FACTOR ? instructions.withFactor(factor) : instructions;
	const memoryFee = machine.gates.higherCpuLimit ? 1 : 0;
	const program = compiledFor(context.program, { table, factor, memoryFee });
	if (!program) return undefined;
	putInput(place, context.input);
	putAddress(place + CALLER_OFFSET, context.caller, false);
	putAddress(place + ADDRESS_OFFSET, context.address, !machine.gates.multiSign);
	writeStackWord(place + CALL_VALUE_OFFSET, context.callValue);
	const slice = deadlineMs === Number.POSITIVE_INFINITY ? LONG_SLICE : ENERGY_BETWEEN_LOOKS;
	const hashes = machine.options.hashes === undefined;
	return { frame, table, memoryFee, hashes, slice, aside: 0, program, place, height: 0 };
}

function runCompiled(frame: Frame, run: CompiledRun): void {
	frame.interrupted = false;
	if (frame.memory.place === undefined) {
		goInterpreting(frame, run);
		return;
	}
	const before = setRunning(run);
	try {
		while (runSlice(frame, run));
	} finally {
		setRunning(before);
	}
	if (!frame.interrupted) goInterpreting(frame, run);
}

/** Runs one slice. @returns whether to continue; otherwise the frame is interrupted, or must be interpreted */
function runSlice(frame: Frame, run: CompiledRun): boolean {
	const { place } = run;
	const results = frame.sp;
	giveResults(frame, place + STACK_WORD * run.height);
	run.height += results;
	usePlace(place, run.height);
	setMemory(frame.memory.size);
	setSizes(frame.context.input.length, frame.returnData.length);
	setRules(frame.factor, run.memoryFee, run.hashes);
	setLongField(Head.PENALTY, frame.penalty);
	giveSlice(run);
	const { instructions } = frame.context.program;
	run.program.run(pageEntry(frame.pc, instructions[frame.pc] === JUMPDEST));
	syncFrame(run);
	frame.penalty = longField(Head.PENALTY);
	frame.pc = headField(Head.PC);
	run.height = (headField(Head.TOP) - place) / STACK_WORD;
	switch (headField(Head.EXIT)) {
		case Exit.OPERATION:
			return runOperation(frame, run);
		case Exit.ENERGY:
			return continues(frame, run);
		case Exit.BAD_JUMP:
			throw badTarget(frame.pc);
		default:
			return false;
	}
}

/** Checks the clock after a slice. @returns whether the frame has energy beyond it */
function continues(frame: Frame, run: CompiledRun): boolean {
	const { deadlineMs } = frame.machine.options;
	if (run.aside === 0) return false;
	const op = frame.context.program.instructions[frame.pc] as number;
	if (deadlineMs !== Number.POSITIVE_INFINITY && performance.now() > deadlineMs)
		throw timeoutAt(run.table.rows[op]?.name ?? "");
	return longField(Head.LEFT) < run.slice;
}

/** Runs the operation at the program's position, with operands from the program's stack. */
function runOperation(frame: Frame, run: CompiledRun): boolean {
	const { table, place } = run;
	const op = frame.context.program.instructions[frame.pc] as number;
	const takes = ((table.heads[op] as number) >> 8) & 0xff;
	takeOperands(frame, place + STACK_WORD * run.height, takes);
	run.height -= takes;
	perform(frame, table, op);
	frame.pc++;
	return !frame.interrupted && frame.memory.place !== undefined;
}

/** Leaves the rest of the frame to the interpreter. */
function goInterpreting(frame: Frame, { height, place }: CompiledRun): void {
	const { stack, sp } = frame;
	for (let i = sp - 1; i >= 0; i--) stack[height + i] = stack[i] as number;
	for (let i = 0; i < height; i++) stack[i] = readStackWord(place + STACK_WORD * i);
	frame.sp += height;
	frame.compiled = undefined;
	interpret(frame);
}
