/** The opcode table flattened for the interpreter loop, for one set of rules. */

import { add, and, eq, gt, iszero, lt, sub } from "./arithmetic.js";
import { penaltyOf } from "./dynamic-energy.js";
import type { Frame } from "./frame.js";
import type { Gates } from "./gates.js";
import { type Action, type CostRule, type Instruction, STACK_LIMIT } from "./instruction.js";
import { Kind } from "./interpreter.js";
import type { Word } from "./word.js";

export interface InstructionTable {
	readonly rows: readonly (Instruction | undefined)[];
	/** What the loop checks first, packed by {@link pack}. */
	readonly heads: Int32Array;
	/** Fixed costs including penalty; 0 if a cost rule applies. */
	readonly costs: readonly number[];
	/** The penalty part of the fixed costs. */
	readonly penalties: readonly number[];
	readonly rules: readonly CostRule[];
	readonly unary: readonly ((a: Word) => Word)[];
	readonly binary: readonly ((a: Word, b: Word) => Word)[];
	readonly ternary: readonly ((a: Word, b: Word, c: Word) => Word)[];
	readonly nullary: readonly ((frame: Frame) => Word)[];
	readonly query: readonly ((frame: Frame, a: Word) => Word)[];
	readonly effects: readonly ((frame: Frame) => void)[];
	/** The same table with penalties for a dynamic energy factor above 10,000. */
	withFactor(factor: number): InstructionTable;
	/** The same table with heads that always report a stack fault, which is where the loop calls the observer. */
	tracing(): InstructionTable;
}

/**
 * Packs an operation's kind (8 bits), minimum stack height (8 bits) and how far the height may exceed that
 * (16 bits), so that the loop reads them all at once.
 */
function pack(kind: Kind, need: number, span: number): number {
	return kind | (need << 8) | (span << 16);
}

const DUP1 = 0x80;
const SWAP1 = 0x90;

/** Builds the table of the operations that the rules allow. */
function buildInstructionTable(
	instructions: readonly Instruction[],
	gates: Gates,
	factor = 10_000,
): InstructionTable {
	const missing = (): never => {
		throw new Error("the operation has no such function");
	};
	const rows: (Instruction | undefined)[] = new Array(256).fill(undefined);
	const heads = new Int32Array(256).fill(pack(Kind.MISSING, 0, STACK_LIMIT));
	const costs: number[] = new Array(256).fill(0);
	const penalties: number[] = new Array(256).fill(0);
	const fill = <F>(): F[] => new Array<F>(256).fill(missing as F);
	const functions = {
		rules: fill<CostRule>(),
		unary: fill<(a: Word) => Word>(),
		binary: fill<(a: Word, b: Word) => Word>(),
		ternary: fill<(a: Word, b: Word, c: Word) => Word>(),
		nullary: fill<(frame: Frame) => Word>(),
		query: fill<(frame: Frame, a: Word) => Word>(),
		effects: fill<(frame: Frame) => void>(),
	};
	for (const row of instructions) {
		if (row.gate && !gates[row.gate]) continue;
		const { byte, action } = row;
		rows[byte] = row;
		heads[byte] = pack(kindOf(row), row.takes, STACK_LIMIT - row.gives);
		if (typeof row.cost === "number") {
			penalties[byte] = penaltyOf(row.cost, factor);
			costs[byte] = row.cost + (penalties[byte] as number);
		} else functions.rules[byte] = row.cost;
		addFunction(functions, byte, action);
	}
	const factors = new Map<number, InstructionTable>();
	const table: InstructionTable = {
		rows,
		heads,
		costs,
		penalties,
		...functions,
		withFactor(other) {
			let penalized = factors.get(other);
			if (!penalized) {
				if (factors.size >= KEPT_FACTORS) factors.clear();
				penalized = buildInstructionTable(instructions, gates, other);
				factors.set(other, penalized);
			}
			return penalized;
		},
		tracing: () => tracingTable(table),
	};
	return table;
}

/** With a span of -1, no stack height passes the loop's check. */
function tracingTable(table: InstructionTable): InstructionTable {
	const traced: InstructionTable = {
		...table,
		heads: table.heads.map((head) => (head & 0xffff) | (-1 << 16)),
		withFactor: (factor) => tracingTable(table.withFactor(factor)),
		tracing: () => traced,
	};
	return traced;
}

