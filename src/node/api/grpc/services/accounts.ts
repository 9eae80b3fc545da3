/** Accounts: the record, bandwidth and energy, stakes and rewards (protocol/grpc §2.2). */

import { NumberMessage } from "../../../../protocol/messages.js";
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
import { explained, type Handlers, unexplained } from "../method.js";

export const accounts = {
	GetAccount: ({ state }, { address }) => accountByAddress(state, address),
	GetAccountById: ({ state }, { account_id }) => accountById(state, account_id),
	GetAccountBalance: unexplained(accountBalanceAt),
	GetBlockBalanceTrace: unexplained(({ state }, block) => blockBalance(state, block)),
	GetAccountNet: ({ state }, { address }) => accountNet(state, address),
	GetAccountResource: ({ state }, { address }) => accountResources(state, address),
	GetDelegatedResource: ({ state }, request) => delegatedV1(state, request),
	GetDelegatedResourceV2: explained(({ state }, request) => delegatedV2(state, request)),
	GetDelegatedResourceAccountIndex: explained(({ state }, { value }) => delegationPartnersV1(state, value)),
	GetDelegatedResourceAccountIndexV2: explained(({ state }, { value }) => delegationPartnersV2(state, value)),
	GetCanDelegatedMaxSize: explained(({ state }, request) => delegableAmount(state, request)),
	GetAvailableUnfreezeCount: explained(({ state }, request) => unfreezeCount(state, request)),
	GetCanWithdrawUnfreezeAmount: explained(({ state }, request) => withdrawableAmount(state, request)),
	GetRewardInfo: unexplained(({ state }, { value }) =>
		NumberMessage.create({ num: queryReward(state, value) }),
	),
	GetBrokerageInfo: unexplained(({ state }, { value }) =>
		NumberMessage.create({ num: BigInt(brokerageOf(state, value)) }),
	),
} satisfies Partial<Handlers<"Wallet">>;
