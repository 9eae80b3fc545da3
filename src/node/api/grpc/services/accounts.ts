/** Accounts: the record, bandwidth and energy, stakes and rewards (protocol/grpc §2.2). */

import {
	CanDelegatedMaxSizeRequestMessage,
	NumberMessage,
	PostQuantumDelegableRequest,
} from "../../../../protocol/messages.js";
import { queryReward } from "../../../resources/vote-rewards.js";
import { accountByAddress, accountById, accountNet, accountResources } from "../../queries/account-view.js";
import { accountBalanceAt, blockBalance } from "../../queries/balance-history.js";
import { brokerageOf } from "../../queries/governance.js";
import {
	delegableAmount,
	delegatedV1,
	delegatedV2,
	delegationPartnersV1,
	delegationPartnersV2,
	unfreezeCount,
	withdrawableAmount,
} from "../../queries/staking.js";
import { type Handlers, withoutReason, withReason } from "../method.js";

export const accounts = {
	GetAccount: ({ state }, { address }) => accountByAddress(state, address),
	GetAccountById: ({ state }, { account_id }) => accountById(state, account_id),
	GetAccountBalance: withoutReason(accountBalanceAt),
	GetBlockBalanceTrace: withoutReason(({ state }, block) => blockBalance(state, block)),
	GetAccountNet: ({ state }, { address }) => accountNet(state, address),
	GetAccountResource: ({ state }, { address }) => accountResources(state, address),
	GetDelegatedResource: ({ state }, request) => delegatedV1(state, request),
	GetDelegatedResourceV2: withReason(({ state }, request) => delegatedV2(state, request)),
	GetDelegatedResourceAccountIndex: withReason((context, { value }) => delegationPartnersV1(context, value)),
	GetDelegatedResourceAccountIndexV2: withReason((context, { value }) =>
		delegationPartnersV2(context, value),
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