/** Stores an operation's function under its kind. */
function addFunction(
	functions: {
		readonly unary: ((a: Word) => Word)[];
		readonly binary: ((a: Word, b: Word) => Word)[];
		readonly ternary: ((a: Word, b: Word, c: Word) => Word)[];
		readonly nullary: ((frame: Frame) => Word)[];
		readonly query: ((frame: Frame, a: Word) => Word)[];
		readonly effects: ((frame: Frame) => void)[];
	},
	byte: number,
	action: Action,
): void {
	switch (action.kind) {
		case "unary":
			functions.unary[byte] = action.run;
			return;
		case "binary":
			functions.binary[byte] = action.run;
			return;
		case "ternary":
			functions.ternary[byte] = action.run;
			return;
		case "nullary":
			functions.nullary[byte] = action.run;
			return;
		case "query":
			functions.query[byte] = action.run;
			return;
		case "effect":
			functions.effects[byte] = action.run;
	}
}

/** Operations that the loop does inline for small operands, falling back to these functions for others. */
function inPlaceKind(run: unknown): Kind | undefined {
	switch (run) {
		case add:
			return Kind.ADD;
		case sub:
			return Kind.SUB;
		case lt:
			return Kind.LT;
		case gt:
			return Kind.GT;
		case eq:
			return Kind.EQ;
		case iszero:
			return Kind.ISZERO;
		case and:
			return Kind.AND;
		default:
			return undefined;
	}
}

function kindOf({ action, cost, byte, takes, gives, isCall }: Instruction): Kind {
	if (isCall) return Kind.CALL;
	switch (action.kind) {
		case "effect":
			return typeof cost === "number" ? Kind.EFFECT : Kind.COSTED;
		case "push":
			return pushKind(byte);
		default:
			checkStructure(action, byte, takes, gives);
			if ("run" in action) {
				const inPlace = inPlaceKind(action.run);
				if (inPlace !== undefined) return inPlace;
			}
			return Kind[action.kind.toUpperCase() as keyof typeof Kind];
	}
}

function pushKind(byte: number): Kind {
	const length = byte - 0x5f;
	if (length === 1) return Kind.PUSH1;
	return length <= 4 ? Kind.PUSH_SHORT : Kind.PUSH_LONG;
}

/** The loop derives the depth of DUP and SWAP from the byte, so the table must agree. */
function checkStructure(action: Action, byte: number, takes: number, gives: number): void {
	const depth = action.kind === "dup" ? byte - DUP1 + 1 : action.kind === "swap" ? byte - SWAP1 + 2 : takes;
	if (depth !== takes || (action.kind === "dup" && gives !== takes + 1)) {
		throw new Error(`operation ${byte} moves the stack in another way than its byte says`);
	}
}

/** Number of cached tables for dynamic energy factors; many contracts have none. */
const KEPT_FACTORS = 64;

/** Number of rule sets whose tables are cached; a chain has few. */
const KEPT_TABLES = 32;
const tables = new Map<string, InstructionTable>();
/** PERF: consecutive transactions nearly always have the same rules. */
let latest:
	| { readonly instructions: readonly Instruction[]; readonly gates: Gates; readonly table: InstructionTable }
	| undefined;

/** The table for these rules, built once and cached. */
export function instructionTableFor(instructions: readonly Instruction[], gates: Gates): InstructionTable {
	if (latest?.instructions === instructions && areSame(latest.gates, gates)) return latest.table;
	const table = keptTable(instructions, gates);
	latest = { instructions, gates, table };
	return table;
}

function areSame(one: Gates, other: Gates): boolean {
	if (one === other) return true;
	for (const name in one) if (one[name as keyof Gates] !== other[name as keyof Gates]) return false;
	return true;
}

function keptTable(instructions: readonly Instruction[], gates: Gates): InstructionTable {
	let key = "";
	for (const on of Object.values(gates)) key += on ? "1" : "0";
	let table = tables.get(key);
	if (!table) {
		if (tables.size >= KEPT_TABLES) tables.clear();
		table = buildInstructionTable(instructions, gates);
		tables.set(key, table);
	}
	return table;
}
