/** A chain on which the tests of this folder run single contracts, with all rules of tokens and markets on. */

import type { ContractContext, ContractModule } from "../../../src/node/contracts/contract.js";
import { contractModule } from "../../../src/node/contracts/modules.js";
import { ForkGates } from "../../../src/node/rules/fork-gates.js";
import type { Release } from "../../../src/node/rules/release.js";
import type { StateView } from "../../../src/node/state/view.js";
import { tokenBytes } from "../../../src/node/tokens/token-store.js";
import type { Message } from "../../../src/protocol/codec/descriptor.js";
import type { ContractName } from "../../../src/protocol/contract-types.js";
import { Account, AssetIssueContract, TransactionResult } from "../../../src/protocol/messages.js";
import { address, openState, rules } from "../consensus/chain-state.js";

export { address } from "../consensus/chain-state.js";

/** A state with the market open, tokens by number and fees burnt. */
export async function openTokenState(): Promise<StateView> {
	const state = await openState(0);
	for (const name of [
		"ALLOW_SAME_TOKEN_NAME",
		"ALLOW_MARKET_TRANSACTION",
		"ALLOW_BLACKHOLE_OPTIMIZATION",
		"ALLOW_STRICT_MATH",
	] as const) {
		state.properties.set(name, 1n);
	}
	return state;
}

/** Makes an account with coins and tokens, and records of those tokens. */
export function giveAccount(
	state: StateView,
	i: number,
	balance: bigint,
	tokens: Readonly<Record<string, bigint>> = {},
): Uint8Array {
	const owner = address(i);
	const assetV2 = new Map(Object.entries(tokens));
	state.account.put(owner, Account.create({ address: owner, balance, assetV2 }));
	for (const id of assetV2.keys()) state.assetIssueV2.put(tokenBytes(id), AssetIssueContract.create({ id }));
	return owner;
}

function contextOf(
	state: StateView,
	type: ContractName,
	contract: Message,
	release: Release = rules.release,
): { readonly module: ContractModule; readonly context: ContractContext } {
	const module = contractModule(type);
	if (!module) throw new Error(`no module for ${type}`);
	return {
		module,
		context: {
			state,
			rules: { ...rules, release },
			forks: new ForkGates(state, rules),
			contract,
			transactionId: new Uint8Array(32),
			building: false,
		},
	};
}

/** Checks a contract. @throws {ContractValidateError} */
export function check(state: StateView, type: ContractName, contract: Message): void {
	const { module, context } = contextOf(state, type, contract);
	module.validate(context);
}

/** Checks and carries out a contract. */
export function run(
	state: StateView,
	type: ContractName,
	contract: Message,
	release?: Release,
): TransactionResult {
	const { module, context } = contextOf(state, type, contract, release);
	const result = new TransactionResult();
	module.validate(context);
	module.execute(context, result);
	return result;
}
