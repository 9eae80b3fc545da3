/** A transaction's energy by source line, computed from its operation trace (protocol/json-rpc §14.3). */

import { addressFromHash, toBase58Check } from "../../protocol/address.js";
import { fromHex } from "../../protocol/bytes.js";
import type { MappedCode, SourceLine } from "../compiler/mapped-code.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord } from "../json.js";
import type { CallView } from "./call-view.js";

interface LineEnergy {
	readonly file: string;
	/** From 1. */
	readonly line: number;
	readonly text: string;
	/** Energy of its operations, without the calls that they made. */
	readonly energy: bigint;
	readonly operations: number;
}

export interface EnergyByLine {
	/** Most energy first. */
	readonly lines: readonly LineEnergy[];
	/** Energy of code without a source, and of compiler-generated code that maps to no line. */
	readonly unmapped: bigint;
	/** The same as a tree: calls, their functions, and their lines. */
	readonly tree: CallView;
}

/** The source of a contract's deployed code, by its address of 20 bytes; undefined if unknown. */
export type MappedCodeOf = (address: string) => Promise<MappedCode | undefined>;

interface Operation {
	readonly pc: number;
	readonly op: string;
	readonly depth: number;
	/** Energy left before the operation; `cost` is what it took, including the energy passed on to a call. */
	readonly gas: bigint;
	readonly cost: bigint;
	readonly stack: readonly Json[];
}

interface Frame {
	readonly code: MappedCode | undefined;
	last: Operation | undefined;
	/** Energy of the calls made by the last operation. */
	inner: bigint;
	total: bigint;
	/** The call, and the functions active in it, innermost last. */
	readonly places: Place[];
}

/** Maximum nesting of calls and functions in the tree; anything deeper counts for the last of them. */
const MAX_PLACES = 1_024;
const FUNCTION = /\b(?:function|modifier)\s+([\w$]+)|\b(constructor|receive|fallback)\b/;

/** A call, a function or a line, with the energy of its own operations, without those of nested places. */
class Place {
	own = 0n;
	private readonly inner = new Map<string, Place>();

	constructor(
		private readonly kind: string,
		private readonly at: string,
		private readonly name: string,
		private readonly depth = 0,
	) {}

	child(kind: string, at: string, name: string): Place {
		if (this.depth >= MAX_PLACES) return this;
		const key = `${kind} ${at}`;
		const known = this.inner.get(key) ?? new Place(kind, at, name, this.depth + 1);
		this.inner.set(key, known);
		return known;
	}

	view(): CallView {
		const inner = [...this.inner.values()].map((place) => place.view());
		const energy = inner.reduce((sum, part) => sum + part.energy, this.own);
		return { kind: this.kind, from: "", to: this.at, function: this.name, energy, result: "success", inner };
	}
}

/** Tracks a jump into or out of a function. @param pc the jump's target */
function follow({ code, last, places }: Frame, pc: number): void {
	const jump = last && code?.jumpAt(last.pc);
	if (jump === "o" && places.length > 1) places.pop();
	if (jump !== "i") return;
	const place = places.at(-1) as Place;
	const line = code?.lineAt(pc);
	const [, named, other] = FUNCTION.exec(line?.text ?? "") ?? [];
	const name = named ?? other;
	// Compiler-generated helpers count for the function that calls them.
	places.push(line && name ? place.child("FUNCTION", `${line.file}:${line.line}`, name) : place);
}

/** Operations that run the code of the address in second place on the stack. */
const CALLS = new Set(["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL", "CALLTOKEN"]);
const ADDRESS_DIGITS = 40;

/**
 * @param answer the result of `debug_traceTransaction` without a tracer, with stacks
 * @param root address of the called contract, 40 hexadecimal digits; undefined if the transaction creates one
 * @throws {Failure} `rpc_error` if the answer is no list of operations
 */
