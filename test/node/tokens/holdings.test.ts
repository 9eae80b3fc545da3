import { beforeEach, describe, expect, test } from "vitest";
import { createMemoryDatabase } from "../../../src/node/state/database.js";
import { StateDatabase } from "../../../src/node/state/state-database.js";
import { createView, type StateView } from "../../../src/node/state/view.js";
import { addToken, takeToken } from "../../../src/node/tokens/holdings.js";
import { utf8 } from "../../../src/protocol/bytes.js";
import { Account, AssetIssueContract } from "../../../src/protocol/messages.js";

const NAME = utf8("gold");

let state: StateView;
beforeEach(async () => {
	const database = await StateDatabase.open(createMemoryDatabase());
	const seed = { genesisTimestampMs: 0n, maintenanceIntervalMs: 1n, committee: () => 0n };
	state = createView(database.headBackend, seed);
	state.assetIssue.put(NAME, AssetIssueContract.create({ id: "1000001", name: NAME }));
	state.properties.set("ALLOW_SAME_TOKEN_NAME", 0n);
});

const holder = (): Account =>
	Account.create({ asset: new Map([["gold", 7n]]), assetV2: new Map([["1000001", 7n]]) });

describe("a token under its name", () => {
	test("changes in both maps of the record", () => {
		const account = holder();
		addToken(state, account, NAME, 3n);
		expect(takeToken(state, account, NAME, 4n)).toBe(true);
		expect(Object.fromEntries(account.asset)).toEqual({ gold: 6n });
		expect(Object.fromEntries(account.assetV2)).toEqual({ "1000001": 6n });
	});

	test("leaves a zero under the name too while balances are moved out of records", () => {
		state.properties.set("ALLOW_ASSET_OPTIMIZATION", 1n);
		const account = holder();
		addToken(state, account, NAME, 3n);
		expect(Object.fromEntries(account.asset)).toEqual({ gold: 10n });
		expect(Object.fromEntries(account.assetV2)).toEqual({ "1000001": 10n, gold: 0n });
	});

	test("that is not held is left alone", () => {
		state.properties.set("ALLOW_ASSET_OPTIMIZATION", 1n);
		const account = new Account();
		expect(takeToken(state, account, NAME, 4n)).toBe(false);
		expect(account.assetV2.size).toBe(0);
	});
});
