/** Re-executing transactions with tracing (protocol/json-rpc §14). Only with `node.jsonrpc.debug`. */

import type { SignedBlock } from "../../../../protocol/block.js";
import type { TraceBudget } from "../../../tracing/limits.js";
import { StructLog, type TraceStep, wordHex } from "../../../tracing/struct-log.js";
import type { Word } from "../../../vm/word.js";
import type { ApiContext } from "../../context.js";
import { listPieces } from "../../long-answer.js";
import { isRawObject, type RawArray, type RawValue } from "../json-reader.js";
import { longResult } from "../long-result.js";
import { methodsOf, type OwnContext, type OwnMethod, type RpcResult } from "../method.js";
import { invalidParams } from "../rpc-error.js";
import { areSilent } from "../simulation/overridden.js";
import { callFrames, selectorCounts } from "../traces/call-frames.js";
import { flatTraces } from "../traces/flat-traces.js";
import { readTraceOptions, type TraceOptions, type TracerName } from "../traces/options.js";
import { prestate } from "../traces/prestate.js";
import {
	budgetOf,
	readBlock,
	readTransactionPlace,
	refusing,
	runOf,
	shownTracer,
	type TraceOverlay,
	traceCall,
	tracingOf,
} from "../traces/requests.js";
import type { ShownTracer } from "../traces/seen.js";
import { data } from "../values.js";

/** Struct logs in the form Ethereum tools read; `penalty` is this network's addition. */
function structLogs(options: TraceOptions, budget: TraceBudget): ShownTracer {
	const log = new StructLog({ ...options, write: writeStep }, budget);
	return {
		observer: log.observer,
		*show({ outcome }) {
			yield `{"gas":${outcome?.energyUsed ?? 0n},"failed":${!outcome?.succeeded},"returnValue":"${data(outcome?.output ?? new Uint8Array(0))}","structLogs":`;
			yield* listPieces("[", log.steps, String, "]}");
		},
	};
}

/** Whether storage is shown at an opcode. */
const showsStorage = (op: string): boolean => op === "SLOAD" || op === "SSTORE";

function writeStep(step: TraceStep): string {
	const { pc, op, depth, energy, cost, penalty, error, stack, memory, returnData, storage } = step;
	const parts = [`"pc":${pc},"op":"${op}","gas":${energy},"gasCost":${cost},"depth":${depth}`];
	if (penalty > 0) parts.push(`"penalty":${penalty}`);
	if (error !== undefined) parts.push(`"error":${JSON.stringify(error)}`);
	if (stack) parts.push(`"stack":[${stack.map((word) => `"0x${word.toString(16)}"`).join(",")}]`);
	if (returnData && returnData.length > 0) parts.push(`"returnData":"${data(returnData)}"`);
	if (memory) parts.push(`"memory":[${memory.map((word) => `"0x${word}"`).join(",")}]`);
	if (storage && showsStorage(op)) {
		const slots = Object.entries(storage).map(([slot, value]) => `"0x${slot}":"0x${value}"`);
		parts.push(`"storage":{${slots.join(",")}}`);
	}
	return `{${parts.join(",")}}`;
}

/** Maximum steps the stock development chain lists, so that an endless loop doesn't exhaust memory. */
const STOCK_STEPS = 200_000;

/** Struct logs in the form of the network's stock development chain (protocol/development-chain §4.6). */
function stockStructLogs(budget: TraceBudget): ShownTracer {
	const options = { stack: true, memory: true, storage: true, returnData: false, limit: STOCK_STEPS };
	const log = new StructLog({ ...options, write: writeStockStep }, budget);
	return {
		observer: log.observer,
		*show({ outcome }) {
			yield `{"failed":${!outcome?.succeeded},"gas":"","structLogs":`;
			yield* listPieces("[", log.steps, String, '],"returnValue":""}');
		},
	};
}

/** The member order matters. */
function writeStockStep({
	pc,
	op,
	depth,
	energy,
	cost,
	stack = [],
	memory = [],
	storage = {},
}: TraceStep): string {
	return JSON.stringify({
		depth,
		error: "",
		gas: `0x${energy.toString(16).padStart(16, "0")}`,
		gasCost: Number(cost),
		memory,
		op,
		pc,
		stack: stack.map((word: Word) => wordHex(word)),
		storage,
	});
}