export async function energyByLine(
	answer: Json,
	root: string | undefined,
	codeOf: MappedCodeOf,
): Promise<EnergyByLine> {
	const account = new Account();
	const whole = new Place("TRANSACTION", "", "transaction");
	const frames: Frame[] = [];
	const leave = (): void => {
		const frame = frames.pop() as Frame;
		if (frame.last) account.add(frame, frame.last.cost > frame.inner ? frame.last.cost - frame.inner : 0n);
		const total = frame.total + (frame.last?.cost ?? 0n);
		const caller = frames.at(-1);
		if (caller) caller.inner += total;
	};
	for (const step of operationsOf(answer)) {
		while (frames.length > step.depth) leave();
		while (frames.length < step.depth) {
			const address = frames.length === 0 ? root : calledBy(frames.at(-1)?.last);
			const code = address === undefined ? undefined : await codeOf(address);
			const called = address === undefined ? "" : toBase58Check(addressFromHash(fromHex(address)));
			const outer = frames.at(-1)?.places.at(-1) ?? whole;
			const place = outer.child("CALL", called, code?.name ?? (called || "creation"));
			frames.push({ code, last: undefined, inner: 0n, total: 0n, places: [place] });
		}
		const frame = frames.at(-1) as Frame;
		if (frame.last) {
			const used = frame.last.gas - step.gas;
			account.add(frame, used > frame.inner ? used - frame.inner : 0n);
			frame.total += used;
			follow(frame, step.pc);
		}
		frame.last = step;
		frame.inner = 0n;
	}
	while (frames.length > 0) leave();
	return { ...account.result, tree: whole.view() };
}

/** The most lines shown to people. */
const SHOWN_LINES = 40;

/** The lines with the most energy as a table for people. */
export function lineTable(lines: readonly LineEnergy[], unmapped: bigint): string[] {
	const shown = lines.slice(0, SHOWN_LINES);
	const rest = lines.slice(SHOWN_LINES).reduce((sum, { energy }) => sum + energy, 0n);
	const rows: (readonly [bigint, string])[] = shown.map(({ energy, file, line, text }) => [
		energy,
		`${file}:${line}  ${text}`,
	]);
	if (rest > 0n) rows.push([rest, `in ${lines.length - SHOWN_LINES} other lines`]);
	if (unmapped > 0n) rows.push([unmapped, "in code without a source"]);
	const width = Math.max(6, ...rows.map(([energy]) => String(energy).length));
	return rows.map(([energy, where]) => `${String(energy).padStart(width)}  ${where}`);
}

class Account {
	private readonly byLine = new Map<
		string,
		{ readonly at: SourceLine; energy: bigint; operations: number }
	>();
	private unmapped = 0n;

	/** Charges the last operation of a frame. */
	add({ code, last, places }: Frame, energy: bigint): void {
		const at = last && code?.lineAt(last.pc);
		const place = places.at(-1) as Place;
		if (!at) {
			this.unmapped += energy;
			place.own += energy;
			return;
		}
		place.child("LINE", `${at.file}:${at.line}`, at.text).own += energy;
		const key = `${at.line} ${at.file}`;
		const line = this.byLine.get(key) ?? { at, energy: 0n, operations: 0 };
		line.energy += energy;
		line.operations++;
		this.byLine.set(key, line);
	}

	get result(): Omit<EnergyByLine, "tree"> {
		const lines = [...this.byLine.values()]
			.map(({ at, energy, operations }) => ({ ...at, energy, operations }))
			.sort((a, b) => (a.energy < b.energy ? 1 : a.energy > b.energy ? -1 : a.line - b.line));
		return { lines, unmapped: this.unmapped };
	}
}

function calledBy(step: Operation | undefined): string | undefined {
	if (!step || !CALLS.has(step.op)) return undefined;
	const word = step.stack.at(-2);
	if (typeof word !== "string" || !/^(0x)?[0-9a-f]+$/i.test(word)) return undefined;
	return word.replace(/^0x/, "").padStart(ADDRESS_DIGITS, "0").slice(-ADDRESS_DIGITS);
}

function* operationsOf(answer: Json): Generator<Operation> {
	const steps = isRecord(answer) ? answer["structLogs"] : undefined;
	if (!Array.isArray(steps)) throw new Failure("rpc_error", "the node answered without a list of operations");
	for (const step of steps) {
		if (!isRecord(step)) throw new Failure("rpc_error", "the node answered with an operation that is none");
		yield operationOf(step);
	}
}

function operationOf({ pc, op, depth, gas, gasCost, stack }: JsonRecord): Operation {
	const [at, level] = [Number(pc), Number(depth)];
	const isWhole = Number.isSafeInteger(at) && Number.isSafeInteger(level) && level > 0 && level < 5_000;
	if (!isWhole || typeof op !== "string" || !isAmount(gas) || !isAmount(gasCost))
		throw new Failure("rpc_error", "the node answered with an operation that can't be read");
	return {
		pc: at,
		op,
		depth: level,
		gas: BigInt(gas),
		cost: BigInt(gasCost),
		stack: Array.isArray(stack) ? stack : [],
	};
}

const isAmount = (value: Json | undefined): value is number | bigint =>
	typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value));
