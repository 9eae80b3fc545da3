import { describe, expect, it } from "vitest";
import { createMemoryDatabase } from "../../../src/node/state/database.js";
import { StateDatabase } from "../../../src/node/state/state-database.js";
import { createView, type StateView } from "../../../src/node/state/view.js";
import { gatheredBalances, usageByNumber } from "../../../src/node/tokens/token-usage.js";
import { Account } from "../../../src/protocol/messages.js";
import { CALLER } from "../vm/machine-fixture.js";

const tokens = (...numbers: readonly number[]) => numbers.map((number) => String(1_000_000 + number));

const account = (held: readonly string[], isMarked: boolean, used: readonly string[] = []) =>
	Account.create({
		address: CALLER,
		assetV2: new Map(held.map((token) => [token, 1n])),
		asset_optimized: isMarked,
		free_asset_net_usageV2: new Map(used.map((token) => [token, 0n])),
	});

/** A state under #66 whose base holds an account with these tokens, marked. */
async function stateWith(flushed: readonly string[]): Promise<StateView> {
	const database = await StateDatabase.open(createMemoryDatabase());
	const seed = { genesisTimestampMs: 0n, maintenanceIntervalMs: 21_600_000n, committee: () => 0n };
	const base = createView(database.baseBackend, seed);
	base.properties.set("ALLOW_ASSET_OPTIMIZATION", 1n);
	base.account.put(CALLER, account(flushed, true));
	return createView(database.headBackend, seed);
}

const used = (state: StateView, one: Readonly<Account>) => [...usageByNumber(state, one).keys()];
const shown = (state: StateView, one: Readonly<Account>) => [...gatheredBalances(state, one).keys()];

describe("tokens in queries of an account", () => {
	it.each([
		{ held: tokens(2, 6), order: tokens(6, 2), why: "both share a bucket of the last map, not of the first" },
		{ held: tokens(8, 11), order: tokens(11, 8), why: "the same, as recorded in an older era" },
		{ held: tokens(1, 2, 3), order: tokens(3, 1, 2), why: "each has a bucket" },
	])("come through two hash maps once balances were moved out: $why", async ({ held, order }) => {
		const state = await stateWith(held);
		expect(used(state, account(held, true))).toEqual(order);
		expect(used(state, account([...held].reverse(), true))).toEqual(order);
	});

	it("come through both maps under #66 while the record carries them all, in its order", async () => {
		const state = await stateWith(tokens(12));
		expect(used(state, account(tokens(2, 6), false))).toEqual(tokens(6, 2));
		expect(shown(state, account(tokens(12, 1), false))).toEqual(tokens(12, 1));
		expect(shown(state, account(tokens(1, 12), false))).toEqual(tokens(1, 12));
	});

	it("come through the last map alone before #66", async () => {
		const state = await stateWith([]);
		state.properties.set("ALLOW_ASSET_OPTIMIZATION", 0n);
		expect(used(state, account(tokens(2, 6), false))).toEqual(tokens(2, 6));
		expect(used(state, account(tokens(6, 2), false))).toEqual(tokens(6, 2));
	});

	it("that were flushed come before those that weren't, whatever their numbers", async () => {
		const held = tokens(12, 1);
		expect(shown(await stateWith(tokens(12)), account(held, true))).toEqual(held);
		expect(shown(await stateWith(tokens(1)), account(held, true))).toEqual(tokens(1, 12));
		expect(shown(await stateWith(tokens(12, 1)), account(held, true))).toEqual(tokens(1, 12));
	});

	it("that were used come first, in the record's order", async () => {
		const held = tokens(2, 3, 6);
		expect(used(await stateWith(held), account(held, true, tokens(2)))).toEqual(tokens(2, 3, 6));
	});
});
