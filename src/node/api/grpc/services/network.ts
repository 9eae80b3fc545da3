/** Governance, network values, node information (protocol/grpc §2.2). */

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

// Data that HTTP writes as a bean, converted to gRPC's message (protocol/grpc §2.7).

/** Member names where they differ from the message's field names. */
type MemberNames = Readonly<Record<string, string>>;

/** Fills a message from the members named like its fields; fields without one keep their default. */
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

/** Peer fields with different names in JSON; here a peer needs syncing whenever it is disconnected. */
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

/** Metrics of the node. */
export const monitor: Handlers<"Monitor"> = {
	GetStatsInfo: (context) => {
		const facts = statsInfoFacts(context);
		// The network's node fills in every meter except this one (recording ops/metrics).
		const { udpInTraffic: _, ...net } = facts["net"] as BeanObject;
		return messageOfBean(MetricsInfo, { ...facts, net }, {});
	},
};
