/**
 * Refuses trades on exchange pairs and shielded transfers where they are closed, before anything else about
 * them is checked (protocol/exchange §6.1, protocol/blocks §3.3).
 */

import type { SignedTransaction } from "../../protocol/transaction.js";
import { admissionOf } from "../rules/admission.js";
import type { ChainRules } from "../rules/chain-rules.js";
import { ContractValidateError } from "../rules/errors.js";
import type { ForkGates } from "../rules/fork-gates.js";
import type { StateView } from "../state/view.js";

const isTrade = (transaction: SignedTransaction): boolean =>
	transaction.type?.name === "ExchangeTransactionContract";

/** Whether this node refuses a trade, from outside and for packing. */
export function isTradeClosed(
	{ state, rules }: { readonly state: StateView; readonly rules: ChainRules },
	transaction: SignedTransaction,
): boolean {
	return isTrade(transaction) && admissionOf(rules).closesTrades(state);
}

/** @throws {ContractValidateError} if the transaction is a trade that may not be in a block */
export function checkTradeInBlock(
	{ state, forks }: { readonly state: StateView; readonly forks: ForkGates },
	transaction: SignedTransaction,
): void {
	const isOpen = state.properties.on("ALLOW_HARDEN_EXCHANGE_CALCULATION");
	if (isTrade(transaction) && forks.upgradedTo("4.8.0.1") && !isOpen) throw closedTrading();
}

/** @throws {ContractValidateError} for a shielded transfer from outside while its chain doesn't allow any */
export function checkShieldedSupport({
	state,
	rules,
}: {
	readonly state: StateView;
	readonly rules: Pick<ChainRules, "release">;
}): void {
	if (admissionOf(rules).closesShielded(state)) {
		throw new ContractValidateError("ShieldedTransferContract is not supported.");
	}
}

export const closedTrading = (): ContractValidateError =>
	new ContractValidateError("ExchangeTransactionContract is rejected");
