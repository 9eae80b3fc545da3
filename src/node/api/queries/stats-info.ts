/** Counters and rates of the node (protocol/http-endpoints §5.2). */

import { toHex } from "../../../protocol/bytes.js";
import { programOf } from "../../rules/release.js";
import { type BeanObject, type BeanValue, Double } from "../bean-json.js";
import type { ApiContext } from "../context.js";
import { type ApiMeter, type LatencyMeter, NO_METERS, type Rate } from "../meters.js";

/** What the node has counted, under the names of the API's beans. */
export function statsInfoFacts({ node, state }: ApiContext): BeanObject {
	const { statistics } = node;
	const meters = statistics.meters ?? NO_METERS;
	const { properties } = state;
	return {
		interval: Math.floor(node.upMs / 1000),
		node: {
			backupStatus: statistics.isProducing ? 1 : 0,
			ip: statistics.ownHost,
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
			dupWitness: meters.doubleSigners.map(({ address, block, count }) => ({
				address,
				blockNum: block,
				count,
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
