import { beforeAll, describe, expect, it } from "vitest";
import type { Properties } from "../../../src/node/state/properties.js";
import { usageByNumber } from "../../../src/node/tokens/token-usage.js";
import { Account } from "../../../src/protocol/messages.js";
import { openState } from "../consensus/chain-state.js";

let properties: Properties;
beforeAll(async () => {
	({ properties } = await openState(0));
});

const tokens = (...numbers: readonly number[]) => numbers.map((number) => String(1_000_000 + number));

const account = (held: readonly string[], settled: boolean, used: readonly string[] = []) =>
	Account.create({
		assetV2: new Map(held.map((token) => [token, 1n])),
		asset_optimized: settled,
		free_asset_net_usageV2: new Map(used.map((token) => [token, 0n])),
	});

describe("tokens in queries of bandwidth", () => {
	it.each([
		{ held: tokens(2, 6), order: tokens(6, 2), why: "both share a bucket of the last map, not of the first" },
		{ held: tokens(8, 11), order: tokens(11, 8), why: "the same, as recorded in an older era" },
		{ held: tokens(1, 2, 3), order: tokens(3, 1, 2), why: "each has a bucket" },
	])("come through two hash maps once balances were moved out: $why", ({ held, order }) => {
		expect([...usageByNumber(properties, account(held, true)).keys()]).toEqual(order);
		expect([...usageByNumber(properties, account([...held].reverse(), true)).keys()]).toEqual(order);
	});

	it("come through the last map alone while the record carries them", () => {
		expect([...usageByNumber(properties, account(tokens(2, 6), false)).keys()]).toEqual(tokens(2, 6));
		expect([...usageByNumber(properties, account(tokens(6, 2), false)).keys()]).toEqual(tokens(6, 2));
	});

	it("that were used come first, in the record's order", () => {
		expect([...usageByNumber(properties, account(tokens(2, 3, 6), true, tokens(2))).keys()]).toEqual(
			tokens(2, 3, 6),
		);
	});
});
