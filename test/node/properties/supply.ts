/** Where coins and tokens are, summed up, and what must never fall below zero. Amounts in sun and in units of tokens. */

import { cycleReward } from "../../../src/node/resources/delegation-store.js";
import { ownStakeV1 } from "../../../src/node/resources/stake.js";
import type { StateView } from "../../../src/node/state/view.js";
import { isCoin, tokenText } from "../../../src/node/tokens/token-store.js";
import { equalBytes } from "../../../src/protocol/bytes.js";
import type { Account, MarketOrder, TransactionInfo } from "../../../src/protocol/messages.js";
import { activeOrders, RESOURCES, tokenRecords } from "./facts.js";
import { nameOf } from "./small-chain.js";

/** Units by the id of what they are units of: token numbers, and `_` for coins. */
export type Holdings = ReadonlyMap<string, bigint>;

export const COIN = "_";

/** The stakes of an account that is known by the field in which it stands. */
function stakes(account: Readonly<Account>): readonly (readonly [string, bigint])[] {
	const energy = account.account_resource;
	return [
		...RESOURCES.map((code) => [`stake of generation 1 for ${code}`, ownStakeV1(account, code)] as const),
		...account.frozenV2.map(({ type, amount }) => [`stake for ${type}`, amount] as const),
		...account.unfrozenV2.map(({ unfreeze_amount }) => ["unstaked amount", unfreeze_amount] as const),
		["delegated_frozen bandwidth", account.delegated_frozen_balance_for_bandwidth],
		["delegated_frozen energy", energy?.delegated_frozen_balance_for_energy ?? 0n],
		["delegated_frozenV2 bandwidth", account.delegated_frozenV2_balance_for_bandwidth],
		["delegated_frozenV2 energy", energy?.delegated_frozenV2_balance_for_energy ?? 0n],
	];
}

/** What an account was lent; it belongs to others. */
function acquired(account: Readonly<Account>): readonly (readonly [string, bigint])[] {
	const energy = account.account_resource;
	return [
		["acquired_frozen bandwidth", account.acquired_delegated_frozen_balance_for_bandwidth],
		["acquired_frozen energy", energy?.acquired_delegated_frozen_balance_for_energy ?? 0n],
		["acquired_frozenV2 bandwidth", account.acquired_delegated_frozenV2_balance_for_bandwidth],
		["acquired_frozenV2 energy", energy?.acquired_delegated_frozenV2_balance_for_energy ?? 0n],
	];
}

/**
 * Everything that exists: in accounts, pairs and orders, and of coins also in the fee pool and what was burnt. What
 * voters have earned and not yet drawn is not in it: it comes into being when they draw it.
 */
export function holdings(state: StateView, holders: readonly Uint8Array[]): Holdings {
	const sums = new Map<string, bigint>();
	const add = (id: string, amount: bigint) => sums.set(id, (sums.get(id) ?? 0n) + amount);
	for (const address of holders) {
		const account = state.account.get(address);
		if (!account) continue;
		add(COIN, account.balance + account.allowance);
		for (const [, amount] of stakes(account)) add(COIN, amount);
		for (const [id, amount] of account.assetV2) add(id, amount);
		const issued = tokenText(account.asset_issued_ID);
		for (const { frozen_balance } of account.frozen_supply) add(issued, frozen_balance);
	}
	for (const pair of state.exchangeV2.values()) {
		add(idOf(pair.first_token_id), pair.first_token_balance);
		add(idOf(pair.second_token_id), pair.second_token_balance);
	}
	for (const order of activeOrders(state)) add(idOf(order.sell_token_id), order.sell_token_quantity_remain);
	add(COIN, state.properties.get("TRANSACTION_FEE_POOL") + state.properties.get("BURN_COIN_AMOUNT"));
	return sums;
}

export function idOf(token: Uint8Array): string {
	return isCoin(token) ? COIN : tokenText(token);
}

/** The units with which every token was issued. */
export function issuedSupply(state: StateView): Holdings {
	return new Map(tokenRecords(state).map((token) => [token.id, token.total_supply]));
}

/** What the voters of all witnesses have earned in a cycle so far. */
export function votersPot(state: StateView, cycle: bigint): bigint {
	return state.witness
		.values()
		.reduce((sum, witness) => sum + cycleReward(state, cycle, witness.address), 0n);
}

/** Amounts below zero. A pair may be overdrawn by its curve (protocol/exchange §6); the black hole starts below zero. */
export function negativeAmounts(state: StateView, holders: readonly Uint8Array[]): readonly string[] {
	const found: string[] = [];
	const check = (what: string, amount: bigint) => {
		if (amount < 0n) found.push(`${what} is ${amount}`);
	};
	for (const address of holders) {
		const account = state.account.get(address);
		if (!account) continue;
		const named: readonly (readonly [string, bigint])[] = [
			...(account.account_name.toString() === Buffer.from("Blackhole").toString()
				? []
				: [["balance", account.balance] as const]),
			["allowance", account.allowance],
			...stakes(account),
			...acquired(account),
			...[...account.assetV2, ...account.asset],
			["net_usage", account.net_usage],
			["free_net_usage", account.free_net_usage],
			["energy_usage", account.account_resource?.energy_usage ?? 0n],
			...account.votes.map((vote) => ["vote", vote.vote_count] as const),
			...account.frozen_supply.map((part) => ["frozen supply", part.frozen_balance] as const),
		];
		for (const [what, amount] of named) check(`${nameOf(address)}: ${what}`, amount);
	}
	for (const order of activeOrders(state)) check("order", order.sell_token_quantity_remain);
	for (const witness of state.witness.values())
		check(`votes of ${nameOf(witness.address)}`, witness.voteCount);
	for (const name of ["TRANSACTION_FEE_POOL", "BURN_COIN_AMOUNT", "TOTAL_NET_WEIGHT"] as const) {
		check(name, state.properties.get(name));
	}
	return found;
}

/** What voters have earned in all cycles. */
export function allPots(state: StateView): bigint {
	let sum = 0n;
	for (let cycle = state.properties.get("CURRENT_CYCLE_NUMBER"); cycle >= 0n; cycle--)
		sum += votersPot(state, cycle);
	return sum;
}

/** By how much holdings grew; what didn't change is left out. */
export function difference(before: Holdings, after: Holdings): Holdings {
	const grown = new Map<string, bigint>();
	for (const id of new Set([...before.keys(), ...after.keys()])) {
		const delta = (after.get(id) ?? 0n) - (before.get(id) ?? 0n);
		if (delta !== 0n) grown.set(id, delta);
	}
	return grown;
}

/**
 * What an account loses, as a negative change, that meets orders of its own on the market: the network forgets what
 * these earned and gave back (protocol/market §5).
 * @param ownOrders orders of the account that were in the book before
 */
export function lostByTradingWithOneself(
	state: StateView,
	info: Readonly<TransactionInfo>,
	ownOrders: readonly Readonly<MarketOrder>[],
): Holdings {
	const lost = new Map<string, bigint>();
	const add = (token: Uint8Array, units: bigint) =>
		lost.set(idOf(token), (lost.get(idOf(token)) ?? 0n) - units);
	if (info.orderId.length === 0) return lost;
	for (const before of ownOrders) {
		const after = state.marketOrder.get(before.order_id) as Readonly<MarketOrder>;
		for (const { makerOrderId, fillSellQuantity } of info.orderDetails) {
			if (equalBytes(makerOrderId, before.order_id)) add(before.buy_token_id, fillSellQuantity);
		}
		add(before.sell_token_id, after.sell_token_quantity_return - before.sell_token_quantity_return);
	}
	return lost;
}
