import { expect, it } from "vitest";
import { parameterText } from "../../../src/wallet/values/parameter-text.js";

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
