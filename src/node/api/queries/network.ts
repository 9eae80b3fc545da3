/** Network values, known nodes (protocol/http-endpoints §3.3, §5), and the node's own counters and rates (§5.2). */

import { toHex, utf8 } from "../../../protocol/bytes.js";
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
import { programOf } from "../../rules/release.js";
import type { PropertyOf } from "../../state/property-table.js";
import type { StateView } from "../../state/view.js";
import { type BeanObject, type BeanValue, Double } from "../bean-json.js";
import type { ApiContext, ApiNode } from "../context.js";
import { type ApiMeter, type LatencyMeter, NO_METERS, type Rate } from "../meters.js";

/** The node's metrics, under the names of the API's beans. */
export function statsInfoFacts({ node, state }: ApiContext): BeanObject {
	const { statistics } = node;
	const meters = statistics.meters ?? NO_METERS;
	const { properties } = state;
	return {
		interval: Math.floor(node.upMs / 1000),
		node: {
			backupStatus: statistics.isProducing ? 1 : 0,
			ip: node.network.ownHost,
			nodeType: statistics.isActiveWitness ? 1 : 0,
			version: programOf(node.config.node).version,
		},
		blockchain: {
			headBlockNum: properties.headNumber,
			headBlockTimestamp: properties.headTimestampMs,
			headBlockHash: toHex(properties.headId),
			forkCount: meters.forks,
			failForkCount: meters.failedForks,
			blockProcessTime: rate(meters.blockProcessing),
			tps: rate(meters.transactions),
			transactionCacheSize: node.pool.queued,
			missedTransaction: rate(meters.missedTransactions),
			witnesses: meters.witnessVersions,
			failProcessBlockNum: meters.failedBlock.number,
			failProcessBlockReason: meters.failedBlock.reason,
			dupWitness: (statistics.meters ? node.doubleSigners() : []).map(({ witness, times, block }) => ({
				address: witness,
				blockNum: block,
				count: times,
			})),
		},
		net: {
			errorProtoCount: meters.protocolErrors,
			api: {
				...apiRates(meters.api),
				detail: meters.apiDetail.map((row) => ({ name: row.name, ...apiRates(row) })),
			},
			connectionCount: meters.connections,
			validConnectionCount: meters.validConnections,
			tcpInTraffic: rate(meters.tcpIn),
			tcpOutTraffic: rate(meters.tcpOut),
			disconnectionCount: meters.disconnections,
			disconnectionDetail: meters.disconnectionReasons,
			udpInTraffic: rate(meters.udpIn),
			udpOutTraffic: rate(meters.udpOut),
			latency: {
				...latency(meters.latency),
				totalCount: meters.latency.count,
				detail: meters.witnessLatency.map((row) => ({
					...latency(row),
					count: row.count,
					witness: row.witness,
				})),
			},
		},
	};
}

function apiRates({ calls, failures, sentBytes }: ApiMeter): { readonly [name: string]: BeanValue } {
	return {
		qps: rate(calls),
		...(failures && { failQps: rate(failures) }),
		...(sentBytes && { outTraffic: rate(sentBytes) }),
	};
}

function rate(value: Rate): BeanValue {
	return {
		count: value.count,
		meanRate: new Double(value.mean),
		oneMinuteRate: new Double(value.oneMinute),
		fiveMinuteRate: new Double(value.fiveMinutes),
		fifteenMinuteRate: new Double(value.fifteenMinutes),
	};
}

function latency({ top75, top95, top99, over }: LatencyMeter): { readonly [name: string]: BeanValue } {
	const [delay1S, delay2S, delay3S] = over;
	return { top75, top95, top99, delay1S, delay2S, delay3S };
}

/** The parameters that super representatives may change, named in the node's dialect. */
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

/** Discovered nodes that accept connections; a host is given as the bytes of its text. */
export function knownNodes({ network }: ApiNode): NodeList {
	return NodeList.create({
		nodes: network
			.connectableNodes()
			.map(({ host, port }) => Node.create({ address: Address.create({ host: utf8(host), port }) })),
	});
}
