/** Coins that a transaction deducts from its account's balance, besides fees, with one row per contract type. */

import { fromUtf8 } from "../../protocol/bytes.js";
import type { Message, MessageType } from "../../protocol/codec/descriptor.js";
import * as m from "../../protocol/messages.js";
import { COIN_CURRENCY_ID } from "../token/token-amount.js";
import type { Contract } from "./contract.js";

type Coins = (parameter: Readonly<Message>) => bigint;

const row = <T extends Message>(
	message: MessageType<T>,
	coins: (contract: Readonly<T>) => bigint,
): readonly [string, Coins] => [message.typeName, coins as Coins];

const coinsAs = (token: Uint8Array, amount: bigint): bigint =>
	fromUtf8(token) === COIN_CURRENCY_ID ? amount : 0n;

const COINS: ReadonlyMap<string, Coins> = new Map([
	row(m.TransferContract, ({ amount }) => amount),
	row(m.TriggerSmartContract, ({ call_value }) => call_value),
	row(m.CreateSmartContract, ({ new_contract }) => new_contract?.call_value ?? 0n),
	row(m.FreezeBalanceV2Contract, ({ frozen_balance }) => frozen_balance),
	row(m.FreezeBalanceContract, ({ frozen_balance }) => frozen_balance),
	row(m.ParticipateAssetIssueContract, ({ amount }) => amount),
	row(
		m.ExchangeCreateContract,
		({ first_token_id, first_token_balance, second_token_id, second_token_balance }) =>
			coinsAs(first_token_id, first_token_balance) + coinsAs(second_token_id, second_token_balance),
	),
	row(m.ExchangeInjectContract, ({ token_id, quant }) => coinsAs(token_id, quant)),
	row(m.ExchangeTransactionContract, ({ token_id, quant }) => coinsAs(token_id, quant)),
	row(m.MarketSellAssetContract, (contract) => coinsAs(contract.sell_token_id, contract.sell_token_quantity)),
]);

/** Sun that leaves the balance; 0 for types that move none. */
export function coinsOf({ type, parameter }: Contract): bigint {
	return COINS.get(type.message?.typeName ?? "")?.(parameter) ?? 0n;
}
