import { describe, expect, test } from "vitest";
import { CallTrace } from "../../../src/node/tracing/call-trace.js";
import { TraceBudget, TraceError } from "../../../src/node/tracing/limits.js";
import type { ClosedCall, ExecutionObserver, OpenedCall } from "../../../src/node/vm/execution-observer.js";
import type { Frame } from "../../../src/node/vm/frame.js";
import { TransactionInfoLog } from "../../../src/protocol/messages.js";

const ADDRESS = new Uint8Array(21).fill(0x41);

const opened = (depth: number, more: Partial<OpenedCall> = {}): OpenedCall => ({
	kind: "CALL",
	depth,
	caller: ADDRESS,
	address: ADDRESS,
	code: ADDRESS,
	value: 0n,
	token: undefined,
	input: new Uint8Array(0),
	energy: 100,
	record: undefined,
	...more,
});

const closed = (depth: number, more: Partial<ClosedCall> = {}): ClosedCall => ({
	depth,
	energyUsed: 7n,
	penalty: 0,
	output: new Uint8Array(0),
	reverted: false,
	failure: undefined,
	...more,
});

const at = (depth: number): Frame => ({ context: { depth } }) as Frame;
const LOG = TransactionInfoLog.create({ data: new Uint8Array(3) });

function traced(
	tell: (observer: Required<ExecutionObserver>) => void,
	{ onlyTop = false, withLog = true, bytes = 0 } = {},
): CallTrace {
	const trace = new CallTrace({ onlyTop, withLog }, new TraceBudget(bytes));
	tell(trace.observer as Required<ExecutionObserver>);
	return trace;
}

describe("a trace of calls", () => {
	test("is a tree in which each log has its place among the calls", () => {
		const { root } = traced((observer) => {
			observer.opened(opened(0));
			observer.opened(opened(1, { kind: "STATICCALL" }));
			observer.closed(closed(1, { energyUsed: 3n }));
			observer.logged(at(0), LOG);
			observer.opened(opened(1));
			observer.logged(at(1), LOG);
			observer.closed(closed(1));
			observer.closed(closed(0, { energyUsed: 50n, penalty: 4 }));
		});
		expect(root).toMatchObject({
			energyUsed: 50n,
			penalty: 4,
			logs: [{ position: 1, index: 0 }],
			calls: [{ kind: "STATICCALL", energyUsed: 3n }, { logs: [{ position: 0, index: 1 }] }],
		});
	});

	test("has no logs of what failed, nor of what that called", () => {
		const { root } = traced((observer) => {
			observer.opened(opened(0));
			observer.opened(opened(1));
			observer.opened(opened(2));
			observer.logged(at(2), LOG);
			observer.closed(closed(2));
			observer.closed(closed(1, { reverted: true }));
			observer.logged(at(0), LOG);
			observer.closed(closed(0));
		});
		expect(root?.logs).toHaveLength(1);
		expect(root?.calls[0]).toMatchObject({ logs: [], calls: [{ logs: [] }] });
	});

	test("ends with its caller what nothing was heard of any more", () => {
		const { root } = traced((observer) => {
			observer.opened(opened(0));
			observer.opened(opened(1));
			observer.opened(opened(2));
			observer.closed(closed(0, { failure: { result: undefined, message: "out of time" } }));
		});
		expect(root?.failure?.message).toBe("out of time");
		expect(root?.calls[0]).toMatchObject({
			energyUsed: 100n,
			failure: { message: "ended with its caller" },
			calls: [{ failure: { message: "ended with its caller" } }],
		});
	});

	test("forgets an execution that begins anew", () => {
		const { root } = traced((observer) => {
			observer.opened(opened(0, { kind: "CREATE" }));
			observer.began();
			observer.opened(opened(0));
			observer.closed(closed(0));
		});
		expect(root).toMatchObject({ kind: "CALL", calls: [] });
	});

	test("of the outermost call has no others", () => {
		const tell = (observer: Required<ExecutionObserver>): void => {
			observer.opened(opened(0));
			observer.opened(opened(1));
			observer.logged(at(1), LOG);
			observer.closed(closed(1));
			observer.closed(closed(0));
		};
		expect(traced(tell, { onlyTop: true }).root).toMatchObject({ calls: [], logs: [], energyUsed: 7n });
	});

	test("ends where it gets too long", () => {
		const input = new Uint8Array(600);
		expect(() => traced(({ opened: open }) => open(opened(0, { input })), { bytes: 1_500 })).toThrow(
			TraceError,
		);
		expect(() => traced(({ opened: open }) => open(opened(0, { input })), { bytes: 1_600 })).not.toThrow();
	});
});