/** The tracers by name. */
const TRACERS: Readonly<Record<TracerName, (options: TraceOptions, budget: TraceBudget) => ShownTracer>> = {
	callTracer: callFrames,
	flatCallTracer: (_options, budget) => flatTraces(budget),
	prestateTracer: prestate,
	"4byteTracer": (_options, budget) => selectorCounts(budget),
	noopTracer: () => ({ observer: {}, show: () => ["{}"] }),
};

/** A tracer for one execution. @param budget what all executions of the request share */
export function tracerFor(options: TraceOptions, budget: TraceBudget): ShownTracer {
	return options.tracer === undefined
		? structLogs(options, budget)
		: TRACERS[options.tracer](options, budget);
}

/** The tracer of a request; without options, a development chain lists opcodes like the network's stock one. */
function tracerOf(context: ApiContext, options: TraceOptions, isPlain: boolean): ShownTracer {
	const budget = budgetOf(context);
	return isPlain && context.node.rules.development ? stockStructLogs(budget) : tracerFor(options, budget);
}

async function traceTransaction(context: OwnContext, [id, given]: RawArray): Promise<RpcResult> {
	const tracing = tracingOf(context, "debug_traceTransaction");
	const options = readTraceOptions(given);
	const place = readTransactionPlace(context, tracing, id);
	if (!place) throw invalidParams(`transaction ${String(id)} is not in a block`);
	const tracer = tracerOf(context, options, areSilent(given));
	const run = runOf(context, options);
	const shown = await refusing(() => tracing.transaction(place, shownTracer(context, tracer), run));
	return longResult(context, shown, 0);
}

async function traceOfCall(context: OwnContext, [call, block, given]: RawArray): Promise<RpcResult> {
	const tracing = tracingOf(context, "debug_traceCall");
	const options = readTraceOptions(given);
	const tracer = tracerOf(context, options, areSilent(given));
	const overlay = await overlayOf(context, given);
	const shown = await refusing(() =>
		traceCall(context, tracing, call, block ?? null, options, tracer, overlay),
	);
	return longResult(context, shown, 0);
}

/** The state and block overrides in the options. */
async function overlayOf(
	context: ApiContext,
	given: RawValue | undefined,
): Promise<TraceOverlay | undefined> {
	const [accounts, block] = isRawObject(given)
		? [given.get("stateOverrides"), given.get("blockOverrides")]
		: [];
	if (areSilent(accounts, block)) return undefined;
	const { overlaid, readBlockOverrides, readStateOverrides } = await import("../simulation/overrides.js");
	const edits = readStateOverrides(context, accounts, "stateOverrides");
	const changed = readBlockOverrides(block, "blockOverrides");
	return {
		state: (state) => overlaid(state, edits, changed),
		block: ({ number, timestampMs, witness }) => ({
			number: changed?.number ?? number,
			timestampMs: changed?.timestampMs ?? timestampMs,
			witness: changed?.witness ?? witness,
		}),
	};
}

async function traceBlock(
	context: OwnContext,
	method: string,
	[selector, given]: RawArray,
): Promise<RpcResult> {
	const tracing = tracingOf(context, method);
	const options = readTraceOptions(given);
	const block = readBlock(context, selector);
	const budget = budgetOf(context);
	const tracer = () => shownTracer(context, tracerFor(options, budget));
	const results = await refusing(() => tracing.block(block, tracer, runOf(context, options)));
	return longResult(context, blockPieces(block, results), 0);
}

function* blockPieces(block: SignedBlock, results: readonly Iterable<string>[]): Generator<string> {
	yield "[";
	for (const [i, result] of results.entries()) {
		const id = data(block.transactions[i]?.id ?? new Uint8Array(0));
		yield `${i > 0 ? "," : ""}{"txHash":"${id}","result":`;
		yield* result;
		yield "}";
	}
	yield "]";
}

const method = methodsOf("isDebug");

export const debugMethods: readonly OwnMethod[] = [
	method(
		"debug_traceTransaction",
		"What a transaction of a block did, operation by operation or as a tracer sees it.",
		["hash", "options"],
		1,
		traceTransaction,
	),
	method(
		"debug_traceCall",
		"What a call would do on the state of a block.",
		["call", "block", "options"],
		1,
		traceOfCall,
	),
	method(
		"debug_traceBlockByNumber",
		"What each transaction of a block did, by the block's number or a tag.",
		["block", "options"],
		1,
		(context, values) => traceBlock(context, "debug_traceBlockByNumber", values),
	),
	method(
		"debug_traceBlockByHash",
		"What each transaction of a block did, by the block's id.",
		["hash", "options"],
		1,
		(context, values) => traceBlock(context, "debug_traceBlockByHash", values),
	),
];
