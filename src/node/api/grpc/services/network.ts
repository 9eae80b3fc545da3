/** Governance, values of the network, facts of the node (protocol/grpc §2.2). */

import { MetricsInfo, NodeInfo, NumberMessage } from "../../../../protocol/messages.js";
import type { BeanObject } from "../../bean-json.js";
import {
	allWitnesses,
	pageOfLiveWitnesses,
	pageOfProposals,
	storedProposals,
} from "../../queries/governance.js";
import {
	knownNodes,
	listedParameters,
	nextMaintenanceTime,
	priceHistory,
	statsInfoFacts,
} from "../../queries/network.js";
import { nodeInfoFacts } from "../../queries/node-info.js";
import { type MemberNames, messageOfBean } from "../bean-message.js";
import { type Handlers, withoutReason, withReason } from "../method.js";

/** Fields of peers that JSON names otherwise; here a peer needs syncing whenever it is disconnected. */
const NODE_INFO_NAMES: MemberNames = {
	peerInfoList: "peerList",
	isActive: "active",
	needSyncFromPeer: "syncFlag",
};

export const network = {
	ListWitnesses: ({ state }) => allWitnesses(state),
	GetPaginatedNowWitnessList: withReason((context, { offset, limit }) =>
		pageOfLiveWitnesses(context, offset, limit),
	),
	ListProposals: ({ state }) => storedProposals(state),
	GetPaginatedProposalList: ({ state }, { offset, limit }) => pageOfProposals(state, offset, limit),
	GetProposalById: ({ state }, { value }) => state.proposal.get(value),
	GetChainParameters: listedParameters,
	GetNextMaintenanceTime: ({ state }) => nextMaintenanceTime(state),
	GetBurnCoin: withoutReason(({ state }) =>
		NumberMessage.create({ num: state.properties.get("BURN_COIN_AMOUNT") }),
	),
	GetBandwidthPrices: withReason(({ state }) => priceHistory(state, "BANDWIDTH_PRICE_HISTORY")),
	GetEnergyPrices: withReason(({ state }) => priceHistory(state, "ENERGY_PRICE_HISTORY")),
	GetMemoFee: withReason(({ state }) => priceHistory(state, "MEMO_FEE_HISTORY")),
	ListNodes: ({ node }) => knownNodes(node),
	GetNodeInfo: withReason((context) => messageOfBean(NodeInfo, nodeInfoFacts(context), NODE_INFO_NAMES)),
} satisfies Partial<Handlers<"Wallet">>;

/** What the node has counted. */
export const monitor: Handlers<"Monitor"> = {
	GetStatsInfo: (context) => {
		const facts = statsInfoFacts(context);
		// The network's node fills in every meter but this one (recording ops/metrics).
		const { udpInTraffic: _, ...net } = facts["net"] as BeanObject;
		return messageOfBean(MetricsInfo, { ...facts, net }, {});
	},
};
