/** Executions operation by operation, as debuggers read them (protocol/json-rpc §14.3). */

import type { TraceBudget } from "../../../tracing/limits.js";
import { StructLog, type TraceStep, wordHex } from "../../../tracing/struct-log.js";
import type { Word } from "../../../vm/word.js";
import { data } from "../values.js";
import type { TraceOptions } from "./options.js";
import type { Seen, ShownTracer } from "./seen.js";

/** A list of operations, in the form that Ethereum's tools read; the share of the penalty is this network's own. */
export function structLogs(options: TraceOptions, budget: TraceBudget): ShownTracer {
	const log = new StructLog({ ...options, write: writeStep }, budget);
	return {
		observer: log.observer,
		show: ({ outcome }) =>
			`{"gas":${outcome?.energyUsed ?? 0n},"failed":${!outcome?.succeeded},"returnValue":"${data(outcome?.output ?? new Uint8Array(0))}","structLogs":[${log.steps.join(",")}]}`,
	};
}

/** Whether an operation is one at which the storage is shown. */
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

/** Steps that the stock development chain lists: an endless loop must not fill the memory. */
const STOCK_STEPS = 200_000;

/** The same in the form of the network's stock development chain (protocol/development-chain §4.6). */
export function stockStructLogs(budget: TraceBudget): ShownTracer {
	const options = { stack: true, memory: true, storage: true, returnData: false, limit: STOCK_STEPS };
	const log = new StructLog({ ...options, write: writeStockStep }, budget);
	return {
		observer: log.observer,
		show: ({ outcome }: Seen) =>
			`{"failed":${!outcome?.succeeded},"gas":"","structLogs":[${log.steps.join(",")}],"returnValue":""}`,
	};
}

/** The order of members counts. */
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
