/** Formats a transaction and the members of its contract for people, with units for amounts of coins. */

import { contractTypeByName } from "../../protocol/contract-types.js";
import { COIN_CURRENCY_ID } from "../token/token-amount.js";
import { inPlainWords } from "../transaction/refusal-advice.js";
import type { View } from "../view/message-view.js";
import { formatCoin } from "./amount.js";

/** @param type name of the contract type @param view all members, in the form for programs */
export function parameterText(type: string, view: View): View {
	const { sunFields = [], tokenFields = [] } = contractTypeByName(type) ?? {};
	const tokens = tokenFields.filter(([, token]) => memberOf(view, token) === COIN_CURRENCY_ID);
	const paths = [...sunFields, ...tokens.map(([amount]) => amount)];
	return paths.reduce((result, path) => withUnit(result, path.split(".")), view);
}

/** @param view of `viewTransaction` */
export function transactionText(
	view: Readonly<Record<string, View | undefined>>,
): Record<string, View | undefined> {
	const { type, contract, feeLimit } = view;
	return {
		...view,
		...(contract === undefined ? {} : { contract: parameterText(String(type), contract) }),
		...(typeof feeLimit === "bigint" ? { feeLimit: formatCoin(feeLimit) } : {}),
	};
}

/** Formats a receipt, as given by {@link viewOf}, for people, with the virtual machine's error made readable. */
export function receiptText(view: Readonly<Record<string, View>>): Record<string, View> {
	const { receipt, resMessage } = view;
	const fees =
		typeof receipt === "object" ? Object.keys(receipt).filter((name) => name.endsWith("_fee")) : [];
	const paths = [["fee"], ["packingFee"], ...fees.map((name) => ["receipt", name])];
	const shown = paths.reduce<View>(withUnit, view) as Record<string, View>;
	return typeof resMessage === "string" ? { ...shown, resMessage: inPlainWords(resMessage) } : shown;
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
