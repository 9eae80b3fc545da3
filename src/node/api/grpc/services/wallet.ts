/** Every method of the Wallet service (protocol/grpc §§2.2 to 2.4); the compiler ensures that none is missing. */

import { utf8 } from "../../../../protocol/bytes.js";
import { messageParts } from "../../../../protocol/codec/message-parts.js";
import {
	type BuildableName,
	type ContractMessage,
	contractTypes,
	type NameWith,
	type ValueIn,
} from "../../../../protocol/contract-types.js";
import { spell } from "../../../../protocol/dialect.js";
import { exceptionText, isWireError } from "../../../../protocol/json/exceptions.js";
import {
	CanDelegatedMaxSizeRequestMessage,
	EstimateEnergyMessage,
	NumberMessage,
	PostQuantumDelegableRequest,
	Return,
	ReturnResponse_code,
	type Transaction,
	TransactionExtention,
	type TransactionInfo,
	TransactionInfoList,
	type TriggerSmartContract,
} from "../../../../protocol/messages.js";
import { SignedTransaction } from "../../../../protocol/transaction.js";
import {
	receiptsCost,
	receiptsInTurn,
	transactionById,
	transactionInfoById,
	transactionInfosOfBlock,
} from "../../../chain/block-store.js";
import { allExchanges, exchangeStore, pageOfExchanges } from "../../../exchange/pair.js";
import {
	marketOrderById,
	marketOrdersOfAccount,
	marketOrdersOfPair,
	marketPairs,
	marketPrices,
} from "../../../market/queries.js";
import { queryReward } from "../../../resources/vote-rewards.js";
import { ContractValidateError, RuntimeRuleError } from "../../../rules/errors.js";
import {
	allTokens,
	pageOfTokens,
	tokenById,
	tokenByName,
	tokensByName,
	tokensOfAccount,
} from "../../../tokens/queries.js";
import { VmError } from "../../../vm/vm-error.js";
import { broadcastReturn } from "../../broadcast.js";
import { buildUnchecked, transactionExtention } from "../../builder.js";
import type { ApiContext } from "../../context.js";
import { accountByAddress, accountById, accountNet, accountResources } from "../../queries/account-view.js";
import { accountBalanceAt, blockBalance } from "../../queries/balance-history.js";
import {
	callTransaction,
	constantAnswer,
	executeConstantCall,
	searchEnergyLimit,
	TRIGGER,
} from "../../queries/contract-calls.js";
import { contractAt, contractInfoAt, isConstantCall } from "../../queries/contracts.js";
import { brokerageOf } from "../../queries/governance.js";
import { approvedList, signWeight } from "../../queries/signatures.js";
import {
	delegableAmount,
	delegatedV1,
	delegatedV2,
	delegationPartners,
	unfreezeCount,
	withdrawableAmount,
} from "../../queries/staking.js";
import { pendingIds, pendingTransaction } from "../../queries/transactions.js";
import { build, buildBare, buildCommon, refusal } from "../building.js";
import {
	type Handler,
	type Handlers,
	LongMessage,
	unimplemented,
	withoutReason,
	withReason,
} from "../method.js";
import { blocks } from "./blocks.js";
import { network } from "./network.js";
import { shielded } from "./shielded.js";

/**
 * A constant call with its transaction. The id is always that of a transaction around the call, even if a
 * deployment was executed instead.
 */
async function callOnly(
	context: ApiContext,
	call: Readonly<TriggerSmartContract>,
): Promise<TransactionExtention> {
	const transaction = callTransaction(context, call);
	const { id } = buildUnchecked(context, TRIGGER, call);
	const answer = constantAnswer(transaction, await executeConstantCall(context, call, transaction));
	answer.txid = id;
	return answer;
}

/** Executes a call that the ABI declares constant; otherwise builds its transaction. */
async function trigger(
	context: ApiContext,
	call: Readonly<TriggerSmartContract>,
): Promise<TransactionExtention> {
	const { state } = context;
	if (!state.contract.has(call.contract_address)) {
		throw new ContractValidateError("No contract or not a valid smart contract");
	}
	return isConstantCall(state.abi.get(call.contract_address), call.data)
		? callOnly(context, call)
		: transactionExtention(callTransaction(context, call));
}

