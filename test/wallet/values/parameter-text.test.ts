import { expect, it } from "vitest";
import { parameterText, receiptText, transactionText } from "../../../src/wallet/values/parameter-text.js";

it.each([
	["TransferContract", { to_address: "T", amount: 1_500_000n }, { to_address: "T", amount: "1.5coin" }],
	["TransferAssetContract", { amount: 7n }, { amount: 7n }],
	[
		"CreateSmartContract",
		{ new_contract: { call_value: 2_000_000n } },
		{ new_contract: { call_value: "2coin" } },
	],
	["CreateSmartContract", {}, {}],
	[
		"MarketSellAssetContract",
		{ sell_token_id: "_", sell_token_quantity: 1_000_000n, buy_token_id: "1000001", buy_token_quantity: 3n },
		{ sell_token_id: "_", sell_token_quantity: "1coin", buy_token_id: "1000001", buy_token_quantity: 3n },
	],
	["TransferContract", "00ff", "00ff"],
] as const)("%s %o", (type, view, shown) => {
	expect(parameterText(type, view)).toEqual(shown);
});

it("gives the fee limit of a transaction and the fees of a receipt their unit", () => {
	const contract = { call_value: 2_000_000n };
	expect(transactionText({ type: "TriggerSmartContract", contract, memo: undefined, feeLimit: 13n })).toEqual(
		{
			type: "TriggerSmartContract",
			contract: { call_value: "2coin" },
			memo: undefined,
			feeLimit: "0.000013coin",
		},
	);
	const receipt = { energy_usage: 7n, energy_fee: 1_000_000n };
	expect(receiptText({ id: "00", fee: 1_500_000n, receipt })).toEqual({
		id: "00",
		fee: "1.5coin",
		receipt: { energy_usage: 7n, energy_fee: "1coin" },
	});
	const resMessage =
		"Not enough energy for 'MSTORE' operation executing: curInvokeEnergyLimit[10], curOpEnergy[2], usedEnergy[9]";
	expect(receiptText({ resMessage })).toEqual({
		resMessage: "the call used up all of its 10 energy, at the operation MSTORE",
	});
	expect(receiptText({ id: "00" })).toEqual({ id: "00" });
});
