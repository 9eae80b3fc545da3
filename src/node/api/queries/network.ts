/** Values of the network and the nodes that this one knows (protocol/http-endpoints §3.3, §5). */

import { utf8 } from "../../../protocol/bytes.js";
import { spell } from "../../../protocol/dialect.js";
import {
	Address,
	ChainParameters,
	ChainParametersChainParameter,
	Node,
	NodeList,
	NumberMessage,
	PricesResponseMessage,
} from "../../../protocol/messages.js";
import { reportChainParameters } from "../../consensus/parameters.js";
import type { PropertyOf } from "../../state/property-table.js";
import type { StateView } from "../../state/view.js";
import type { ApiContext, ApiNode } from "../context.js";

/** The parameters that super representatives may change, under the names of the node's dialect. */
export function listedParameters({ node, state, style }: ApiContext): ChainParameters {
	return ChainParameters.create({
		chainParameter: reportChainParameters(state, node.rules).map(({ key, value }) =>
			ChainParametersChainParameter.create({ key: spell(key, style.dialect), value }),
		),
	});
}

/** A price's history: `time:price` pairs, times in milliseconds, prices in sun. */
export function priceHistory(state: StateView, property: PropertyOf<"text">): PricesResponseMessage {
	return PricesResponseMessage.create({ prices: state.properties.get(property) });
}

/** When votes are counted next, in milliseconds. */
export function nextMaintenanceTime(state: StateView): NumberMessage {
	return NumberMessage.create({ num: state.properties.get("NEXT_MAINTENANCE_TIME") });
}

/** Discovered nodes that a connection can be made to; a host is the bytes of its text. */
export function knownNodes({ network }: ApiNode): NodeList {
	return NodeList.create({
		nodes: network
			.connectableNodes()
			.map(({ host, port }) => Node.create({ address: Address.create({ host: utf8(host), port }) })),
	});
}
