/** Executions as call trees, with this network's additions (protocol/json-rpc §14.4). */

import { equalBytes } from "../../../../protocol/bytes.js";
import {
	type InternalTransaction,
	type TransactionInfo,
	TransactionResultContractResultEnum,
} from "../../../../protocol/messages.js";
import { spellMessage } from "../../../../protocol/quoting-message.js";
import { CallTrace, type FrameLog, type TracedCall } from "../../../tracing/call-trace.js";
import type { TraceBudget } from "../../../tracing/limits.js";
import type { InternalRecord } from "../../../vm/internal-transactions.js";
import type { RpcValue } from "../method.js";
import { revertMessage } from "../revert-reason.js";
import { addressData, data, quantity } from "../values.js";
import type { TraceOptions } from "./options.js";
import { errorText, plainFacts, type Seen, type ShownTracer } from "./seen.js";

type Members = { readonly [member: string]: RpcValue };

/** The call tree; its root also has what was paid and what the chain recorded. */
export function callFrames({ onlyTopCall, withLog }: TraceOptions, budget: TraceBudget): ShownTracer {
	const trace = new CallTrace({ onlyTop: onlyTopCall, withLog }, budget);
	return {
		observer: trace.observer,
		show: (seen) => {
			const frame = trace.root ? callFrame(trace.root, seen) : plainFrame(seen);
			const text = JSON.stringify(seen.info ? { ...frame, receipt: receiptOf(seen.info, seen) } : frame);
			// Contract calls were counted while they ran.
			if (!trace.root) budget.take(text.length);
			return [text];
		},
	};
}

/** A transaction without contract execution, as a call. */
function plainFrame(seen: Seen): Members {
	const { from, to, value, input } = plainFacts(seen);
	const type = seen.transaction.type?.name;
	return {
		from,
		gas: "0x0",
		gasUsed: "0x0",
		to,
		input,
		value,
		type: "CALL",
		...(type === undefined ? {} : { contractType: type }),
	};
}

function callFrame(call: TracedCall, seen: Seen): Members {
	const { kind, calls, logs, notes, failure, reverted, output, token, penalty } = call;
	const reason = reverted ? revertMessage(output) : undefined;
	// For a library call, tools show the library.
	const to = kind === "CALLCODE" || kind === "DELEGATECALL" ? call.code : call.address;
	return {
		from: addressData(call.caller),
		gas: quantity(call.energy),
		gasUsed: quantity(call.energyUsed),
		to: addressData(to),
		input: data(call.input),
		...(output.length > 0 ? { output: data(output) } : {}),
		...(reverted ? { error: "execution reverted" } : {}),
		...(failure ? { error: errorText(seen, failure.message) } : {}),
		...(reason === undefined ? {} : { revertReason: reason }),
		...(calls.length > 0 ? { calls: calls.map((inner) => callFrame(inner, seen)) } : {}),
		...(logs.length > 0 ? { logs: logs.map(logOf) } : {}),
		...(kind === "STATICCALL" ? {} : { value: quantity(call.value) }),
		type: kind,
		...(penalty > 0 ? { penalty: quantity(penalty) } : {}),
		...(token ? { tokenId: quantity(token.id), tokenValue: quantity(token.amount) } : {}),
		...(notes.length > 0 ? { operations: notes.map((note) => operationOf(note, seen)) } : {}),
	};
}

function logOf({ log, position, index }: FrameLog): RpcValue {
	return {
		address: data(log.address),
		topics: log.topics.map(data),
		data: data(log.data),
		position: quantity(position),
		index: quantity(index),
	};
}

/** A stake, a vote, or a self-destruct. */
function operationOf(
	{ note, receiver, value, tokens, rejected, extra }: InternalRecord,
	seen: Seen,
): RpcValue {
	return {
		note,
		to: addressData(receiver),
		value: quantity(value),
		...(tokens.size > 0 ? { tokens: amounts(tokens) } : {}),
		...(rejected ? { rejected } : {}),
		...(extra === "" ? {} : { extra: spellMessage(extra, seen.dialect) }),
	};
}

function amounts(tokens: ReadonlyMap<string, bigint>): Members {
	return Object.fromEntries([...tokens].map(([id, amount]) => [id, quantity(amount)]));
}

/** What was used and who paid, and the internal transactions as recorded on chain. */
function receiptOf(info: Readonly<TransactionInfo>, seen: Seen): Members {
	const { receipt, internal_transactions } = info;
	return {
		result: errorText(seen, TransactionResultContractResultEnum.names.get(receipt?.result ?? 0) ?? "UNKNOWN"),
		fee: quantity(info.fee),
		energyUsed: quantity(receipt?.energy_usage_total ?? 0n),
		energyPenalty: quantity(receipt?.energy_penalty_total ?? 0n),
		energyOfCaller: quantity(receipt?.energy_usage ?? 0n),
		energyOfOrigin: quantity(receipt?.origin_energy_usage ?? 0n),
		energyFee: quantity(receipt?.energy_fee ?? 0n),
		bandwidthUsed: quantity(receipt?.net_usage ?? 0n),
		bandwidthFee: quantity(receipt?.net_fee ?? 0n),
		internalTransactions: internal_transactions.map(internalOf),
	};
}

function internalOf(internal: Readonly<InternalTransaction>): RpcValue {
	const { hash, caller_address, transferTo_address, callValueInfo, note, rejected, extra } = internal;
	const coins = callValueInfo.find(({ tokenId }) => tokenId === "");
	const tokens = callValueInfo.filter(({ tokenId }) => tokenId !== "");
	return {
		hash: data(hash),
		note: Buffer.from(note).toString("utf8"),
		from: addressData(caller_address),
		to: addressData(transferTo_address),
		value: quantity(coins?.callValue ?? 0n),
		...(tokens.length > 0
			? { tokens: amounts(new Map(tokens.map(({ tokenId, callValue }) => [tokenId, callValue]))) }
			: {}),
		...(rejected ? { rejected } : {}),
		...(extra === "" ? {} : { extra }),
	};
}

/** Call counts by selector and argument length; precompiled contracts don't count. */
export function selectorCounts(budget: TraceBudget): ShownTracer {
	const trace = new CallTrace({ onlyTop: false, withLog: false }, budget);
	return {
		observer: trace.observer,
		show: () => {
			const counts = new Map<string, number>();
			const count = (call: TracedCall): void => {
				if (!call.kind.startsWith("CREATE") && call.input.length >= 4 && !isBuiltIn(call.code)) {
					const key = `${data(call.input.subarray(0, 4))}-${call.input.length - 4}`;
					counts.set(key, (counts.get(key) ?? 0) + 1);
				}
				for (const inner of call.calls) count(inner);
			};
			if (trace.root) count(trace.root);
			return [JSON.stringify(Object.fromEntries(counts))];
		},
	};
}

const BUILT_IN = new Uint8Array(16);

/** Precompiled contracts have small numbers as addresses. */
function isBuiltIn(address: Uint8Array): boolean {
	return equalBytes(address.subarray(1, 17), BUILT_IN);
}
