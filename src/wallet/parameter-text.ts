/** The members of a contract for people: amounts of coins with their unit. */

import { formatCoin } from "./amount.js";
import type { View } from "./message-view.js";
import { COIN_ID } from "./token-amount.js";

/** Members that are sun, by contract type; after a dot those of an inner message. */
const SUN: Readonly<Record<string, readonly string[]>> = {
	TransferContract: ["amount"],
	ParticipateAssetIssueContract: ["amount"],
	FreezeBalanceContract: ["frozen_balance"],
	FreezeBalanceV2Contract: ["frozen_balance"],
	UnfreezeBalanceV2Contract: ["unfreeze_balance"],
	DelegateResourceContract: ["balance"],
	UnDelegateResourceContract: ["balance"],
	TriggerSmartContract: ["call_value"],
	CreateSmartContract: ["new_contract.call_value"],
};

/** Amounts of a token that may be the coin itself, each with the member that says which. */
const TOKEN: Readonly<Record<string, readonly (readonly [amount: string, token: string])[]>> = {
	ExchangeCreateContract: [
		["first_token_balance", "first_token_id"],
		["second_token_balance", "second_token_id"],
	],
	ExchangeInjectContract: [["quant", "token_id"]],
	ExchangeWithdrawContract: [["quant", "token_id"]],
	ExchangeTransactionContract: [["quant", "token_id"]],
	MarketSellAssetContract: [
		["sell_token_quantity", "sell_token_id"],
		["buy_token_quantity", "buy_token_id"],
	],
};

/** @param type name of the contract type @param view all members, as they are printed for programs */
export function parameterText(type: string, view: View): View {
	const tokens = (TOKEN[type] ?? []).filter(([, token]) => memberOf(view, token) === COIN_ID);
	const paths = [...(SUN[type] ?? []), ...tokens.map(([amount]) => amount)];
	return paths.reduce((result, path) => withUnit(result, path.split(".")), view);
}

function memberOf(view: View, name: string): View | undefined {
	return typeof view === "object" && !Array.isArray(view)
		? (view as Readonly<Record<string, View>>)[name]
		: undefined;
}

function withUnit(view: View, [name = "", ...inner]: readonly string[]): View {
	const value = memberOf(view, name);
	if (value === undefined) return view;
	const shown =
		inner.length > 0 ? withUnit(value, inner) : typeof value === "bigint" ? formatCoin(value) : value;
	return { ...(view as Readonly<Record<string, View>>), [name]: shown };
}
