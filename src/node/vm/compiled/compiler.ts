/**
 * Which programs are compiled, and when. A program is worth it when the interpreter has spent as much time on it as compiling
 * takes, about. Small ones are compiled at once; others are translated a few blocks at a time, between other tasks, and
 * compiled by the runtime's own threads. Until then the interpreter runs them.
 */

import { setFlagsFromString } from "node:v8";
import type { InstructionTable } from "../instruction-table.js";
import type { Program } from "../program.js";
import { arenaMemory } from "./arena.js";
import { arithmeticFunctions, arithmeticModule } from "./arithmetic-module.js";
import { engine } from "./engine.js";
import { operate, widen } from "./host-calls.js";
import { putRoundConstants } from "./keccak-function.js";
import { RUN_NAME, type Rules, Translation } from "./translation.js";
import type { FunctionCode } from "./wasm-writer.js";

/** Which programs are compiled: none, those that are run much, or all of them before they run first (for tests). */
export type Compiles = "never" | "hot" | "always";

export interface CompiledProgram {
	/** The rules that it was compiled for; under others it is interpreted, until it is hot again. */
	readonly table: InstructionTable;
	/** Runs from an entry until it returns to the driver. */
	readonly run: (entry: number) => void;
	/** What it takes in memory, about. */
	readonly bytes: number;
}

/** Code up to here is translated at once. */
const SMALL_CODE = 128;
/** Modules up to here are compiled at once: two milliseconds, with the translation. */
const SMALL_MODULE = 16 << 10;

/** Energy that the interpreter spends in the time in which a byte of code is compiled, about; and for any code at all. */
const HEAT_PER_BYTE = 500;
const LEAST_HEAT = 200_000;

/** What the runtime holds for a byte of a module, about: the byte, and its machine code. */
const BYTES_PER_BYTE = 7;

/** Imports of all programs, made once. */
let host: Readonly<Record<string, unknown>> | undefined;

function makeHost(arithmetic: object): Readonly<Record<string, unknown>> {
	const { Instance } = engine as NonNullable<typeof engine>;
	putRoundConstants();
	const own = { host: { memory: arenaMemory, widen } };
	return { memory: arenaMemory, operate, ...new Instance(arithmetic, own).exports };
}

/**
 * Has the runtime make machine code of whole modules, on its own threads. Left to itself it compiles a function when that first runs:
 * inside a transaction, which may have less time for all it does than that takes.
 */
const compileWhole = (): void => setFlagsFromString("--no-wasm-lazy-compilation");

/** Makes the imports between other tasks. */
async function prepareHost(): Promise<void> {
	compileWhole();
	const functions: FunctionCode[] = [];
	for (const each of arithmeticFunctions()) {
		functions.push(each);
		await turn();
	}
	const module = await (engine as NonNullable<typeof engine>).compile(arithmeticModule(functions));
	host ??= makeHost(module);
}

/** Lets other tasks run. */
const turn = (): Promise<unknown> => new Promise((resume) => setImmediate(resume));

/** The compiled program for these rules, if there is one; it is made where that is due. */
export function compiledFor(program: Program, rules: Rules): CompiledProgram | undefined {
	const { compiled, keeper } = program;
	if (compiled?.table === rules.table) return compiled;
	if (!engine || !keeper || program.isSettled || !isDue(program)) return undefined;
	program.isSettled = true;
	const isSmall = host !== undefined && program.code.length <= SMALL_CODE;
	if (keeper.compiles === "always" || isSmall) compileAtOnce(program, rules);
	else queue = queue.then(() => compileBeside(program, rules)).catch(giveUp);
	return program.compiled?.table === rules.table ? program.compiled : undefined;
}

function isDue({ keeper, heat, code }: Program): boolean {
	switch (keeper?.compiles) {
		case "always":
			return true;
		case "hot":
			return heat > Math.max(LEAST_HEAT, HEAT_PER_BYTE * code.length);
		default:
			return false;
	}
}

function instantiate(module: object): CompiledProgram["run"] {
	const { Instance } = engine as NonNullable<typeof engine>;
	const imports = { host: host as NonNullable<typeof host> };
	return new Instance(module, imports).exports[RUN_NAME] as CompiledProgram["run"];
}

/** One program is compiled after the other, so that no more is done between two tasks than one step. */
let queue = Promise.resolve();

function compileAtOnce(program: Program, rules: Rules): void {
	const { Module } = engine as NonNullable<typeof engine>;
	try {
		const translation = new Translation(program, rules);
		while (translation.step());
		if (translation.isTooLarge) return;
		const bytes = translation.finish();
		if (bytes.length > SMALL_MODULE && program.keeper?.compiles !== "always") {
			queue = queue.then(() => compileModule(program, rules, bytes)).catch(giveUp);
			return;
		}
		if (!host) {
			compileWhole();
			host = makeHost(new Module(arithmeticModule()));
		}
		install(program, rules, bytes, new Module(bytes));
	} catch (error) {
		refuse(error);
	}
}

async function compileBeside(program: Program, rules: Rules): Promise<void> {
	const translation = new Translation(program, rules);
	do await turn();
	while (translation.step());
	// It stays interpreted, and isn't tried again.
	if (translation.isTooLarge) return;
	try {
		if (!host) await prepareHost();
	} catch (error) {
		refuse(error);
		return;
	}
	await compileModule(program, rules, translation.finish());
}

/** On the runtime's threads. */
async function compileModule(program: Program, rules: Rules, bytes: Uint8Array): Promise<void> {
	try {
		install(program, rules, bytes, (await engine?.compile(bytes)) as object);
	} catch (error) {
		refuse(error);
	}
}

/** An error of the compiler is no transaction's: what was being compiled stays interpreted. */
function giveUp(error: unknown): void {
	process.emitWarning(error instanceof Error ? error : String(error));
}

/** A processor without vectors, a module that is too large, or no memory for code: the program stays interpreted. */
function refuse(error: unknown): void {
	const isExpected = (engine && error instanceof engine.CompileError) || error instanceof RangeError;
	if (!isExpected) throw error;
}

function install(program: Program, rules: Rules, code: Uint8Array, module: object): void {
	// Not if it was dropped meanwhile.
	if (program.keeper) place(program, rules, code, instantiate(module));
	program.isSettled = false;
}

function place(program: Program, { table }: Rules, code: Uint8Array, run: CompiledProgram["run"]): void {
	const before = program.compiled?.bytes ?? 0;
	const bytes = BYTES_PER_BYTE * code.length;
	program.compiled = { table, run, bytes };
	program.heat = 0;
	program.keeper?.grow(bytes - before);
}