/** Why a call has no answer: a failed execution differs from a call that couldn't start. */
function failure(context: ApiContext, error: unknown): Return {
	const { dialect } = context.style;
	if (error instanceof VmError) {
		return Return.create({
			code: ReturnResponse_code.CONTRACT_EXE_ERROR,
			message: utf8(exceptionText(error, dialect)),
		});
	}
	if (isWireError(error)) return refusal(context, error);
	throw error;
}

async function answered(
	context: ApiContext,
	call: Readonly<TriggerSmartContract>,
	answer: typeof callOnly,
): Promise<TransactionExtention> {
	try {
		return await answer(context, call);
	} catch (error) {
		return TransactionExtention.create({ result: failure(context, error) });
	}
}

const contracts = {
	GetContract: ({ state }, { value }) => contractAt(state, value),
	GetContractInfo: ({ state }, { value }) => contractInfoAt(state, value),
	TriggerContract: (context, call) => answered(context, call, trigger),
	TriggerConstantContract: (context, call) => answered(context, call, callOnly),
	EstimateEnergy: async (context, call) => {
		try {
			const estimate = await searchEnergyLimit(context, call);
			if ("energyRequired" in estimate) {
				return EstimateEnergyMessage.create({
					result: Return.create({ result: true }),
					energy_required: estimate.energyRequired,
				});
			}
			const message = utf8(spell(estimate.failure, context.style.dialect));
			const code = ReturnResponse_code.CONTRACT_EXE_ERROR;
			return EstimateEnergyMessage.create({ result: Return.create({ code, message }) });
		} catch (error) {
			return EstimateEnergyMessage.create({ result: failure(context, error) });
		}
	},
} satisfies Partial<Handlers<"Wallet">>;

/** A client's transaction as the node's network reads it. @throws {DecodeError} */
function received({ node }: ApiContext, message: Readonly<Transaction>): SignedTransaction {
	const transaction = new SignedTransaction(message);
	return node.rules.network === "nile" ? transaction.asReadOnNile() : transaction;
}

/** A list of receipts as an encoded message, each decoded only when its parts are taken. */
function* infoParts(infos: Iterable<Readonly<TransactionInfo>>): Generator<Uint8Array> {
	for (const info of infos)
		yield* messageParts(TransactionInfoList, TransactionInfoList.create({ transactionInfo: [info] }));
}

/** Transactions: broadcasting, lookup, signatures, and the pool (protocol/grpc §§2.2, 2.5, 2.6). */
const transactions = {
	BroadcastTransaction: async (context, message) => {
		const result = await context.broadcaster.broadcast(received(context, message), context);
		return broadcastReturn(result, context.style.dialect);
	},
	GetTransactionById: ({ state }, { value }) => transactionById(state, value)?.message,
	GetTransactionInfoById: ({ state }, { value }) => transactionInfoById(state, value),
	GetTransactionInfoByBlockNum: withReason(({ state }, { num }) =>
		receiptsCost(state, num) === undefined
			? TransactionInfoList.create({ transactionInfo: transactionInfosOfBlock(state, num) })
			: new LongMessage(infoParts(receiptsInTurn(state, num))),
	),
	GetTransactionSignWeight: async (context, message) => {
		const { answer, shown } = await signWeight(context, received(context, message));
		if (shown) answer.transaction = transactionExtention(shown);
		return answer;
	},
	GetTransactionApprovedList: async (context, message) => {
		const { answer, shown } = await approvedList(context, received(context, message));
		if (shown) answer.transaction = transactionExtention(shown);
		return answer;
	},
	GetTransactionFromPending: withoutReason(({ node }, { value }) => pendingTransaction(node, value)?.message),
	GetTransactionListFromPending: withoutReason(({ node }) => pendingIds(node)),
	GetPendingSize: withoutReason(({ node }) => NumberMessage.create({ num: BigInt(node.pool.size) })),
	TotalTransaction: () => new NumberMessage(),
} satisfies Partial<Handlers<"Wallet">>;

