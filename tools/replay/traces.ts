/**
 * Traces and simulates the blocks of a replay: both must reproduce the receipts, and traces must agree with
 * them.
 */

import type { Simulator } from "../../src/node/simulation/simulator.js";
import { CallTrace, type TracedCall } from "../../src/node/tracing/call-trace.js";
import { TraceBudget, TraceError } from "../../src/node/tracing/limits.js";
import { StructLog } from "../../src/node/tracing/struct-log.js";
import type { TracedTransaction, TraceRunner, Tracer } from "../../src/node/tracing/trace-runner.js";
import type { ExecutionObserver } from "../../src/node/vm/execution-observer.js";
import type { SignedBlock } from "../../src/protocol/block.js";
import { equalBytes } from "../../src/protocol/bytes.js";
import {
	TransactionInfo,
	TransactionResultContractResult,
	TransactionRet,
} from "../../src/protocol/messages.js";
import type { Refusal, TracedBlock } from "./target.js";

/** Operations listed per transaction: enough to see that listing has no effect. */
const STEPS = 2_000;

interface Traced {
	readonly info: TransactionInfo;
	readonly ran: boolean;
	readonly problems: readonly string[];
}

/** Traces every transaction of a block, which must be the head. */
export async function traceBlock(tracing: TraceRunner, block: SignedBlock): Promise<TracedBlock | Refusal> {
	try {
		const run = { queue: async <T>(work: () => T) => work(), timeoutMs: Number.POSITIVE_INFINITY };
		const traces = await tracing.block(block, tracer, run);
		const infos = TransactionRet.create({
			blockNumber: block.number,
			blockTimeStamp: block.timestampMs,
			transactioninfo: traces.map(({ info }) => info),
		});
		return {
			contracts: traces.filter(({ ran }) => ran).length,
			infos: traces.length === 0 ? null : TransactionRet.encode(infos),
			problems: traces.flatMap(({ problems }) => problems),
		};
	} catch (error) {
		if (error instanceof TraceError) return { error: error.message };
		throw error;
	}
}

/** Results that depend on the producer: re-execution on the same state doesn't reproduce them. */
const OF_THE_PRODUCER: ReadonlySet<number> = new Set([
	TransactionResultContractResult.OUT_OF_TIME,
	TransactionResultContractResult.JVM_STACK_OVER_FLOW,
]);

/** Simulates a block's transactions on its parent. @returns deviations from the block's receipts */
export async function simulateBlock(
	simulator: Simulator,
	parent: SignedBlock,
	{ transactions, timestampMs, witness }: SignedBlock,
	{ infos }: TracedBlock,
): Promise<string[]> {
	if (transactions.some(({ message }) => OF_THE_PRODUCER.has(message.ret[0]?.contractRet ?? 0))) return [];
	const recorded = infos ? TransactionRet.decode(infos).transactioninfo : [];
	const run = { queue: async <T>(work: () => T) => work(), timeoutMs: Number.POSITIVE_INFINITY };
	return simulator.begin(parent, run).step((simulation, deadlineMs) => {
		simulation.begin({ timestampMs, witness, edits: [] });
		const problems = transactions.flatMap((transaction, i) => {
			const { info, refusal } = simulation.execute(transaction.withResults([]), {
				mode: "charged",
				observer: {},
				deadlineMs,
			});
			if (!info) return [`simulating ${transaction.idHex}: ${refusal?.message}`];
			const isSame = equalBytes(
				TransactionInfo.encode(info),
				TransactionInfo.encode(recorded[i] ?? new TransactionInfo()),
			);
			return isSame ? [] : [`simulating ${transaction.idHex} comes to another receipt`];
		});
		simulation.end();
		return problems;
	});
}

function tracer(): Tracer<Traced> {
	const budget = new TraceBudget(0);
	const calls = new CallTrace({ onlyTop: false, withLog: true }, budget);
	const options = { stack: true, memory: false, storage: true, returnData: true, limit: STEPS };
	const steps = new StructLog({ ...options, write: ({ op }) => op }, budget);
	return {
		observer: both(calls.observer, steps.observer),
		result: (traced) => ({
			info: traced.info,
			ran: calls.root !== undefined,
			problems: calls.root ? oddities(traced, calls.root) : [],
		}),
	};
}

function both(first: ExecutionObserver, second: ExecutionObserver): ExecutionObserver {
	return {
		began: () => {
			first.began?.();
			second.began?.();
		},
		opened: (call) => {
			first.opened?.(call);
			second.opened?.(call);
		},
		closed: (end) => {
			first.closed?.(end);
			second.closed?.(end);
		},
		step: (...step) => {
			first.step?.(...step);
			second.step?.(...step);
		},
		logged: (...log) => {
			first.logged?.(...log);
			second.logged?.(...log);
		},
		noted: (...note) => {
			first.noted?.(...note);
			second.noted?.(...note);
		},
	};
}

/** Contradictions between call tree and receipt. */
function oddities({ transaction, info }: TracedTransaction, root: TracedCall): string[] {
	const found: string[] = [];
	const expect = (what: string, expected: bigint | number, got: bigint | number): void => {
		if (BigInt(expected) !== BigInt(got))
			found.push(`${transaction.idHex}: ${what} is ${got} in the tree and ${expected} in the receipt`);
	};
	expect("energy", info.receipt?.energy_usage_total ?? 0n, root.energyUsed);
	expect("penalty", info.receipt?.energy_penalty_total ?? 0n, root.penalty);
	// A failure from outside of the code leaves partial lists.
	if (!root.failure) {
		expect("number of logs", info.log.length, logsOf(root));
		const listed = info.internal_transactions.length;
		if (listed > 0) expect("number of internal transactions", listed, recordsOf(root, listed));
	}
	for (const call of each(root)) {
		const inner = call.calls.reduce((sum, { energyUsed }) => sum + energyUsed, 0n);
		if (inner > call.energyUsed)
			found.push(`${transaction.idHex}: inner calls of ${call.kind} use ${inner} of ${call.energyUsed}`);
	}
	return found;
}

function* each(call: TracedCall): Generator<TracedCall> {
	yield call;
	for (const inner of call.calls) yield* each(inner);
}

function logsOf(root: TracedCall): number {
	return [...each(root)].reduce((sum, { logs }) => sum + logs.length, 0);
}

const PLAIN: ReadonlySet<string> = new Set(["call", "create", "suicide"]);

/** Internal transactions in the call tree: all, or only those listed by every node. */
function recordsOf(root: TracedCall, listed: number): number {
	const records = [...each(root)].flatMap((call) => [
		...(call.record && !call.isEnd ? [call.record] : []),
		...call.notes,
	]);
	return records.length === listed ? listed : records.filter(({ note }) => PLAIN.has(note)).length;
}
