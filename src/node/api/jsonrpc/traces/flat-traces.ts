/** Executions as flat lists of calls, each with its position in the tree (protocol/json-rpc §14.5). */

import { TransactionResultContractResult as Result } from "../../../../protocol/messages.js";
import { CallTrace, type TracedCall } from "../../../tracing/call-trace.js";
import type { TraceBudget } from "../../../tracing/limits.js";
import { listPieces } from "../../long-answer.js";
import type { RpcValue } from "../method.js";
import { addressData, data, quantity } from "../values.js";
import { errorText, plainFacts, type Seen, type ShownTracer } from "./seen.js";

type Members = { readonly [member: string]: RpcValue };

/** A call, and the addresses used for filtering, as DATA. */
export interface FlatTrace {
	readonly shown: Members;
	readonly from: string | null;
	readonly to: string | null;
}

/** A tracer that produces the list. */
interface FlatTracer extends Pick<ShownTracer, "observer"> {
	list(seen: Seen): FlatTrace[];
}

export function flatTracer(budget: TraceBudget): FlatTracer {
	const trace = new CallTrace({ onlyTop: false, withLog: false }, budget);
	return {
		observer: trace.observer,
		list: (seen) => {
			if (!trace.root) {
				const plain = plainTrace(seen);
				budget.take(JSON.stringify(plain.shown).length);
				return [plain];
			}
			const traces: FlatTrace[] = [];
			flatten(trace.root, [], seen, traces);
			return traces;
		},
	};
}

export function flatTraces(budget: TraceBudget): ShownTracer {
	const { observer, list } = flatTracer(budget);
	return { observer, show: (seen) => traceList(list(seen)) };
}

/** A list as pieces of JSON text. */
export const traceList = (traces: readonly FlatTrace[]): Iterable<string> =>
	listPieces("[", traces, ({ shown }) => JSON.stringify(shown), "]");

function plainTrace(seen: Seen): FlatTrace {
	const { from, to, value, input } = plainFacts(seen);
	const shown = {
		action: { callType: "call", from, gas: "0x0", input, to, value },
		...placeOf(seen),
		result: { gasUsed: "0x0", output: "0x" },
		subtraces: 0,
		traceAddress: [],
		type: "call",
	};
	return { shown, from, to };
}

function placeOf({ place, transaction }: Seen): Members {
	if (!place) return {};
	return {
		blockHash: data(place.block.id),
		blockNumber: Number(place.block.number),
		transactionHash: data(transaction.id),
		transactionPosition: place.position,
	};
}

function flatten(call: TracedCall, address: readonly number[], seen: Seen, traces: FlatTrace[]): void {
	const { action, result, type, to } = factsOf(call);
	const error = errorOf(call, seen);
	traces.push({
		shown: {
			action,
			...placeOf(seen),
			...(error === undefined ? {} : { error }),
			result: error === undefined || call.reverted ? result : null,
			subtraces: call.calls.length,
			traceAddress: address,
			type,
		},
		from: addressData(call.caller),
		to,
	});
	call.calls.forEach((inner, index) => {
		flatten(inner, [...address, index], seen, traces);
	});
}

interface FlatFacts {
	readonly action: Members;
	readonly result: Members | null;
	readonly type: string;
	readonly to: string | null;
}

function factsOf(call: TracedCall): FlatFacts {
	const { kind, caller, code, token } = call;
	const from = addressData(caller);
	const value = quantity(call.value);
	const gas = quantity(call.energy);
	const gasUsed = quantity(call.energyUsed);
	const address = addressData(call.address);
	if (call.isEnd) {
		const action = { address: from, balance: value, refundAddress: address };
		return { action, result: null, type: "suicide", to: address };
	}
	if (kind.startsWith("CREATE")) {
		const action = { creationMethod: kind.toLowerCase(), from, gas, init: data(call.input), value };
		const result = { address, code: data(call.output), gasUsed };
		return { action, result, type: "create", to: address };
	}
	const isBorrowed = kind === "CALLCODE" || kind === "DELEGATECALL";
	const to = isBorrowed ? addressData(code) : address;
	return {
		action: {
			callType: kind.toLowerCase(),
			from,
			gas,
			input: data(call.input),
			to,
			value: kind === "STATICCALL" ? "0x0" : value,
			...(token ? { tokenId: quantity(token.id), tokenValue: quantity(token.amount) } : {}),
		},
		result: { gasUsed, output: data(call.output) },
		type: "call",
		to,
	};
}

/** Error texts of other networks' traces; if there is none, the network's own text is used. */
const ERRORS: ReadonlyMap<number, string> = new Map([
	[Result.OUT_OF_ENERGY, "Out of gas"],
	[Result.ILLEGAL_OPERATION, "Bad instruction"],
	[Result.BAD_JUMP_DESTINATION, "Bad jump destination"],
	[Result.STACK_TOO_SMALL, "Stack underflow"],
	[Result.STACK_TOO_LARGE, "Out of stack"],
	[Result.PRECOMPILED_CONTRACT, "Built-in failed"],
]);

function errorOf({ reverted, failure }: TracedCall, seen: Seen): string | undefined {
	if (reverted) return "Reverted";
	if (!failure) return undefined;
	return ERRORS.get(failure.result ?? -1) ?? errorText(seen, failure.message);
}