/** Tokens, exchange pairs and the order book (protocol/grpc §2.2). */
const markets = {
	GetAssetIssueByAccount: ({ state }, { address }) => tokensOfAccount(state, address),
	GetAssetIssueByName: ({ state }, { value }) => {
		try {
			return value.length === 0 ? undefined : tokenByName(state, value);
		} catch (error) {
			// Several tokens with the same name are reported by an empty answer.
			if (error instanceof RuntimeRuleError) return undefined;
			throw error;
		}
	},
	GetAssetIssueListByName: ({ state }, { value }) =>
		value.length === 0 ? undefined : tokensByName(state, value),
	GetAssetIssueById: ({ state }, { value }) => tokenById(state, value),
	GetAssetIssueList: ({ state }) => allTokens(state),
	GetPaginatedAssetIssueList: ({ state }, { offset, limit }) => pageOfTokens(state, offset, limit),
	ListExchanges: ({ state }) => allExchanges(state),
	GetExchangeById: ({ state }, { value }) => exchangeStore(state).get(value),
	GetPaginatedExchangeList: ({ state }, { offset, limit }) => pageOfExchanges(state, offset, limit),
	GetMarketOrderById: withReason(({ state }, { value }) =>
		value.length === 0 ? undefined : marketOrderById(state, value),
	),
	GetMarketOrderByAccount: withReason(({ state }, { value }) => marketOrdersOfAccount(state, value)),
	GetMarketPriceByPair: withReason(({ state }, { sell_token_id, buy_token_id }) =>
		marketPrices(state, sell_token_id, buy_token_id),
	),
	GetMarketOrderListByPair: withReason(({ state }, { sell_token_id, buy_token_id }) =>
		marketOrdersOfPair(state, sell_token_id, buy_token_id),
	),
	GetMarketPairList: withReason(({ state }) => marketPairs(state)),
} satisfies Partial<Handlers<"Wallet">>;

/** The methods named in a column of the table, each taking the message of its type. */
type Builders<C extends "grpc" | "grpcBare", R> = {
	readonly [M in ValueIn<C> & string]: Handler<ContractMessage<NameWith<C, M> & BuildableName>, R>;
};

function builderMethods(): Builders<"grpcBare", Transaction> & Builders<"grpc", TransactionExtention> {
	const methods = contractTypes.flatMap((type) => [
		...(type.grpcBare ? [[type.grpcBare, buildBare(type)] as const] : []),
		...(type.grpc ? [[type.grpc, build(type)] as const] : []),
	]);
	return Object.fromEntries(methods) as ReturnType<typeof builderMethods>;
}

const builders = {
	...builderMethods(),
	CreateCommonTransaction: buildCommon,
	BuyStorage: unimplemented,
	BuyStorageBytes: unimplemented,
	SellStorage: unimplemented,
} satisfies Partial<Handlers<"Wallet">>;

/** Accounts: the record, bandwidth and energy, stakes and rewards (protocol/grpc §2.2). */
const accounts = {
	GetAccount: ({ state }, { address }) => accountByAddress(state, address),
	GetAccountById: ({ state }, { account_id }) => accountById(state, account_id),
	GetAccountBalance: withoutReason(accountBalanceAt),
	GetBlockBalanceTrace: withoutReason(({ state }, block) => blockBalance(state, block)),
	GetAccountNet: ({ state }, { address }) => accountNet(state, address),
	GetAccountResource: ({ state }, { address }) => accountResources(state, address),
	GetDelegatedResource: ({ state }, request) => delegatedV1(state, request),
	GetDelegatedResourceV2: withReason(({ state }, request) => delegatedV2(state, request)),
	GetDelegatedResourceAccountIndex: withReason((context, { value }) => delegationPartners(context, value, 1)),
	GetDelegatedResourceAccountIndexV2: withReason((context, { value }) =>
		delegationPartners(context, value, 2),
	),
	GetCanDelegatedMaxSize: withReason(({ state, node }, request) => {
		if (node.rules.network !== "nile" || !request.$unknown) return delegableAmount(state, request);
		const bytes = CanDelegatedMaxSizeRequestMessage.encode(request);
		return delegableAmount(state, PostQuantumDelegableRequest.decode(bytes));
	}),
	GetAvailableUnfreezeCount: withReason(({ state }, request) => unfreezeCount(state, request)),
	GetCanWithdrawUnfreezeAmount: withReason(({ state }, request) => withdrawableAmount(state, request)),
	GetRewardInfo: withoutReason(({ state }, { value }) =>
		NumberMessage.create({ num: queryReward(state, value) }),
	),
	GetBrokerageInfo: withoutReason(({ state }, { value }) =>
		NumberMessage.create({ num: BigInt(brokerageOf(state, value)) }),
	),
} satisfies Partial<Handlers<"Wallet">>;

export const wallet: Handlers<"Wallet"> = {
	...accounts,
	...blocks,
	...transactions,
	...builders,
	...markets,
	...network,
	...contracts,
	...shielded,
};
