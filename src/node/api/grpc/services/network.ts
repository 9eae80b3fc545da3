/** Governance, values of the network, facts of the node (protocol/grpc §2.2). */

import {
	type FieldDescriptor,
	type Message,
	type MessageType,
	setField,
} from "../../../../protocol/codec/descriptor.js";
import { MetricsInfo, NodeInfo, NumberMessage } from "../../../../protocol/messages.js";
import { type BeanObject, type BeanValue, Double } from "../../bean-json.js";
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
import { type Handlers, withoutReason, withReason } from "../method.js";

// Facts that HTTP writes as a bean, as the message that gRPC answers with (protocol/grpc §2.7).

/** Names of members where they differ from those of the message. */
type MemberNames = Readonly<Record<string, string>>;

/** Fills a message with the members of its fields' names; fields without a member keep their default. */
export function messageOfBean<T extends Message>(
	type: MessageType<T>,
	bean: BeanObject,
	names: MemberNames,
): T {
	const message = new type();
	for (const field of type.fields) {
		const value = bean[names[field.name] ?? field.name];
		if (value !== undefined) setField(message, field.name, fieldOf(field, value, names));
	}
	return message;
}

function fieldOf(field: FieldDescriptor, value: BeanValue, names: MemberNames): unknown {
	switch (field.label) {
		case "repeated":
			return (value as readonly BeanValue[]).map((item) => itemOf(field, item, names));
		case "map":
			return new Map(
				Object.entries(value as BeanObject).map(([key, item]) => [key, itemOf(field, item, names)]),
			);
		default:
			return itemOf(field, value, names);
	}
}

function itemOf(field: FieldDescriptor, value: BeanValue, names: MemberNames): unknown {
	if (field.message) return messageOfBean(field.message(), value as BeanObject, names);
	if (value instanceof Double) return value.value;
	return field.kind === "int64" ? BigInt(value as number | bigint) : value;
}

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
