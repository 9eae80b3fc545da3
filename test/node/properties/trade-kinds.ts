/** Random transactions on the exchange and the market. */

import type { StateView } from "../../../src/node/state/view.js";
import { COIN_ID } from "../../../src/node/tokens/token-store.js";
import { equalBytes } from "../../../src/protocol/bytes.js";
import {
	type Exchange,
	ExchangeCreateContract,
	ExchangeInjectContract,
	ExchangeTransactionContract,
	ExchangeWithdrawContract,
	MarketCancelOrderContract,
	MarketSellAssetContract,
} from "../../../src/protocol/messages.js";
import type { Dice } from "./dice.js";
import { activeOrders, exchanges, heldTokens, holding, ownersWhere, tokens } from "./facts.js";
import type { TransactionKind } from "./kinds.js";

/** Most units on one side of an order: small, so that prices meet. */
const ORDER_UNITS = 30;

function holders(state: StateView): readonly Uint8Array[] {
	return ownersWhere(state, (account) => heldTokens(state, account.address).length > 0);
}

interface OnPair {
	readonly exchange_id: bigint;
	readonly token_id: Uint8Array;
	/** What the pair holds of the token. */
	readonly balance: bigint;
}

/** One side of a pair, of the owner's own where it matters. */
function sideOfPair(state: StateView, dice: Dice, own?: Uint8Array): OnPair {
	const all = exchanges(state);
	const fitting = all.filter((pair) => !own || equalBytes(pair.creator_address, own));
	const pair = dice.prefer(fitting, all);
	if (!pair) return { exchange_id: 1n, token_id: COIN_ID, balance: 1_000n };
	const first = !dice.once(2);
	return {
		exchange_id: pair.exchange_id,
		token_id: first ? pair.first_token_id : pair.second_token_id,
		balance: first ? pair.first_token_balance : pair.second_token_balance,
	};
}

function creators(state: StateView): readonly Uint8Array[] {
	return exchanges(state).map((pair: Readonly<Exchange>) => pair.creator_address);
}

export const tradeKinds: readonly TransactionKind[] = [
	{
		type: "ExchangeCreateContract",
		weight: 4,
		owners: holders,
		build: (state, owner, dice) => {
			const held = [COIN_ID, ...heldTokens(state, owner)];
			const first = dice.pick([...held].reverse()) as Uint8Array;
			const second = dice.pick(held.filter((id) => !equalBytes(id, first))) ?? COIN_ID;
			return ExchangeCreateContract.create({
				owner_address: owner,
				first_token_id: first,
				first_token_balance: dice.amount(holding(state, owner, first) / 2n),
				second_token_id: second,
				second_token_balance: dice.amount(holding(state, owner, second) / 100n),
			});
		},
	},
	{
		type: "ExchangeInjectContract",
		weight: 4,
		owners: creators,
		build: (state, owner, dice) => {
			const { exchange_id, token_id, balance } = sideOfPair(state, dice, owner);
			return ExchangeInjectContract.create({
				owner_address: owner,
				exchange_id,
				token_id,
				quant: dice.amount(balance / 10n),
			});
		},
	},
	{
		type: "ExchangeWithdrawContract",
		weight: 3,
		owners: creators,
		build: (state, owner, dice) => {
			const { exchange_id, token_id, balance } = sideOfPair(state, dice, owner);
			return ExchangeWithdrawContract.create({
				owner_address: owner,
				exchange_id,
				token_id,
				quant: dice.amount(balance),
			});
		},
	},
	{
		type: "ExchangeTransactionContract",
		weight: 6,
		owners: (state) => (exchanges(state).length > 0 ? holders(state) : []),
		build: (state, owner, dice) => {
			const { exchange_id, token_id } = sideOfPair(state, dice);
			return ExchangeTransactionContract.create({
				owner_address: owner,
				exchange_id,
				token_id,
				quant: dice.amount(holding(state, owner, token_id)),
				expected: 1n,
			});
		},
	},
	{
		type: "MarketSellAssetContract",
		weight: 8,
		owners: (state) => (state.properties.on("ALLOW_MARKET_TRANSACTION") ? holders(state) : []),
		build: (state, owner, dice) => {
			const token = dice.prefer(heldTokens(state, owner), tokens(state)) ?? COIN_ID;
			const other = dice.once(3) ? (dice.pick(tokens(state)) ?? COIN_ID) : COIN_ID;
			const [sell, buy] = dice.once(2) ? [other, token] : [token, other];
			return MarketSellAssetContract.create({
				owner_address: owner,
				sell_token_id: sell,
				sell_token_quantity: BigInt(1 + dice.next(ORDER_UNITS)),
				buy_token_id: buy,
				buy_token_quantity: BigInt(1 + dice.next(ORDER_UNITS)),
			});
		},
	},
	{
		type: "MarketCancelOrderContract",
		weight: 4,
		owners: (state) => activeOrders(state).map((order) => order.owner_address),
		build: (state, owner, dice) => {
			const all = activeOrders(state);
			const own = all.filter((order) => equalBytes(order.owner_address, owner));
			return MarketCancelOrderContract.create({
				owner_address: owner,
				order_id: dice.prefer(own, all)?.order_id ?? new Uint8Array(32),
			});
		},
	},
];
