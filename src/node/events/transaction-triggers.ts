/** Transactions as triggers (protocol/events §3.1). */

import { toBase58Check } from "../../protocol/address.js";
import { fromUtf8, toHex } from "../../protocol/bytes.js";
import { type Dialect, spell, toNeutral } from "../../protocol/dialect.js";
import {
	type InternalTransaction,
	type TransactionInfo,
	TransactionResultContractResultEnum,
} from "../../protocol/messages.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import { priceAt } from "../consensus/parameter-effects.js";
import { completeInternal, internalCallData } from "../rules/internal-call-data.js";
import { type BlockBudget, paidBy } from "./event-budget.js";
import type { LoadedBlock } from "./loaded-block.js";
import type { EventBody, EventValue, Trigger } from "./receivers/event-message.js";

/** Differences between the two service versions, and options of the topic. */
interface TransactionStyle {
	readonly version: 0 | 1;
	readonly ethCompatible: boolean;
	/** Whether triggers have a `removed` member; it is false until the block is reverted. */
	readonly tellsRemoved?: boolean;
}

/** Estimated JSON characters of a trigger's fixed members, an internal transaction, a log and a topic. */
const TRIGGER_CHARACTERS = 2_000;
const INTERNAL_CHARACTERS = 600;
const LOG_CHARACTERS = 500;
const TOPIC_CHARACTERS = 67;

/** The transactions of a block in order, built lazily; undefined for one that is dropped. */
export function* transactionTriggers(
	loaded: LoadedBlock,
	style: TransactionStyle,
	budget: BlockBudget,
): Generator<Trigger | undefined, void> {
	const before = { energy: 0n, logs: 0 };
	for (const index of loaded.block.transactions.keys()) {
		const trigger = transactionTriggerAt(loaded, index, style, budget, before);
		const info = infoAt(loaded, index);
		before.energy += info?.receipt?.energy_usage_total ?? 0n;
		before.logs += info?.log.length ?? 0;
		yield trigger;
	}
}

/** Receipts are ignored unless there is one per transaction. */
const infoAt = ({ block, infos }: LoadedBlock, index: number): Readonly<TransactionInfo> | undefined =>
	infos.length === block.transactions.length ? infos[index] : undefined;

/**
 * One transaction of a block.
 * @param before sums over the preceding ones, shown only with `ethCompatible`
 * @returns undefined if it doesn't exist or is dropped
 */
export function transactionTriggerAt(
	loaded: LoadedBlock,
	index: number,
	style: TransactionStyle,
	budget: BlockBudget,
	before: PlacedTransaction["before"] = { energy: 0n, logs: 0 },
): Trigger | undefined {
	const transaction = loaded.block.transactions[index];
	if (!transaction) return undefined;
	const info = infoAt(loaded, index);
	return budget.make(
		{ what: "transaction", transaction: transaction.idHex, index },
		{ characters: charactersOf(transaction, info, style), paid: paidBy(transaction.bytes.length) },
		() => transactionTrigger(loaded, { transaction, info, index, before }, style),
	);
}

/** Upper bound of a trigger's JSON characters. */
function charactersOf(
	{ raw }: SignedTransaction,
	info: Readonly<TransactionInfo> | undefined,
	{ version, ethCompatible }: TransactionStyle,
): number {
	let length = TRIGGER_CHARACTERS + 2 * (raw?.data.length ?? 0) + 2 * (info?.contractResult[0]?.length ?? 0);
	if (ethCompatible) {
		for (const { topics, data } of info?.log ?? [])
			length += LOG_CHARACTERS + TOPIC_CHARACTERS * topics.length + 2 * data.length;
	}
	if (version === 0) {
		for (const internal of info ? completeInternal(info) : []) {
			const { callValueInfo, note, extra } = internal;
			const data = internalCallData(internal);
			length += INTERNAL_CHARACTERS * (1 + callValueInfo.length) + 6 * (note.length + extra.length);
			length += typeof data === "number" ? 0 : 2 * data.length;
		}
	}
	return length;
}

interface PlacedTransaction {
	readonly transaction: SignedTransaction;
	/** Undefined if the receipts aren't known. */
	readonly info: Readonly<TransactionInfo> | undefined;
	readonly index: number;
	/** Sums over the preceding transactions. */
	readonly before: { readonly energy: bigint; readonly logs: number };
}

