import { describe, expect, test } from "vitest";
import { readTraceOptions } from "../../../../../src/node/api/jsonrpc/traces/options.js";
import { prestate } from "../../../../../src/node/api/jsonrpc/traces/prestate.js";
import type { Seen } from "../../../../../src/node/api/jsonrpc/traces/seen.js";
import { StateLayer } from "../../../../../src/node/state/layer.js";
import type { StateView } from "../../../../../src/node/state/view.js";
import { TraceBudget, TraceError } from "../../../../../src/node/tracing/limits.js";
import { Account, AccountFreezeV2, ResourceCode, Vote } from "../../../../../src/protocol/messages.js";
import { emptyState, putTestAccount, putTestContract } from "../../../vm/machine-fixture.js";

const address = (digit: string): Uint8Array => Buffer.from(`41${digit.repeat(40)}`, "hex");
const bare = (digit: string): string => `0x${digit.repeat(40)}`;

/** What a tracer shows of what was done to a state. */
function shown(
	state: StateView,
	act: (state: StateView) => void,
	{ diffMode = false, bytes = 0 } = {},
): Record<string, unknown> {
	const config = new Map([["diffMode", diffMode]]);
	const { touched, show } = prestate(
		readTraceOptions(new Map([["tracerConfig", config]])),
		new TraceBudget(bytes),
	);
	const layer = new StateLayer(state);
	act(touched?.watching(layer.view) as StateView);
	return JSON.parse([...show({ before: state, after: layer.view } as Seen)].join(""));
}

describe("prestateTracer", () => {
	test("shows what this network's accounts have beside coins", async () => {
		const state = await emptyState();
		const account = Account.create({
			address: address("a"),
			balance: 5n,
			assetV2: new Map([
				["1000001", 7n],
				["1000002", 0n],
			]),
			frozenV2: [AccountFreezeV2.create({ type: ResourceCode.ENERGY, amount: 9n })],
			votes: [Vote.create({ vote_address: address("b"), vote_count: 3n })],
		});
		state.account.put(account.address, account);
		expect(shown(state, ({ account }) => void account.get(address("a")))).toEqual({
			[bare("a")]: {
				balance: "0x5",
				tokens: { "1000001": "0x7" },
				stakes: { energy: "0x9" },
				votes: { [bare("b")]: "0x3" },
			},
		});
	});

	test("tells what was made, changed and taken away", async () => {
		const state = await emptyState();
		for (const digit of ["a", "b", "c"]) putTestAccount(state, address(digit), 5n);
		const act = (view: StateView): void => {
			putTestAccount(view, address("a"), 6n);
			view.account.delete(address("b"));
			void view.account.get(address("c"));
			putTestAccount(view, address("d"), 1n);
		};
		expect(shown(state, act, { diffMode: true })).toEqual({
			pre: { [bare("a")]: { balance: "0x5" }, [bare("b")]: { balance: "0x5" } },
			post: { [bare("a")]: { balance: "0x6" }, [bare("d")]: { balance: "0x1" } },
		});
	});

	test("ends before the code of what was touched is too long to send", async () => {
		const state = await emptyState();
		for (const digit of "abcdef") putTestContract(state, address(digit), "00".repeat(1_000));
		const act = ({ account }: StateView): void => {
			for (const digit of "abcdef") void account.get(address(digit));
		};
		expect(() => shown(state, act, { bytes: 10_000 })).toThrow(TraceError);
		expect(Object.keys(shown(state, act, { bytes: 20_000 }))).toHaveLength(6);
	});
});
