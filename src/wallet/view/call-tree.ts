/** Reads the tree of calls of an execution from a node's `callTracer` (protocol/json-rpc §14.4). */

import { equalBytes, fromHex, toHex } from "../../protocol/bytes.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord } from "../json.js";

export interface TracedLog {
	/** Contract that emitted it, 20 bytes. */
	readonly address: Uint8Array;
	readonly topics: readonly Uint8Array[];
	readonly data: Uint8Array;
}

/** An operation other than a call: a stake, a vote, a contract's self-destruction. */
export interface TracedOperation {
	/** Its name in internal transactions. */
	readonly note: string;
	/** 20 bytes; undefined if there is no recipient. */
	readonly to: Uint8Array | undefined;
	readonly valueSun: bigint;
}

/** How a call ended. `failed`: without returning or reverting, for example because it ran out of energy. */
type CallEnd = "success" | "revert" | "failed";

export interface CallNode {
	/** The operation: CALL, DELEGATECALL, CREATE2, … */
	readonly kind: string;
	/** The caller, 20 bytes. */
	readonly from: Uint8Array;
	/** Contract whose state it operates on, 20 bytes. */
	readonly to: Uint8Array;
	/** Contract whose code runs, 20 bytes. */
	readonly code: Uint8Array;
	readonly input: Uint8Array;
	readonly valueSun: bigint;
	readonly token: { readonly id: bigint; readonly amount: bigint } | undefined;
	/** Energy used, including nested calls. */
	readonly energy: bigint;
	/** The part of it that is the penalty of dynamic energy. */
	readonly penalty: bigint;
	readonly end: CallEnd;
	/** The node's error message; empty if it didn't fail. */
	readonly error: string;
	readonly output: Uint8Array;
	readonly operations: readonly TracedOperation[];
	/** Nested calls and logs, in order. */
	readonly inner: readonly (CallNode | TracedLog)[];
}

/** The virtual machine doesn't nest calls deeper than this, whatever a node claims. */
const MAX_DEPTH = 4_200;
/** The most calls, logs and operations in a tree. */
const MAX_ENTRIES = 500_000;

/** Reads the result of `callTracer`. @throws {Failure} `rpc_error` if it isn't one */
export function callTree(answer: Json): CallNode {
	return new Reader().call(answer, 0);
}

/** The contracts whose code ran on the state of another one, by its address in hex: what proxies run, and libraries. */
export function borrowedCodes(root: CallNode): ReadonlyMap<string, readonly Uint8Array[]> {
	const found = new Map<string, Map<string, Uint8Array>>();
	const visit = ({ to, code, inner }: CallNode): void => {
		const key = toHex(to);
		if (!equalBytes(to, code)) found.set(key, (found.get(key) ?? new Map()).set(toHex(code), code));
		for (const entry of inner) if ("code" in entry) visit(entry);
	};
	visit(root);
	return new Map([...found].map(([key, codes]) => [key, [...codes.values()]]));
}

function wrong(what: string): Failure {
	return new Failure("rpc_error", `the node answered with no trace: ${what}`);
}

class Reader {
	private entries = 0;

	private record(value: Json | undefined, what: string): JsonRecord {
		if (++this.entries > MAX_ENTRIES) throw wrong("it is too long");
		if (!isRecord(value)) throw wrong(`${what} is not an object`);
		return value;
	}

	call(value: Json | undefined, depth: number): CallNode {
		if (depth > MAX_DEPTH) throw wrong("calls nest too deep");
		const frame = this.record(value, "a call");
		const kind = text(frame, "type");
		const from = bytes(frame, "from");
		const to = bytes(frame, "to");
		const isBorrowed = kind === "DELEGATECALL" || kind === "CALLCODE";
		const error = text(frame, "error");
		const tokenValue = quantity(frame, "tokenValue");
		return {
			kind,
			from,
			to: isBorrowed ? from : to,
			code: to,
			input: bytes(frame, "input"),
			valueSun: quantity(frame, "value"),
			token: tokenValue > 0n ? { id: quantity(frame, "tokenId"), amount: tokenValue } : undefined,
			energy: quantity(frame, "gasUsed"),
			penalty: quantity(frame, "penalty"),
			end: error === "" ? "success" : error === "execution reverted" ? "revert" : "failed",
			error,
			output: bytes(frame, "output"),
			operations: list(frame, "operations").map((entry) => this.operation(entry)),
			inner: this.inner(frame, depth),
		};
	}

	/** Merges calls and logs: a log's position is the index of the call that it precedes. */
	private inner(frame: JsonRecord, depth: number): (CallNode | TracedLog)[] {
		const calls = list(frame, "calls").map((entry) => this.call(entry, depth + 1));
		const logs = list(frame, "logs").map((entry) => this.logView(entry));
		const inner: (CallNode | TracedLog)[] = [];
		let next = 0;
		calls.forEach((call, index) => {
			for (let log = logs[next]; log && log.position <= BigInt(index); log = logs[++next])
				inner.push(log.log);
			inner.push(call);
		});
		inner.push(...logs.slice(next).map(({ log }) => log));
		return inner;
	}

	private logView(value: Json): { readonly log: TracedLog; readonly position: bigint } {
		const entry = this.record(value, "a log");
		const topics = list(entry, "topics").map((topic) => bytes({ topic }, "topic"));
		const log = { address: bytes(entry, "address"), topics, data: bytes(entry, "data") };
		return { log, position: quantity(entry, "position") };
	}

	private operation(value: Json): TracedOperation {
		const entry = this.record(value, "an operation");
		const to = bytes(entry, "to");
		return {
			note: text(entry, "note"),
			to: to.length === 0 ? undefined : to,
			valueSun: quantity(entry, "value"),
		};
	}
}

function list(record: JsonRecord, name: string): readonly Json[] {
	const value = record[name];
	if (value === undefined || value === null) return [];
	if (!Array.isArray(value)) throw wrong(`${name} is not a list`);
	return value;
}

function text(record: JsonRecord, name: string): string {
	const value = record[name] ?? "";
	if (typeof value !== "string") throw wrong(`${name} is not a text`);
	return value;
}

/** Reads bytes, `0x…`; empty if absent. */
function bytes(record: JsonRecord, name: string): Uint8Array {
	const value = text(record, name);
	if (value === "") return new Uint8Array(0);
	if (!/^0x([0-9a-f]{2})*$/i.test(value)) throw wrong(`${name} is not hexadecimal`);
	return fromHex(value.slice(2));
}

/** Reads a number, `0x…`, of at most 64 bits; 0 if absent. */
function quantity(record: JsonRecord, name: string): bigint {
	const value = text(record, name);
	if (value === "") return 0n;
	if (!/^0x[0-9a-f]{1,16}$/i.test(value)) throw wrong(`${name} is not a quantity`);
	return BigInt(value);
}
