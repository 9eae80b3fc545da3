/** What the node counts about itself, as `getstatsinfo` shows it (protocol/http-endpoints §5.2). Rates are per second. */

export interface Rate {
	readonly count: number;
	readonly mean: number;
	readonly oneMinute: number;
	readonly fiveMinutes: number;
	readonly fifteenMinutes: number;
}

const ZERO_RATE: Rate = { count: 0, mean: 0, oneMinute: 0, fiveMinutes: 0, fifteenMinutes: 0 };

export interface ApiMeter {
	readonly name: string;
	readonly calls: Rate;
	/** Undefined: failures of this one are not counted by themselves. */
	readonly failures: Rate | undefined;
	/** Undefined: what it sends is not counted. */
	readonly sentBytes: Rate | undefined;
}

/** Times from a block's slot to its arrival, in milliseconds. */
export interface LatencyMeter {
	readonly top75: number;
	readonly top95: number;
	readonly top99: number;
	readonly count: number;
	/** How many took longer than one, two, three seconds. */
	readonly over: readonly [number, number, number];
}

export interface NodeMeters {
	readonly blockProcessing: Rate;
	readonly transactions: Rate;
	readonly missedTransactions: Rate;
	readonly forks: number;
	readonly failedForks: number;
	readonly failedBlock: { readonly number: bigint; readonly reason: string };
	readonly doubleSigners: readonly {
		readonly address: string;
		readonly block: bigint;
		readonly count: number;
	}[];
	readonly witnessVersions: readonly { readonly address: string; readonly version: number }[];
	readonly api: ApiMeter;
	readonly apiDetail: readonly ApiMeter[];
	readonly connections: number;
	readonly validConnections: number;
	readonly disconnections: number;
	readonly disconnectionReasons: readonly { readonly reason: string; readonly count: number }[];
	readonly protocolErrors: number;
	readonly latency: LatencyMeter;
	readonly witnessLatency: readonly (LatencyMeter & { readonly witness: string })[];
	readonly tcpIn: Rate;
	readonly tcpOut: Rate;
	readonly udpIn: Rate;
	readonly udpOut: Rate;
}

export interface NodeStatistics {
	/** Undefined: this node doesn't count (`node.metricsEnable`). */
	readonly meters: NodeMeters | undefined;
	/** Whether this node may produce blocks, as the master of its backup group. */
	readonly isProducing: boolean;
	/** Whether one of its keys belongs to an active witness. */
	readonly isActiveWitness: boolean;
	/** This node's address as others see it. */
	readonly ownHost: string;
}

const ZERO_API: ApiMeter = { name: "", calls: ZERO_RATE, failures: ZERO_RATE, sentBytes: ZERO_RATE };

/** What a node shows that does not count: `node.metricsEnable` is off. */
export const NO_METERS: NodeMeters = {
	blockProcessing: ZERO_RATE,
	transactions: ZERO_RATE,
	missedTransactions: ZERO_RATE,
	forks: 0,
	failedForks: 0,
	failedBlock: { number: 0n, reason: "" },
	doubleSigners: [],
	witnessVersions: [],
	api: ZERO_API,
	apiDetail: [],
	connections: 0,
	validConnections: 0,
	disconnections: 0,
	disconnectionReasons: [],
	protocolErrors: 0,
	latency: { top75: 0, top95: 0, top99: 0, count: 0, over: [0, 0, 0] },
	witnessLatency: [],
	tcpIn: ZERO_RATE,
	tcpOut: ZERO_RATE,
	udpIn: ZERO_RATE,
	udpOut: ZERO_RATE,
};
