/** From, to and value of a transaction, by the type of its contract (protocol/json-rpc §7.3). */

import { EMPTY } from "../../../protocol/bytes.js";
import type { Message } from "../../../protocol/codec/descriptor.js";
import { DecodeError } from "../../../protocol/codec/reader.js";
import type { ContractName } from "../../../protocol/contract-types.js";
import { wrap } from "../../../protocol/int64.js";
import type * as m from "../../../protocol/messages.js";
import { ParameterError, type SignedTransaction } from "../../../protocol/transaction.js";
import type { StateView } from "../../state/view.js";
import { tokensOfAccount } from "../../tokens/queries.js";
import { addressData, data, quantity } from "./values.js";

/** What a table row may need besides the contract. */
interface Source {
	readonly state: StateView;
	/** The transaction's receipt; undefined while pending or if not stored. */
	readonly info: Readonly<m.TransactionInfo> | undefined;
}

interface Row<T> {
	/** The receiving address; empty if none. */
	readonly to?: (contract: Readonly<T>) => Uint8Array | undefined;
	/** Amount moved, in sun or token units. */
	readonly value?: (contract: Readonly<T>, source: Source) => bigint;
}

const row = <T>(facts: Row<T>): Row<Message> => facts as Row<Message>;
const fixed = (sun: bigint): Row<Message> => ({ value: () => sun });
const sum = (values: Iterable<bigint>): bigint => {
	let total = 0n;
	for (const value of values) total = wrap(total + value);
	return total;
};

const toContract = row<{ contract_address: Uint8Array }>({ to: (c) => c.contract_address });
const toReceiver = row<{ receiver_address: Uint8Array }>({ to: (c) => c.receiver_address });
const quantOnly = row<{ quant: bigint }>({ value: (c) => c.quant });

/** Amounts are shown whether or not the transaction succeeded; fees are the original ones, not today's. */
const ROWS: Readonly<Partial<Record<ContractName, Row<Message>>>> = {
	TransferContract: row<m.TransferContract>({ to: (c) => c.to_address, value: (c) => c.amount }),
	TransferAssetContract: row<m.TransferAssetContract>({ to: (c) => c.to_address, value: (c) => c.amount }),
	AccountCreateContract: row<m.AccountCreateContract>({ to: (c) => c.account_address }),
	VoteAssetContract: row<m.VoteAssetContract>({ to: (c) => c.vote_address[0] }),
	VoteWitnessContract: row<m.VoteWitnessContract>({
		to: (c) => c.votes[0]?.vote_address,
		value: (c) => sum(c.votes.map((vote) => vote.vote_count)),
	}),
	WitnessCreateContract: fixed(9_999_000_000n),
	AssetIssueContract: fixed(1_024_000_000n),
	ExchangeCreateContract: fixed(1_024_000_000n),
	AccountPermissionUpdateContract: fixed(100_000_000n),
	ParticipateAssetIssueContract: row<m.ParticipateAssetIssueContract>({ to: (c) => c.to_address }),
	FreezeBalanceContract: row<m.FreezeBalanceContract>({
		to: (c) => c.receiver_address,
		value: (c) => c.frozen_balance,
	}),
	UnfreezeBalanceContract: row<m.UnfreezeBalanceContract>({
		to: (c) => c.receiver_address,
		value: (_, { info }) => info?.unfreeze_amount ?? 0n,
	}),
	UnfreezeBalanceV2Contract: row({ value: (_, { info }) => info?.unfreeze_amount ?? 0n }),
	WithdrawBalanceContract: row({ value: (_, { info }) => info?.withdraw_amount ?? 0n }),
	WithdrawExpireUnfreezeContract: row({ value: (_, { info }) => info?.withdraw_expire_amount ?? 0n }),
	CancelAllUnfreezeV2Contract: row({
		value: (_, { info }) => sum(info?.cancel_unfreezeV2_amount.values() ?? []),
	}),
	DelegateResourceContract: toReceiver,
	UnDelegateResourceContract: toReceiver,
	TriggerSmartContract: row<m.TriggerSmartContract>({
		to: (c) => c.contract_address,
		value: (c) => c.call_value,
	}),
	UpdateSettingContract: toContract,
	UpdateEnergyLimitContract: toContract,
	ClearABIContract: toContract,
	ExchangeInjectContract: quantOnly,
	ExchangeWithdrawContract: quantOnly,
	ExchangeTransactionContract: quantOnly,
	UnfreezeAssetContract: row<m.UnfreezeAssetContract>({
		value: (c, { state }) => frozenSupplyOf(state, c.owner_address),
	}),
	ShieldedTransferContract: row<m.ShieldedTransferContract>({
		to: (c) => c.transparent_to_address,
		value: (c) => (c.from_amount > 0n ? c.from_amount : c.to_amount > 0n ? c.to_amount : 0n),
	}),
};

/** The frozen supply if the owner has exactly one token, otherwise 0. */
function frozenSupplyOf(state: StateView, owner: Uint8Array): bigint {
	const tokens = tokensOfAccount(state, owner)?.assetIssue ?? [];
	const [token] = tokens;
	return token && tokens.length === 1 ? sum(token.frozen_supply.map((part) => part.frozen_amount)) : 0n;
}

/** Addresses are empty if there is none. */
interface ContractFacts {
	readonly from: Uint8Array;
	readonly to: Uint8Array;
	/** In sun or token units. */
	readonly value: bigint;
	/** Call data of a contract call, otherwise empty. */
	readonly input: Uint8Array;
}

/** @param info what became of the transaction, if that is known */
export function contractFacts(
	state: StateView,
	transaction: SignedTransaction,
	info: Readonly<m.TransactionInfo> | undefined,
): ContractFacts {
	const contract = readContract(transaction);
	if (!contract) return { from: EMPTY, to: EMPTY, value: 0n, input: EMPTY };
	const name = transaction.type?.name;
	const facts = name && ROWS[name];
	return {
		from: transaction.owner,
		to: facts?.to?.(contract) ?? EMPTY,
		value: facts?.value?.(contract, { state, info }) ?? 0n,
		input: name === "TriggerSmartContract" ? (contract as m.TriggerSmartContract).data : EMPTY,
	};
}

/** The same facts as shown in JSON. */
export interface ShownFacts {
	readonly from: string | null;
	readonly to: string | null;
	readonly value: string;
	readonly input: string;
}

export function shownFacts(...asked: Parameters<typeof contractFacts>): ShownFacts {
	const { from, to, value, input } = contractFacts(...asked);
	return { from: addressData(from), to: addressData(to), value: quantity(value), input: data(input) };
}

function readContract(transaction: SignedTransaction): Readonly<Message> | undefined {
	if (!transaction.contract) return undefined;
	try {
		return transaction.parameter;
	} catch (error) {
		if (error instanceof ParameterError || error instanceof DecodeError) return undefined;
		throw error;
	}
}
