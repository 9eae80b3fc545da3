/**
 * Where trades on exchange pairs and shielded transfers are refused, before anything else of them is looked at
 * (protocol/exchange §6.1, protocol/blocks §3.3).
 */

import type { SignedTransaction } from "../../protocol/transaction.js";
import type { ChainRules } from "../rules/chain-rules.js";
import { ContractValidateError } from "../rules/errors.js";
import type { ForkGates } from "../rules/fork-gates.js";
import { isFrom } from "../rules/release.js";
import type { StateView } from "../state/view.js";

const isTrade = (transaction: SignedTransaction): boolean =>
	transaction.type?.name === "ExchangeTransactionContract";

const isReopened = (state: StateView): boolean => state.properties.on("ALLOW_HARDEN_EXCHANGE_CALCULATION");

/** Whether this node takes a transaction from outside, or packs it. */
export function isTradeClosed(
	{ state, rules }: { readonly state: StateView; readonly rules: ChainRules },
	transaction: SignedTransaction,
): boolean {
	return isTrade(transaction) && isFrom(rules.release, "4.8.1") && !isReopened(state);
}

/** @throws {ContractValidateError} if the transaction is a trade that may not be in a block */
export function checkTradeInBlock(
	{ state, forks }: { readonly state: StateView; readonly forks: ForkGates },
	transaction: SignedTransaction,
): void {
	if (isTrade(transaction) && forks.upgradedTo("4.8.0.1") && !isReopened(state)) throw closedTrading();
}

/** @throws {ContractValidateError} for a shielded transfer from outside while its chain doesn't allow any */
export function checkShieldedSupport({
	state,
	rules,
}: {
	readonly state: StateView;
	readonly rules: Pick<ChainRules, "release">;
}): void {
	if (isFrom(rules.release, "4.8.1") && !state.properties.on("ALLOW_SHIELDED_TRANSACTION")) {
		throw new ContractValidateError("ShieldedTransferContract is not supported.");
	}
}

export const closedTrading = (): ContractValidateError =>
	new ContractValidateError("ExchangeTransactionContract is rejected");
