/** Network values and node information (protocol/http-endpoints §3.3, §5). */

import { spell } from "../../../protocol/dialect.js";
import { longText } from "../../../protocol/json/message-writer.js";
import {
	ChainParameters,
	NodeList,
	NumberMessage,
	PricesResponseMessage,
} from "../../../protocol/messages.js";
import type { PropertyOf } from "../../state/property-table.js";
import { beanJson } from "../bean-json.js";
import type { ServerKind } from "../context.js";
import {
	defineEndpoint,
	type Endpoint,
	EVERYWHERE,
	noRequest,
	printed,
	visibleOnly,
	written,
} from "../endpoint.js";
import {
	knownNodes,
	listedParameters,
	nextMaintenanceTime,
	priceHistory,
	statsInfoFacts,
} from "../queries/network.js";
import { nodeInfoFacts } from "../queries/node-info.js";

function prices(
	name: string,
	about: string,
	property: PropertyOf<"text">,
	servers: readonly ServerKind[],
): Endpoint {
	return defineEndpoint({
		name,
		about,
		post: "query",
		servers,
		request: visibleOnly,
		reply: printed(PricesResponseMessage),
		handle: ({ state }) => priceHistory(state, property),
	});
}

export const listNodes = defineEndpoint({
	name: "listnodes",
	about: "Discovered nodes that a connection can be made to.",
	post: "query",
	servers: ["full"],
	request: visibleOnly,
	reply: printed(NodeList),
	handle: ({ node }) => knownNodes(node),
});

export const nodeInfo = defineEndpoint({
	name: "getnodeinfo",
	about: "The node: its head, peers, configuration and machine.",
	post: "query",
	servers: EVERYWHERE,
	request: noRequest,
	reply: written,
	handle: (context) => beanJson(nodeInfoFacts(context)),
});

export const statsInfo = defineEndpoint({
	name: "getstatsinfo",
	about: "Counters and rates of the node.",
	post: "refused",
	servers: [],
	limitedAs: "Metrics",
	request: noRequest,
	reply: written,
	handle: (context) => beanJson(statsInfoFacts(context), true),
});

export const networkEndpoints: readonly Endpoint[] = [
	defineEndpoint({
		name: "getchainparameters",
		about: "The parameters that super representatives may change.",
		post: "query",
		servers: ["full"],
		readsState: true,
		request: visibleOnly,
		reply: printed(ChainParameters),
		handle: listedParameters,
	}),
	prices(
		"getenergyprices",
		"Energy prices in sun, each with the time from which it holds.",
		"ENERGY_PRICE_HISTORY",
		EVERYWHERE,
	),
	prices(
		"getbandwidthprices",
		"Bandwidth prices in sun, each with the time from which it holds.",
		"BANDWIDTH_PRICE_HISTORY",
		EVERYWHERE,
	),
	prices("getmemofee", "Memo fees in sun, each with the time from which it holds.", "MEMO_FEE_HISTORY", [
		"full",
	]),
	defineEndpoint({
		name: "getburncoin",
		about: "Coins burned as fees, in sun.",
		post: "query",
		servers: EVERYWHERE,
		readsState: true,
		request: noRequest,
		reply: written,
		handle: ({ state, style }) =>
			`{"${spell("burnCoinAmount", style.dialect)}": ${longText(state.properties.get("BURN_COIN_AMOUNT"), style)}}`,
	}),
	defineEndpoint({
		name: "getnextmaintenancetime",
		about: "When votes are counted next, in milliseconds.",
		post: "query",
		servers: ["full"],
		readsState: true,
		request: visibleOnly,
		reply: printed(NumberMessage),
		handle: ({ state }) => nextMaintenanceTime(state),
	}),
	listNodes,
	nodeInfo,
];
