/**
 * The node's own metrics, as shown by `getstatsinfo` and `getnodeinfo` (protocol/http-endpoints §5). Rates are per second.
 */

import type { SignedBlock } from "../../protocol/block.js";
import { toHex } from "../../protocol/bytes.js";
import { Recent } from "../memory/recent.js";

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
	/** Undefined if its failures aren't counted separately. */
	readonly failures: Rate | undefined;
	/** Undefined if the bytes it sends aren't counted. */
	readonly sentBytes: Rate | undefined;
}

/** Time from a block's slot to its arrival, in milliseconds. */
export interface LatencyMeter {
	readonly top75: number;
	readonly top95: number;
	readonly top99: number;
	readonly count: number;
	/** How many took longer than one, two and three seconds. */
	readonly over: readonly [number, number, number];
}

export interface NodeMeters {
	readonly blockProcessing: Rate;
	readonly transactions: Rate;
	readonly missedTransactions: Rate;
	readonly forks: number;
	readonly failedForks: number;
	readonly failedBlock: { readonly number: bigint; readonly reason: string };
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
	/** Undefined if metrics are off (`node.metricsEnable`). */
	readonly meters: NodeMeters | undefined;
	/** Whether this node may produce blocks, as the master of its backup group. */
	readonly isProducing: boolean;
	/** Whether one of its keys belongs to an active witness. */
	readonly isActiveWitness: boolean;
}

const ZERO_API: ApiMeter = { name: "", calls: ZERO_RATE, failures: ZERO_RATE, sentBytes: ZERO_RATE };

/** What a node reports with `node.metricsEnable` off. */
export const NO_METERS: NodeMeters = {
	blockProcessing: ZERO_RATE,
	transactions: ZERO_RATE,
	missedTransactions: ZERO_RATE,
	forks: 0,
	failedForks: 0,
	failedBlock: { number: 0n, reason: "" },
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

/** A witness that signed several blocks with the same number. */
export interface DoubleSigner {
	/** Address in hex. */
	readonly witness: string;
	/** Number of blocks beyond the first, over all block numbers. */
	readonly times: number;
	/** When the last of them arrived. */
	readonly timeMs: bigint;
	/** Its number. */
	readonly block: bigint;
	/** Its id and those of the conflicting blocks, in hex. */
	readonly ids: readonly string[];
}

/** Blocks whose signers are remembered: as far back as forks begin in practice. */
const REMEMBERED_BLOCKS = 4096;
/** Maximum conflicting blocks tracked per witness and number. */
const MAX_TWINS = 8;

/**
 * Finds witnesses that signed several blocks with the same number. Only blocks of active witnesses are
 * accepted, so there are few.
 */
export class DoubleSigners {
	private readonly signed = new Recent<string[]>(REMEMBERED_BLOCKS, Number.POSITIVE_INFINITY, () => 0);
	private readonly found = new Map<string, DoubleSigner>();

	/** @param clock milliseconds since 1970 */
	constructor(private readonly clock: () => bigint) {}

	get list(): readonly DoubleSigner[] {
		return [...this.found.values()];
	}

	/** A block joined the main chain or a fork. */
	accepted({ witness, number, idHex }: Pick<SignedBlock, "witness" | "number" | "idHex">): void {
		const address = toHex(witness);
		const key = `${address} ${number}`;
		const ids = this.signed.get(key);
		if (!ids) {
			this.signed.put(key, [idHex]);
			return;
		}
		if (ids.includes(idHex) || ids.length >= MAX_TWINS) return;
		ids.push(idHex);
		const times = (this.found.get(address)?.times ?? 0) + 1;
		this.found.set(address, { witness: address, times, timeMs: this.clock(), block: number, ids });
	}
}
