/** Finds the block, transaction or call to trace, and executes it (protocol/json-rpc §14.1). */

import type { SignedBlock } from "../../../../protocol/block.js";
import { TriggerSmartContract } from "../../../../protocol/messages.js";
import type { SignedTransaction } from "../../../../protocol/transaction.js";
import { blockById, blockByNumber, headBlock } from "../../../chain/block-store.js";
import { executions } from "../../../scheduling/call-queue.js";
import type { StateView } from "../../../state/view.js";
import { TraceBudget, TraceError } from "../../../tracing/limits.js";
import type {
	EndedCall,
	TracedTransaction,
	TracePlace,
	TraceRun,
	TraceRunner,
	Tracer,
} from "../../../tracing/trace-runner.js";
import type { BlockContext } from "../../../vm/machine.js";
import type { ApiContext } from "../../context.js";
import { callTransaction } from "../../queries/contract-calls.js";
import { readersOf } from "../answers.js";
import { isRawObject, JsonNumber, type RawObject, type RawValue } from "../json-reader.js";
import { blockTag, callOf } from "../lenient/parameters.js";
import { internal, invalidParams, notAvailable } from "../rpc-error.js";
import { isEmptyHex, isTag, ZERO_ADDRESS } from "../values.js";
import type { TraceOptions } from "./options.js";
import type { Seen, ShownTracer } from "./seen.js";

/** @throws {RpcError} where this node doesn't trace */
export function tracingOf({ node }: Pick<ApiContext, "node">, method: string): TraceRunner {
	if (!node.tracing) throw notAvailable(method, ": node.jsonrpc.debug is off");
	return node.tracing;
}

/** A string, or a number as text. */
function textOf(value: RawValue | undefined): string | null {
	if (value instanceof JsonNumber) return value.text;
	if (value === undefined || value === null) return null;
	if (typeof value !== "string") throw invalidParams("a text is expected");
	return value;
}

/** The block for a number, a tag or an id. @throws {RpcError} if there is none */
export function readBlock(context: ApiContext, value: RawValue | undefined): SignedBlock {
	const block = findBlock(context, textOf(blockTag(namedBlock(value))));
	if (!block) throw invalidParams("there is no such block");
	return block;
}

/** The block reference in an object, as Ethereum tools write it. */
function namedBlock(value: RawValue | undefined): RawValue | undefined {
	return isRawObject(value) ? (value.get("blockHash") ?? value.get("blockNumber") ?? null) : value;
}

function findBlock(context: ApiContext, text: string | null): SignedBlock | undefined {
	const { state } = context;
	const readers = readersOf(context);
	if (isTag(text, "latest")) return headBlock(state);
	if (isTag(text, "earliest")) return blockByNumber(state, 0n);
	if (isTag(text, "finalized"))
		return blockByNumber(state, state.properties.get("LATEST_SOLIDIFIED_BLOCK_NUM"));
	if (text !== null && /^(0x)?[0-9a-f]{64}$/i.test(text)) return blockById(state, readers.hash(text));
	return blockByNumber(state, readers.blockNumber(text));
}

/** The position of a transaction; undefined if it is in no block. @throws {RpcError} */
export function readTransactionPlace(
	context: ApiContext,
	tracing: TraceRunner,
	value: RawValue | undefined,
): TracePlace | undefined {
	return tracing.locate(readersOf(context).hash(textOf(value)));
}

/** How the executions of a request are run. */
export function runOf(
	{ node, isAbandoned, client }: ApiContext,
	{ timeoutMs }: Pick<TraceOptions, "timeoutMs">,
): TraceRun {
	const most = node.config.node.jsonrpc.debugTimeoutMs;
	return {
		queue: (work) => executions.run(work, isAbandoned, client),
		timeoutMs: Math.min(timeoutMs ?? Number.POSITIVE_INFINITY, most > 0 ? most : Number.POSITIVE_INFINITY),
	};
}

/** Size budget for all traces of a request. */
export function budgetOf({ node }: ApiContext): TraceBudget {
	return new TraceBudget(node.config.node.jsonrpc.maxResponseSize);
}

