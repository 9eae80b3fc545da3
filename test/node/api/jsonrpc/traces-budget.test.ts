/** What traces gather is counted while they gather it. */

import { expect, test } from "vitest";
import { callFrames } from "../../../../src/node/api/jsonrpc/traces/call-frames.js";
import { flatTraces } from "../../../../src/node/api/jsonrpc/traces/flat-traces.js";
import { readTraceOptions } from "../../../../src/node/api/jsonrpc/traces/options.js";
import { prestate } from "../../../../src/node/api/jsonrpc/traces/prestate.js";
import type { Seen } from "../../../../src/node/api/jsonrpc/traces/seen.js";
import type { StateView } from "../../../../src/node/state/view.js";
import { TraceBudget } from "../../../../src/node/tracing/limits.js";
import { addressPrefix } from "../../../../src/protocol/address.js";
import { Account, Transaction } from "../../../../src/protocol/messages.js";
import { SignedTransaction } from "../../../../src/protocol/transaction.js";
import { address, SmallChain } from "./small-chain.js";

const options = readTraceOptions(undefined);
const seenOn = (state: StateView): Seen => ({
	transaction: SignedTransaction.decode(Transaction.encode(Transaction.create({}))),
	place: undefined,
	info: undefined,
	outcome: undefined,
	before: state,
	after: state,
	dialect: "neutral" as Seen["dialect"],
});

test("prestateTracer reads no more code than it may show", async () => {
	const { state } = await SmallChain.create();
	const budget = new TraceBudget(20_000);
	const tracer = prestate(options, budget);
	const watched = tracer.touched?.watching(state);
	for (let n = 1; n <= 20; n++) {
		const account = Buffer.concat([Uint8Array.of(addressPrefix()), address(n)]);
		state.account.put(account, Account.create({ address: account }));
		watched?.account.get(account);
	}
	let read = 0;
	const code = {
		get: () => {
			read++;
			return new Uint8Array(2_000);
		},
	};
	const { account, contract } = state;
	const seen = seenOn({ account, contract, code } as unknown as StateView);
	expect(() => tracer.show(seen)).toThrow("the trace is longer than 20000 bytes");
	expect(read).toBeLessThan(5);
});

test.each([
	["callTracer", (budget: TraceBudget) => callFrames(options, budget)],
	["flatCallTracer", (budget: TraceBudget) => flatTraces(budget)],
])("%s counts transactions that run no contract", async (_, tracer) => {
	const { state } = await SmallChain.create();
	const budget = new TraceBudget(1_000);
	const show = (): Iterable<string> => tracer(budget).show(seenOn(state));
	expect(() => {
		for (let n = 0; n < 20; n++) show();
	}).toThrow("the trace is longer than 1000 bytes");
});