function transactionTrigger(
	loaded: LoadedBlock,
	placed: PlacedTransaction,
	style: TransactionStyle,
): Trigger {
	const { block, solidNumber, dialect } = loaded;
	const { transaction, info } = placed;
	const isEth = style.ethCompatible && info !== undefined;
	const type = transaction.type?.name ?? "";
	const { raw, message } = transaction;
	const moves = movementOf(
		transaction,
		style.version === 1 || style.ethCompatible ? info : undefined,
		dialect,
	);
	const receipt = info?.receipt;
	const result = info?.contractResult[0];
	return {
		timestampMs: block.timestampMs,
		id: transaction.idHex,
		members: {
			transactionId: transaction.idHex,
			blockHash: block.idHex,
			blockNumber: info ? block.number : -1n,
			energyUsage: receipt?.energy_usage ?? 0n,
			energyFee: receipt?.energy_fee ?? 0n,
			originEnergyUsage: receipt?.origin_energy_usage ?? 0n,
			energyUsageTotal: receipt?.energy_usage_total ?? 0n,
			netUsage: receipt?.net_usage ?? 0n,
			netFee: receipt?.net_fee ?? 0n,
			result: TransactionResultContractResultEnum.names.get(message.ret[0]?.contractRet ?? 0) ?? "DEFAULT",
			contractAddress: contractOf(type, info, isEth),
			contractType: type,
			feeLimit: raw?.fee_limit ?? 0n,
			contractCallValue: callValueOf(transaction, type),
			contractResult: result && result.length > 0 ? toHex(result) : null,
			fromAddress: moves.from ?? null,
			toAddress: moves.to ?? null,
			assetName: moves.asset ?? null,
			assetAmount: moves.amount ?? 0n,
			latestSolidifiedBlockNumber: solidNumber,
			...(style.tellsRemoved ? { removed: false } : {}),
			internalTransactionList:
				style.version === 1 || !info ? null : completeInternal(info).map(internalTransaction),
			data: toHex(raw?.data ?? new Uint8Array(0)),
			...(isEth ? ethMembers(loaded, placed, style.version) : PLAIN_MEMBERS),
			extMap: moves.amounts ?? null,
		},
	};
}

const PLAIN_MEMBERS: EventBody = {
	transactionIndex: 0,
	cumulativeEnergyUsed: 0,
	preCumulativeLogCount: 0,
	logList: null,
	energyUnitPrice: 0,
};

function ethMembers(
	{ block, state }: LoadedBlock,
	{ transaction, info, index, before }: PlacedTransaction,
	version: 0 | 1,
): EventBody {
	const { properties } = state;
	const price = properties.get("ENERGY_FEE");
	return {
		transactionIndex: index,
		cumulativeEnergyUsed: before.energy + (info?.receipt?.energy_usage_total ?? 0n),
		preCumulativeLogCount: before.logs,
		logList: (info?.log ?? []).map((log, at) => ({
			address: toHex(log.address),
			blockHash: block.idHex,
			blockNumber: block.number,
			data: toHex(log.data),
			logIndex: before.logs + at,
			topicList: log.topics.map(toHex),
			transactionHash: transaction.idHex,
			transactionIndex: index,
		})),
		energyUnitPrice:
			version === 0 ? price : (priceAt(properties.get("ENERGY_PRICE_HISTORY"), block.timestampMs) ?? price),
	};
}

const shown = (address: Uint8Array | undefined): string | undefined =>
	address && address.length > 0 ? toBase58Check(address) : undefined;

function contractOf(
	type: string,
	info: Readonly<TransactionInfo> | undefined,
	isEth: boolean,
): string | null {
	if (isEth && type !== "CreateSmartContract") return null;
	return shown(info?.contract_address) ?? null;
}

/** The fields that are published, as far as a contract type has them. */
interface Parameter {
	readonly owner_address?: Uint8Array;
	readonly to_address?: Uint8Array;
	readonly contract_address?: Uint8Array;
	readonly receiver_address?: Uint8Array;
	readonly asset_name?: Uint8Array;
	readonly amount?: bigint;
	readonly balance?: bigint;
	readonly frozen_balance?: bigint;
	readonly unfreeze_balance?: bigint;
	readonly call_value?: bigint;
	readonly new_contract?: { readonly call_value: bigint };
}

