import { describe, expect, it } from "vitest";
import type { JsonRecord } from "../../../src/wallet/json.js";
import { BalanceCount, entryOf } from "../../../src/wallet/view/history-entries.js";

const OWN = `41${"a".repeat(40)}`;
const OTHER = `41${"b".repeat(40)}`;

function row(type: string, value: JsonRecord, more: JsonRecord = {}, result = "SUCCESS"): JsonRecord {
	return {
		txID: "00",
		blockNumber: 5n,
		block_timestamp: 15_000n,
		net_usage: 200n,
		energy_usage_total: 7n,
		ret: [{ contractRet: result, fee: 100n }],
		raw_data: { contract: [{ type: `${type}Contract`, parameter: { value } }] },
		...more,
	};
}

const internal = (from: string, to: string, rejected = false): JsonRecord => ({
	internal_tx_id: "11",
	tx_id: "00",
	block_timestamp: 15_000n,
	from_address: from,
	to_address: to,
	data: { note: "63616c6c", rejected, call_value: { _: 9n, "1000001": 4n } },
});

describe("an entry of an account's history", () => {
	it.each<[string, JsonRecord, bigint | undefined, bigint]>([
		["what was sent", row("Transfer", { owner_address: OWN, to_address: OTHER, amount: 5n }), -5n, 100n],
		["what was received", row("Transfer", { owner_address: OTHER, to_address: OWN, amount: 5n }), 5n, 0n],
		[
			"what was sent to oneself",
			row("Transfer", { owner_address: OWN, to_address: OWN, amount: 5n }),
			0n,
			100n,
		],
		[
			"a call's value",
			row("TriggerSmart", { owner_address: OWN, contract_address: OTHER, call_value: 6n }),
			-6n,
			100n,
		],
		[
			"a call that failed",
			row("TriggerSmart", { owner_address: OWN, contract_address: OTHER, call_value: 6n }, {}, "REVERT"),
			0n,
			100n,
		],
		["a deployment", row("CreateSmart", { owner_address: OWN, new_contract: { call_value: 3n } }), -3n, 100n],
		["a stake", row("FreezeBalanceV2", { owner_address: OWN, frozen_balance: 8n }), -8n, 100n],
		[
			"its end",
			row("WithdrawExpireUnfreeze", { owner_address: OWN }, { withdraw_expire_amount: 8n }),
			8n,
			100n,
		],
		["rewards", row("WithdrawBalance", { owner_address: OWN }, { withdraw_amount: 2n }), 2n, 100n],
		[
			"a delegation to it",
			row("DelegateResource", { owner_address: OTHER, receiver_address: OWN, balance: 4n }),
			0n,
			0n,
		],
		["a trade", row("ExchangeTransaction", { owner_address: OWN }), undefined, 100n],
		["votes for it", row("VoteWitness", { owner_address: OTHER }), 0n, 0n],
		["what a contract paid", internal(OTHER, OWN), 9n, 0n],
		["what a contract paid in vain", internal(OTHER, OWN, true), 0n, 0n],
	])("tells the coins of %s", (_, given, amount, fee) => {
		expect(entryOf(given, OWN)).toMatchObject({ fee });
		expect(entryOf(given, OWN).amount).toBe(amount);
	});

	it("knows balances as long as every effect is known", () => {
		const count = new BalanceCount(50n);
		const sent = entryOf(row("Transfer", { owner_address: OWN, to_address: OTHER, amount: 5n }), OWN);
		expect(count.add(sent).balance).toBe(50n);
		expect(count.before).toBe(155n);
		const trade = entryOf(row("ExchangeTransaction", { owner_address: OWN }), OWN);
		expect(count.add(trade).balance).toBe(155n);
		expect(count.add(sent).balance).toBeUndefined();
	});
});
