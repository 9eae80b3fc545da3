/** Calls of past transactions as flat lists (protocol/json-rpc §14.5). Only with `node.jsonrpc.debug`. */

import type { SignedBlock } from "../../../../protocol/block.js";
import { blockByNumber } from "../../../chain/block-store.js";
import { type TraceBudget, TraceClock } from "../../../tracing/limits.js";
import type { TraceRunner, Tracer } from "../../../tracing/trace-runner.js";
import type { ApiContext } from "../../context.js";
import { readersOf } from "../answers.js";
import {
	isRawArray,
	isRawObject,
	JsonNumber,
	type RawArray,
	type RawObject,
	type RawValue,
} from "../json-reader.js";
import { longResult } from "../long-result.js";
import { methodsOf, type OwnContext, type RpcMethod, type RpcResult } from "../method.js";
import { invalidParams } from "../rpc-error.js";
import { type FlatTrace, flatTracer, traceList } from "../traces/flat-traces.js";
import {
	budgetOf,
	readBlock,
	readTransactionPlace,
	refusing,
	runOf,
	seenTransaction,
	tracingOf,
} from "../traces/requests.js";
import { addressData } from "../values.js";

/** Maximum blocks executed and calls listed per search. */
const MAX_FILTER_BLOCKS = 100n;
const MAX_FILTER_TRACES = 10_000;

function tracer(context: ApiContext, budget: TraceBudget): Tracer<FlatTrace[]> {
	const { observer, list } = flatTracer(budget);
	return { observer, result: (traced) => list(seenTransaction(context, traced)) };
}

const shownOf = (context: OwnContext, traces: readonly FlatTrace[]): Promise<RpcResult> =>
	longResult(context, traceList(traces), 0);

async function ofTransaction(context: OwnContext, [id]: RawArray): Promise<RpcResult> {
	const tracing = tracingOf(context, "trace_transaction");
	const place = readTransactionPlace(context, tracing, id);
	if (!place) return null;
	const run = runOf(context, { timeoutMs: undefined });
	return shownOf(
		context,
		await refusing(() => tracing.transaction(place, tracer(context, budgetOf(context)), run)),
	);
}

async function ofBlock(context: OwnContext, [selector]: RawArray): Promise<RpcResult> {
	const tracing = tracingOf(context, "trace_block");
	const block = readBlock(context, selector);
	const budget = budgetOf(context);
	const run = runOf(context, { timeoutMs: undefined });
	const lists = await refusing(() => tracing.block(block, () => tracer(context, budget), run));
	return shownOf(context, lists.flat());
}

interface TraceFilter {
	readonly first: bigint;
	readonly last: bigint;
	/** As DATA; undefined matches any. */
	readonly from: ReadonlySet<string> | undefined;
	readonly to: ReadonlySet<string> | undefined;
	/** Whether both must match, rather than either. */
	readonly both: boolean;
	/** Traces to skip, and to list. */
	readonly after: number;
	readonly count: number;
}

function readCount(object: RawObject, name: string, missing: number): number {
	const value = object.get(name);
	if (value === undefined || value === null) return missing;
	const text = value instanceof JsonNumber ? value.text : value;
	const count = typeof text === "string" && /^(\d{1,15}|0x[0-9a-f]{1,12})$/i.test(text) ? Number(text) : -1;
	if (count < 0) throw invalidParams(`${name} must be a number from 0 on`);
	return count;
}

function readAddresses(context: ApiContext, value: RawValue | undefined): ReadonlySet<string> | undefined {
	if (value === undefined || value === null) return undefined;
	const { maxAddresses } = context.node.config.node.jsonrpc;
	const list = isRawArray(value) ? value : [value];
	if (maxAddresses > 0 && list.length > maxAddresses)
		throw invalidParams(`at most ${maxAddresses} addresses`);
	if (list.length === 0) return undefined;
	const readers = readersOf(context);
	return new Set(
		list.map((address) => {
			if (typeof address !== "string") throw invalidParams("an address must be a text");
			return addressData(readers.address(address)) ?? "";
		}),
	);
}

function readFilter(context: ApiContext, value: RawValue | undefined): TraceFilter {
	if (!isRawObject(value)) throw invalidParams("the filter is not an object");
	const first = readBlock(context, value.get("fromBlock") ?? "latest").number;
	const last = readBlock(context, value.get("toBlock") ?? "latest").number;
	if (last < first) throw invalidParams("fromBlock must not be after toBlock");
	if (last - first >= MAX_FILTER_BLOCKS)
		throw invalidParams(`a search may go over ${MAX_FILTER_BLOCKS} blocks at most`);
	const count = readCount(value, "count", MAX_FILTER_TRACES);
	if (count > MAX_FILTER_TRACES) throw invalidParams(`count must be at most ${MAX_FILTER_TRACES}`);
	return {
		first,
		last,
		from: readAddresses(context, value.get("fromAddress")),
		to: readAddresses(context, value.get("toAddress")),
		both: value.get("mode") === "intersection",
		after: readCount(value, "after", 0),
		count,
	};
}

function fits({ from, to }: FlatTrace, filter: TraceFilter): boolean {
	const fromFits = filter.from?.has(from ?? "");
	const toFits = filter.to?.has(to ?? "");
	if (fromFits === undefined || toFits === undefined) return fromFits ?? toFits ?? true;
	return filter.both ? fromFits && toFits : fromFits || toFits;
}

async function search(context: OwnContext, [object]: RawArray): Promise<RpcResult> {
	const tracing = tracingOf(context, "trace_filter");
	const filter = readFilter(context, object);
	return shownOf(context, await refusing(() => find(context, tracing, filter)));
}

async function find(context: ApiContext, tracing: TraceRunner, filter: TraceFilter): Promise<FlatTrace[]> {
	const run = runOf(context, { timeoutMs: undefined });
	const clock = new TraceClock(run.timeoutMs);
	const budget = budgetOf(context);
	const found: FlatTrace[] = [];
	let skipped = 0;
	for (let number = filter.first; number <= filter.last && found.length < filter.count; number++) {
		const block: SignedBlock | undefined = blockByNumber(context.node.view(context.server), number);
		// The genesis block creates accounts and executes nothing.
		if (!block || number === 0n) continue;
		for (const traces of await tracing.block(block, () => tracer(context, budget), run, clock)) {
			for (const trace of traces) {
				if (!fits(trace, filter)) continue;
				if (skipped < filter.after) skipped++;
				else if (found.length < filter.count) found.push(trace);
			}
		}
	}
	return found;
}

const method = methodsOf("isDebug");

export const traceMethods: readonly RpcMethod[] = [
	method(
		"trace_transaction",
		"The calls of a transaction; null if it is in no block.",
		["hash"],
		1,
		ofTransaction,
	),
	method(
		"trace_block",
		"The calls of all transactions of a block, by its number, a tag or its id.",
		["block"],
		1,
		ofBlock,
	),
	method("trace_filter", "The calls of blocks by who calls and who is called.", ["filter"], 1, search),
];
