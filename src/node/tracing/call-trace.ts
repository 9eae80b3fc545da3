/** Records an execution as a call tree, with each call's logs and other effects. */

import type { TransactionInfoLog } from "../../protocol/messages.js";
import type { CallRefusal, ClosedCall, ExecutionObserver, OpenedCall } from "../vm/execution-observer.js";
import type { InternalRecord } from "../vm/internal-transactions.js";
import type { VmError } from "../vm/vm-error.js";
import type { TraceBudget } from "./limits.js";

/** A log, and the number of calls its frame had made before it. */
export interface FrameLog {
	readonly log: Readonly<TransactionInfoLog>;
	readonly position: number;
	/** Index among all logs of the transaction. */
	readonly index: number;
}

/** A completed call or creation. */
export interface TracedCall extends Omit<OpenedCall, "energy" | "input"> {
	readonly input: Uint8Array;
	/** Energy it was given. */
	readonly energy: bigint;
	/** Includes inner calls. */
	energyUsed: bigint;
	penalty: number;
	output: Uint8Array;
	reverted: boolean;
	failure: VmError | CallRefusal | undefined;
	/** Whether this entry is a self-destruct, listed as a call; its address is the heir. */
	readonly isEnd: boolean;
	/** Empty if the call failed. */
	logs: FrameLog[];
	/** Stakes, votes and similar operations. */
	readonly notes: InternalRecord[];
	readonly calls: TracedCall[];
}

interface CallTraceOptions {
	/** Omit inner calls. */
	readonly onlyTop: boolean;
	readonly withLog: boolean;
}

/** Size of a call, log or note in the response, excluding its data. */
const FIXED_BYTES = 400;

const ENDED_WITH_CALLER: CallRefusal = { result: undefined, message: "ended with its caller" };

export class CallTrace {
	/** The outermost call; undefined: no contract ran. */
	root: TracedCall | undefined;
	private open: TracedCall[] = [];
	private logs = 0;

	constructor(
		private readonly options: CallTraceOptions,
		private readonly budget: TraceBudget,
	) {}

	readonly observer: ExecutionObserver = {
		began: () => {
			this.root = undefined;
			this.open = [];
			this.logs = 0;
		},
		opened: (call) => this.begin(call),
		closed: (end) => this.end(end),
		logged: (frame, log) => {
			const call = this.callOf(frame.context.depth);
			const index = this.logs++;
			if (!call || !this.options.withLog) return;
			this.take(log.data.length + 32 * log.topics.length);
			call.logs.push({ log, position: call.calls.length, index });
		},
		noted: (frame, record) => {
			const call = this.callOf(frame.context.depth);
			if (!call) return;
			this.take(record.extra.toString().length);
			call.notes.push(record);
			if (record.note === "suicide") call.calls.push(endOf(call, record));
		},
	};

	/** Doubled because bytes are hexadecimal in the response. */
	private take(bytes: number): void {
		this.budget.take(FIXED_BYTES + 2 * bytes);
	}

	private isKept(depth: number): boolean {
		return depth === 0 || !this.options.onlyTop;
	}

	/** The open call at a depth, if it is recorded. */
	private callOf(depth: number): TracedCall | undefined {
		return this.open.find((call) => call.depth === depth);
	}

	private begin(call: OpenedCall): void {
		this.closeBelow(call.depth);
		if (!this.isKept(call.depth)) return;
		this.take(call.input.length);
		const traced: TracedCall = {
			...call,
			input: Uint8Array.from(call.input),
			energy: BigInt(call.energy),
			energyUsed: 0n,
			penalty: 0,
			output: new Uint8Array(0),
			reverted: false,
			failure: undefined,
			isEnd: false,
			logs: [],
			notes: [],
			calls: [],
		};
		const opener = this.open.at(-1);
		if (opener) opener.calls.push(traced);
		else this.root = traced;
		this.open.push(traced);
	}

	private end({ depth, energyUsed, penalty, output, reverted, failure }: ClosedCall): void {
		this.closeBelow(depth + 1);
		const call = this.open.at(-1);
		if (call?.depth !== depth) return;
		this.open.pop();
		this.take(output.length);
		call.energyUsed = energyUsed;
		call.penalty = penalty;
		call.output = Uint8Array.from(output);
		call.reverted = reverted;
		call.failure = failure;
		if (failure || reverted) forgetLogs(call);
	}

	/** Closes calls still open at a depth or deeper, which failed together with their caller. */
	private closeBelow(depth: number): void {
		for (let last = this.open.at(-1); last && last.depth >= depth; last = this.open.at(-1)) {
			this.open.pop();
			last.energyUsed = last.energy;
			last.failure = ENDED_WITH_CALLER;
			forgetLogs(last);
		}
	}
}

/** Drops the logs of a failed call and its inner calls. */
function forgetLogs(call: TracedCall): void {
	call.logs = [];
	for (const inner of call.calls) forgetLogs(inner);
}

/** A self-destruct as an entry among a contract's calls, as other networks' tools list it. */
function endOf(call: TracedCall, record: InternalRecord): TracedCall {
	return {
		kind: "SELFDESTRUCT",
		depth: call.depth + 1,
		caller: call.address,
		address: record.receiver,
		code: record.receiver,
		value: record.value,
		token: undefined,
		input: new Uint8Array(0),
		energy: 0n,
		record,
		energyUsed: 0n,
		penalty: 0,
		output: new Uint8Array(0),
		reverted: false,
		failure: undefined,
		isEnd: true,
		logs: [],
		notes: [],
		calls: [],
	};
}
