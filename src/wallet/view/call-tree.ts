/**
 * From the operations of an execution to its calls: who called whom with what, what was returned, which logs were
 * written. Made of the steps that `debug_traceTransaction` lists (protocol/development-chain §4.6).
 */

import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord } from "../json.js";

/** One operation, with what it found. Words are 64 hexadecimal digits; the last of the stack is its top. */
export interface TraceStep {
	readonly depth: number;
	readonly op: string;
	readonly energy: bigint;
	readonly cost: bigint;
	readonly stack: readonly string[];
	readonly memory: readonly string[];
}

export interface TracedLog {
	/** Contract that wrote it, 20 bytes. */
	readonly address: Uint8Array;
	readonly topics: readonly Uint8Array[];
	readonly data: Uint8Array;
}

/** What came of a call. `failed`: it ended without a result of its own, as without energy. */
type CallEnd = "success" | "revert" | "failed";

export interface TracedCall {
	/** The operation: CALL, DELEGATECALL, CREATE2, … */
	readonly kind: string;
	/** Who calls, 20 bytes. */
	from: Uint8Array;
	/** Contract whose state it works on, 20 bytes; that of a creation is known if it succeeded. */
	to: Uint8Array;
	/** Contract whose code runs, 20 bytes. */
	code: Uint8Array;
	readonly input: Uint8Array;
	readonly valueSun: bigint;
	readonly token: { readonly id: bigint; readonly amount: bigint } | undefined;
	/** What it used, with the calls inside of it. */
	energy: bigint;
	end: CallEnd;
	output: Uint8Array;
	/** Calls and logs in their order. */
	readonly inner: (TracedCall | TracedLog)[];
}

/** The call that a transaction begins with. */
export interface RootCall {
	readonly kind: "CALL" | "CREATE";
	readonly from: Uint8Array;
	readonly to: Uint8Array;
	readonly input: Uint8Array;
	readonly valueSun: bigint;
	readonly token?: { readonly id: bigint; readonly amount: bigint } | undefined;
}

/** Bytes of memory that one call or log may show. */
const MAX_SLICE = 1024 * 1024;
/** A node ends its list here, whatever comes after. */
export const MAX_STEPS = 200_000;

/** Reads the steps of an answer. @throws {Failure} `rpc_error` */
export function traceSteps(answer: Json): { readonly steps: readonly TraceStep[]; readonly failed: boolean } {
	const { structLogs, failed } = isRecord(answer) ? answer : {};
	if (!Array.isArray(structLogs)) throw new Failure("rpc_error", "the node answered with no trace");
	return { steps: structLogs.filter(isRecord).map(stepOf), failed: failed === true };
}

function stepOf(step: JsonRecord): TraceStep {
	const { depth, op, gas, gasCost, stack, memory } = step;
	try {
		return {
			depth: Number(depth),
			op: String(op),
			energy: BigInt(String(gas)),
			cost: BigInt(String(gasCost)),
			stack: words(stack),
			memory: words(memory),
		};
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		throw new Failure("rpc_error", "the node's trace holds something that is not a number");
	}
}

function words(json: Json | undefined): string[] {
	return Array.isArray(json) ? json.map((word) => String(word).replace(/^0x/, "").padStart(64, "0")) : [];
}

const CALLS = new Set(["CALL", "CALLCODE", "DELEGATECALL", "STATICCALL", "CALLTOKEN", "CREATE", "CREATE2"]);

/** A call under way. */
interface Open {
	readonly call: TracedCall;
	/** Energy of the caller before it. */
	readonly before: bigint;
	/** Where the caller wanted the result: what a contract without code of its own returned is found there. */
	readonly result: { readonly at: bigint; readonly size: bigint } | undefined;
	last: TraceStep | undefined;
}

/** The tree of a transaction's calls. @param failed what the node says of the whole */
export function callTree(root: RootCall, steps: readonly TraceStep[], failed: boolean): TracedCall {
	const top = opened(root.kind, root.input, root.valueSun, root.token);
	Object.assign(top, { from: root.from, to: root.to, code: root.to });
	const open: Open[] = [{ call: top, before: steps[0]?.energy ?? 0n, result: undefined, last: undefined }];
	for (const step of steps) {
		while (open.length > step.depth) close(open, step);
		const frame = open.at(-1) as Open;
		frame.last = step;
		if (/^LOG[0-4]$/.test(step.op)) frame.call.inner.push(logOf(step, frame.call.to));
		if (CALLS.has(step.op) && step.stack.length >= 3) begin(open, step);
	}
	while (open.length > 1) close(open, undefined);
	endOfCode(open[0] as Open);
	const last = steps.at(-1);
	top.energy = last ? (steps[0]?.energy ?? 0n) - last.energy + last.cost : 0n;
	if (failed && top.end === "success") top.end = "failed";
	if (!failed) top.end = "success";
	return top;
}

