/** What random sequences look up in the state, so that most of their transactions make sense. */

import { delegationKeyV1, delegationKeyV2 } from "../../../src/node/resources/delegated-resource.js";
import { ownStakeV1, ownStakeV2 } from "../../../src/node/resources/stake.js";
import type { StateView } from "../../../src/node/state/view.js";
import { tokenBalance } from "../../../src/node/tokens/holdings.js";
import { COIN_ID, namesByNumber, tokenStore } from "../../../src/node/tokens/token-store.js";
import { be64, equalBytes } from "../../../src/protocol/bytes.js";
import {
	type Account,
	type AssetIssueContract,
	type Exchange,
	type MarketOrder,
	MarketOrderState,
	type Proposal,
	ProposalState,
	ResourceCode,
} from "../../../src/protocol/messages.js";
import { addresses } from "./small-chain.js";

export const RESOURCES = [ResourceCode.BANDWIDTH, ResourceCode.ENERGY, ResourceCode.COIN_POWER] as const;

/** The accounts among the addresses, in their order. */
export function accounts(state: StateView): readonly Readonly<Account>[] {
	return addresses.flatMap((address) => state.account.get(address) ?? []);
}

/** For {@link ownersWhere}: every account. */
export const anyone = (): boolean => true;

/** Addresses of the accounts that fit. */
export function ownersWhere(
	state: StateView,
	fits: (account: Readonly<Account>) => boolean,
): readonly Uint8Array[] {
	return accounts(state)
		.filter(fits)
		.map((account) => account.address);
}

export function othersThan(owner: Uint8Array): readonly Uint8Array[] {
	return addresses.filter((address) => !equalBytes(address, owner));
}

export function absentAddresses(state: StateView): readonly Uint8Array[] {
	return addresses.filter((address) => !state.account.has(address));
}

export function witnesses(state: StateView): readonly Uint8Array[] {
	return state.witness.values().map((witness) => witness.address);
}

/** The proposals that can still be approved or deleted. */
export function openProposals(state: StateView): readonly Readonly<Proposal>[] {
	const now = state.properties.headTimestampMs;
	return state.proposal
		.values()
		.filter(
			({ state: decided, expiration_time }) => decided === ProposalState.PENDING && expiration_time > now,
		);
}

export function proposals(state: StateView): readonly Readonly<Proposal>[] {
	return state.proposal.values();
}

/** The tokens, as contracts name them now. */
export function tokens(state: StateView): readonly Uint8Array[] {
	return tokenStore(state).keys();
}

export function tokenRecords(state: StateView): readonly Readonly<AssetIssueContract>[] {
	return state.assetIssueV2.values();
}

/** What contracts on pairs and orders call a record. */
export function tokenKey(state: StateView, token: Readonly<AssetIssueContract>): Uint8Array {
	return namesByNumber(state) ? Buffer.from(token.id, "utf8") : token.name;
}

/** Units that an account holds of a token or of the coin. */
export function holding(state: StateView, address: Uint8Array, id: Uint8Array): bigint {
	const account = state.account.get(address);
	if (!account) return 0n;
	if (Buffer.compare(id, COIN_ID) === 0) return account.balance;
	return tokenBalance(state, account, id) ?? 0n;
}

/** The tokens that an account holds some of. */
export function heldTokens(state: StateView, address: Uint8Array): readonly Uint8Array[] {
	return tokens(state).filter((id) => holding(state, address, id) > 0n);
}

/** The pairs of the exchange, by number and as contracts see them now. */
export function exchanges(state: StateView): readonly Readonly<Exchange>[] {
	const store = namesByNumber(state) ? state.exchangeV2 : state.exchange;
	const count = state.properties.get("LATEST_EXCHANGE_NUM");
	return Array.from({ length: Number(count) }, (_, i) => store.get(be64(BigInt(i + 1)))).flatMap(
		(exchange) => exchange ?? [],
	);
}

/** The orders in the book. */
export function activeOrders(state: StateView): readonly Readonly<MarketOrder>[] {
	return addresses
		.flatMap((address) => state.marketAccount.get(address)?.orders ?? [])
		.flatMap((id) => state.marketOrder.get(id) ?? [])
		.filter((order) => order.state === MarketOrderState.ACTIVE);
}

/** The kinds of stake that an account has, own ones only. */
export function stakedResources(account: Readonly<Account>, generation: 1 | 2): readonly number[] {
	const stake = generation === 1 ? ownStakeV1 : ownStakeV2;
	return RESOURCES.filter((code) => stake(account, code) > 0n);
}

/** To whom an account has lent resources. */
export function receiversOf(state: StateView, from: Uint8Array, generation: 1 | 2): readonly Uint8Array[] {
	return addresses.filter((to) => {
		if (generation === 1) return state.delegatedResource.has(delegationKeyV1(from, to));
		return [true, false].some((locked) => state.delegatedResource.has(delegationKeyV2(from, to, locked)));
	});
}