/** A tracer for the runner, with its result rendered as text. */
export function shownTracer(
	context: ApiContext,
	{ observer, touched, show }: ShownTracer,
): Tracer<Iterable<string>> {
	return { observer, touched, result: (traced) => show(seenTransaction(context, traced)) };
}

/** A traced transaction, ready for rendering. */
export function seenTransaction({ style }: ApiContext, traced: TracedTransaction): Seen {
	const { block, position, transaction, info, before, after } = traced;
	return {
		transaction,
		place: { block, position },
		info,
		outcome: {
			succeeded: info.result === 0,
			energyUsed: info.receipt?.energy_usage_total ?? 0n,
			output: info.contractResult[0] ?? new Uint8Array(0),
		},
		before,
		after,
		dialect: style.dialect,
	};
}

/** Turns a tracing failure into an RPC error. @throws {RpcError} */
export async function refusing<T>(trace: () => Promise<T>): Promise<T> {
	try {
		return await trace();
	} catch (error) {
		if (error instanceof TraceError) throw internal(error.message);
		throw error;
	}
}

/** Overrides of a call's state and block. */
export interface TraceOverlay {
	state(state: StateView): StateView;
	block(block: BlockContext): BlockContext;
}

const PLAIN: TraceOverlay = { state: (state) => state, block: (block) => block };

/** Traces a call on a block's state. @throws {RpcError | TraceError} */
export async function traceCall(
	context: ApiContext,
	tracing: TraceRunner,
	call: RawValue | undefined,
	selector: RawValue | undefined,
	options: TraceOptions,
	tracer: ShownTracer,
	overlay: TraceOverlay = PLAIN,
): Promise<Iterable<string>> {
	const block = readBlock(context, selector);
	const { transaction, energyLimit, target } = readCall(context, call);
	const { node, server, style } = context;
	const at = () => {
		const isHead = block.number === node.view(server).properties.headNumber;
		const state = overlay.state(isHead ? node.view(server) : tracing.stateAt(block.number));
		return { state, forks: node.forks(state), block: overlay.block(block) };
	};
	const shown = ({ transaction, result, before, after }: EndedCall): Iterable<string> =>
		tracer.show({
			transaction,
			place: undefined,
			info: undefined,
			outcome: result && { ...result, succeeded: !result.reverted },
			before,
			after,
			dialect: style.dialect,
		});
	const run = runOf(context, options);
	if (target && !at().state.contract.has(target)) {
		// An account without code only receives the value.
		const nothing = { reverted: false, output: new Uint8Array(0), energyUsed: 0n, energyPenalty: 0n };
		const result = { ...nothing, logs: [], internalTransactions: [] };
		return run.queue(() => shown({ transaction, result, before: at().state, after: at().state }));
	}
	return tracing.call({ transaction, energyLimit, at }, tracer, shown, run);
}

interface ReadCall {
	readonly transaction: SignedTransaction;
	readonly energyLimit: bigint;
	/** Undefined for a deployment. */
	readonly target: Uint8Array | undefined;
}

/** Parses a call object; without a receiver it is a deployment. @throws {RpcError} */
function readCall(context: ApiContext, value: RawValue | undefined): ReadCall {
	const readers = readersOf(context);
	const call = callOf(value);
	const text = (name: string): string | null => textOf(call.get(name));
	// Read from the original object, since the network's call object has no tokens.
	const own = (name: string): string | null => textOf((value as RawObject).get(name));
	const to = text("to");
	const target = isEmptyHex(to) ? undefined : readers.address(to);
	const message = TriggerSmartContract.create({
		owner_address: readers.address(text("from") ?? ZERO_ADDRESS),
		...(target ? { contract_address: target } : {}),
		call_value: readers.amount(text("value")),
		call_token_value: readers.amount(own("tokenValue")),
		token_id: readers.amount(own("tokenId")),
		data: readers.input({ data: text("data") })(),
	});
	const { maxEnergyLimitForConstant } = context.node.config.vm;
	const gas = readers.amount(text("gas"));
	return {
		transaction: callTransaction(context, message),
		energyLimit: gas > 0n && gas < maxEnergyLimitForConstant ? gas : maxEnergyLimitForConstant,
		target,
	};
}