function opened(
	kind: string,
	input: Uint8Array,
	valueSun: bigint,
	token: TracedCall["token"] = undefined,
): TracedCall {
	const zero = new Uint8Array(20);
	return {
		kind,
		from: zero,
		to: zero,
		code: zero,
		input,
		valueSun,
		token,
		energy: 0n,
		end: "failed",
		output: new Uint8Array(0),
		inner: [],
	};
}

/** Words of a call's operation from the top of the stack: limit, contract, [value, [token]], input, result. */
function begin(open: Open[], step: TraceStep): void {
	const parent = (open.at(-1) as Open).call;
	const at = (index: number): bigint => BigInt(`0x${step.stack.at(-1 - index) ?? "0"}`);
	const kind = step.op;
	if (kind.startsWith("CREATE")) {
		const call = opened(kind, slice(step, at(1), at(2)), at(0));
		call.from = parent.to;
		parent.inner.push(call);
		open.push({ call, before: step.energy, result: undefined, last: undefined });
		return;
	}
	const hasValue = kind === "CALL" || kind === "CALLCODE" || kind === "CALLTOKEN";
	const hasToken = kind === "CALLTOKEN";
	const first = 2 + (hasValue ? 1 : 0) + (hasToken ? 1 : 0);
	const amount = hasValue ? at(2) : 0n;
	const call = opened(
		kind,
		slice(step, at(first), at(first + 1)),
		hasToken ? 0n : amount,
		hasToken && amount > 0n ? { id: at(3), amount } : undefined,
	);
	const target = addressOf(at(1));
	const isBorrowed = kind === "DELEGATECALL" || kind === "CALLCODE";
	Object.assign(call, {
		from: kind === "DELEGATECALL" ? parent.from : parent.to,
		to: isBorrowed ? parent.to : target,
		code: target,
	});
	parent.inner.push(call);
	const result = { at: at(first + 2), size: at(first + 3) };
	open.push({ call, before: step.energy, result, last: undefined });
}

/** Ends the innermost call. @param next the operation that follows, at any level; undefined: nothing follows */
function close(open: Open[], next: TraceStep | undefined): void {
	const frame = open.pop() as Open;
	const { call, before, last, result } = frame;
	endOfCode(frame);
	if (!next || next.depth !== open.length) {
		// Its caller ended with it.
		if (last) call.energy = before - last.energy + last.cost;
		if (!last) call.end = "failed";
		return;
	}
	call.energy = before - next.energy;
	const answer = BigInt(`0x${next.stack.at(-1) ?? "0"}`);
	if (answer === 0n) {
		if (call.end === "success") call.end = "failed";
		return;
	}
	call.end = "success";
	if (call.kind.startsWith("CREATE")) {
		call.to = addressOf(answer);
		call.code = call.to;
	} else if (!last && result) call.output = slice(next, result.at, result.size);
}

/** What the last operation of the code says about its end. */
function endOfCode({ call, last }: Open): void {
	if (!last) {
		call.end = "success";
		return;
	}
	const { op, stack } = last;
	call.end =
		op === "REVERT"
			? "revert"
			: ["RETURN", "STOP", "SUICIDE", "SELFDESTRUCT"].includes(op)
				? "success"
				: "failed";
	if (op !== "RETURN" && op !== "REVERT") return;
	const [offset, size] = [stack.at(-1) ?? "0", stack.at(-2) ?? "0"];
	call.output = slice(last, BigInt(`0x${offset}`), BigInt(`0x${size}`));
}

function logOf(step: TraceStep, address: Uint8Array): TracedLog {
	const count = Number(step.op.slice(3));
	const word = (index: number): string => step.stack.at(-1 - index) ?? "0".repeat(64);
	return {
		address,
		topics: Array.from({ length: count }, (_, index) => new Uint8Array(Buffer.from(word(2 + index), "hex"))),
		data: slice(step, BigInt(`0x${word(0)}`), BigInt(`0x${word(1)}`)),
	};
}

function addressOf(word: bigint): Uint8Array {
	return new Uint8Array(Buffer.from(word.toString(16).padStart(64, "0").slice(-40), "hex"));
}

/** Memory before an operation; beyond its end it is zero. */
function slice({ memory }: TraceStep, at: bigint, size: bigint): Uint8Array {
	if (size <= 0n) return new Uint8Array(0);
	const length = Number(size > BigInt(MAX_SLICE) ? BigInt(MAX_SLICE) : size);
	const bytes = new Uint8Array(length);
	if (at >= BigInt(memory.length) * 32n) return bytes;
	const first = Number(at / 32n);
	const last = Math.ceil((Number(at) + length) / 32);
	const found = Buffer.from(memory.slice(first, last).join(""), "hex");
	bytes.set(found.subarray(Number(at % 32n), Number(at % 32n) + length));
	return bytes;
}
