/**
 * Decides which programs are compiled, and when. A program is worth compiling once the interpreter has spent about as much
 * time on it as compiling takes. Small ones are compiled immediately; others are translated a few blocks at a time, between
 * other tasks, and compiled on the runtime's threads. Until then they are interpreted.
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

/** Which programs are compiled: none, hot ones, or all of them before their first run (for tests). */
export type Compiles = "never" | "hot" | "always";

export interface CompiledProgram {
	/** The rules it was compiled for; under others it is interpreted until it is hot again. */
	readonly table: InstructionTable;
	/** Runs from an entry until the program returns to the driver. */
	readonly run: (entry: number) => void;
	/** Approximate memory use, in bytes. */
	readonly bytes: number;
}

/** Maximum code size, in bytes, that is translated immediately. */
const SMALL_CODE = 128;
/** Maximum module size, in bytes, that is compiled immediately: takes two milliseconds including translation. */
const SMALL_MODULE = 16 << 10;

/** Approximate energy the interpreter spends in the time it takes to compile a byte of code, and the minimum for any code. */
const HEAT_PER_BYTE = 500;
const LEAST_HEAT = 200_000;

/** Approximate bytes the runtime keeps per byte of a module: the byte itself and its machine code. */
const BYTES_PER_BYTE = 7;

/** Imports shared by all programs, created once. */
let host: Readonly<Record<string, unknown>> | undefined;

function makeHost(arithmetic: object): Readonly<Record<string, unknown>> {
	const { Instance } = engine as NonNullable<typeof engine>;
	putRoundConstants();
	const own = { host: { memory: arenaMemory, widen } };
	return { memory: arenaMemory, operate, ...new Instance(arithmetic, own).exports };
}

/**
 * Makes the runtime compile whole modules on its own threads. By default it compiles a function on its first
 * call: inside a transaction, whose time limit may be shorter than that takes.
 */
const compileWhole = (): void => setFlagsFromString("--no-wasm-lazy-compilation");

/** Creates the imports in steps, between other tasks. */
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

/** Yields to other tasks. */
const turn = (): Promise<unknown> => new Promise((resume) => setImmediate(resume));

/** The compiled program for these rules, if there is one; starts compiling it if due. */
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

/** Programs are compiled one at a time, so that at most one step runs between two tasks. */
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
	// It stays interpreted and isn't retried.
	if (translation.isTooLarge) return;
	try {
		if (!host) await prepareHost();
	} catch (error) {
		refuse(error);
		return;
	}
	await compileModule(program, rules, translation.finish());
}

/** Compiles a module on the runtime's threads. */
async function compileModule(program: Program, rules: Rules, bytes: Uint8Array): Promise<void> {
	try {
		install(program, rules, bytes, (await engine?.compile(bytes)) as object);
	} catch (error) {
		refuse(error);
	}
}

/** A compiler error must not fail a transaction: the program stays interpreted. */
function giveUp(error: unknown): void {
	process.emitWarning(error instanceof Error ? error : String(error));
}

/** The processor lacks SIMD, the module is too large, or there is no memory for code: the program stays interpreted. */
function refuse(error: unknown): void {
	const isExpected = (engine && error instanceof engine.CompileError) || error instanceof RangeError;
	if (!isExpected) throw error;
}

function install(program: Program, rules: Rules, code: Uint8Array, module: object): void {
	// Skipped if the program was evicted from the cache meanwhile.
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