const parameterOf = (transaction: SignedTransaction): Parameter => transaction.parameter as Parameter;

function callValueOf(transaction: SignedTransaction, type: string): bigint {
	if (type === "TriggerSmartContract") return parameterOf(transaction).call_value ?? 0n;
	if (type === "CreateSmartContract") return parameterOf(transaction).new_contract?.call_value ?? 0n;
	return 0n;
}

interface Movement {
	readonly from?: string | undefined;
	readonly to?: string | undefined;
	readonly asset?: string | undefined;
	readonly amount?: bigint | undefined;
	readonly amounts?: EventBody | undefined;
}

/** Sender, receiver and amount. @param info undefined: amounts that only receipts have are omitted */
function movementOf(
	transaction: SignedTransaction,
	info: Readonly<TransactionInfo> | undefined,
	dialect: Dialect,
): Movement {
	const type = transaction.type?.name;
	if (type === undefined || !(type in MOVEMENTS)) return {};
	const parameter = parameterOf(transaction);
	const coins = { from: shown(parameter.owner_address), asset: spell("coin", dialect) };
	return MOVEMENTS[type as keyof typeof MOVEMENTS](parameter, coins, info, dialect);
}

type Coins = { readonly from: string | undefined; readonly asset: string };
type Info = Readonly<TransactionInfo> | undefined;

const MOVEMENTS = {
	TransferContract: ({ to_address, amount }: Parameter, coins: Coins): Movement => ({
		...coins,
		to: shown(to_address),
		amount,
	}),
	TransferAssetContract: ({ to_address, amount, asset_name }: Parameter, { from }: Coins): Movement => ({
		from,
		to: shown(to_address),
		asset: fromUtf8(asset_name ?? new Uint8Array(0)),
		amount,
	}),
	TriggerSmartContract: ({ contract_address }: Parameter, { from }: Coins): Movement => ({
		from,
		to: shown(contract_address),
	}),
	CreateSmartContract: (_parameter: Parameter, { from }: Coins): Movement => ({ from }),
	UnfreezeBalanceContract: ({ receiver_address }: Parameter, coins: Coins, info: Info): Movement => ({
		...coins,
		to: shown(receiver_address),
		amount: info?.unfreeze_amount,
	}),
	FreezeBalanceV2Contract: ({ frozen_balance }: Parameter, coins: Coins): Movement => ({
		...coins,
		amount: frozen_balance,
	}),
	UnfreezeBalanceV2Contract: ({ unfreeze_balance }: Parameter, coins: Coins): Movement => ({
		...coins,
		amount: unfreeze_balance,
	}),
	WithdrawExpireUnfreezeContract: (_parameter: Parameter, coins: Coins, info: Info): Movement => ({
		...coins,
		amount: info?.withdraw_expire_amount,
	}),
	DelegateResourceContract: ({ receiver_address, balance }: Parameter, coins: Coins): Movement => ({
		...coins,
		to: shown(receiver_address),
		amount: balance,
	}),
	UnDelegateResourceContract: ({ receiver_address, balance }: Parameter, coins: Coins): Movement => ({
		...coins,
		to: shown(receiver_address),
		amount: balance,
	}),
	CancelAllUnfreezeV2Contract: (
		_parameter: Parameter,
		coins: Coins,
		info: Info,
		dialect: Dialect,
	): Movement => ({
		...coins,
		amounts:
			info &&
			Object.fromEntries(
				[...info.cancel_unfreezeV2_amount].map(([name, amount]) => [spell(toNeutral(name), dialect), amount]),
			),
	}),
};

function internalTransaction(internal: Readonly<InternalTransaction>): EventValue {
	const { hash, callValueInfo, transferTo_address, caller_address, rejected, note, extra } = internal;
	const tokens = callValueInfo.filter(({ tokenId }) => tokenId !== "");
	const input = internalCallData(internal);
	return {
		hash: toHex(hash),
		callValue: callValueInfo.find(({ tokenId }) => tokenId === "")?.callValue ?? 0n,
		tokenInfo: Object.fromEntries(tokens.map(({ tokenId, callValue }) => [tokenId, callValue])),
		transferTo_address: toHex(transferTo_address),
		...(typeof input === "number" ? { dataLength: input } : { data: toHex(input) }),
		caller_address: toHex(caller_address),
		rejected,
		note: fromUtf8(note),
		extra,
	};
}
