/**
 * What a fork changes of the state that it begins with (protocol/development-chain §7.4): accounts with keys and coins, and a
 * witness of its own. Everything else stays: the witnesses of the network, their schedule, votes for versions, prices.
 */

import { Account, AccountType, Witness } from "../../protocol/messages.js";
import { newAccount } from "../resources/new-account.js";
import type { StateView } from "../state/view.js";
import type { DevelopmentAccount } from "./accounts.js";
import { PRODUCER_BALANCE_SUN } from "./development-config.js";
import { applySetting, type ParameterSetting } from "./initial-state.js";

interface ForkPeople {
	readonly accounts: readonly DevelopmentAccount[];
	/** Address of the witness that produces. */
	readonly producer: Uint8Array;
	readonly parameters: readonly ParameterSetting[];
}

/** @throws {ParameterSettingError} */
export function writeForkState(state: StateView, { accounts, producer, parameters }: ForkPeople): void {
	for (const { address, balanceSun } of accounts) fund(state, address, balanceSun);
	fund(state, producer, PRODUCER_BALANCE_SUN);
	const account = Account.copy(state.account.existing(producer));
	account.is_witness = true;
	state.account.put(producer, account);
	if (!state.witness.has(producer)) {
		// Without votes it changes nothing about who is active.
		state.witness.put(producer, Witness.create({ address: producer, url: "http://localhost" }));
	}
	for (const setting of parameters) applySetting(state, setting);
}

/** Gives an account at least so many coins, and to the holder of its key: the keys of these accounts are known to everybody. */
function fund(state: StateView, address: Uint8Array, sun: bigint): void {
	const fresh = newAccount(state, address, AccountType.Normal);
	const stored = state.account.get(address);
	const account = stored ? Account.copy(stored) : fresh;
	if (account.balance < sun) account.balance = sun;
	account.owner_permission = fresh.owner_permission;
	account.active_permission = fresh.active_permission;
	account.witness_permission = undefined;
	state.account.put(address, account);
}
