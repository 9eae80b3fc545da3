/** The legacy meters in `getstatsinfo`, enabled by `node.metricsEnable` (protocol/http-endpoints §5.2). */

import type { SignedBlock } from "../../protocol/block.js";
import { toHex } from "../../protocol/bytes.js";
import { type LatencyMeter, NO_METERS, type NodeMeters, type Rate } from "../api/meters.js";
import type { AnsweredRequest } from "../api/observer.js";

const TICK_MS = 5_000;
/** Number of recent blocks in delay statistics. */
const DELAYS = 1024;
const SECONDS_A_TICK = TICK_MS / 1000;

/** Exponentially weighted moving average of events a second, over some minutes. */
class MovingAverage {
	private readonly share: number;
	private rate: number | undefined;

	constructor(minutes: number) {
		this.share = 1 - Math.exp(-SECONDS_A_TICK / 60 / minutes);
	}

	tick(events: number): void {
		const now = events / SECONDS_A_TICK;
		this.rate = this.rate === undefined ? now : this.rate + this.share * (now - this.rate);
	}

	get perSecond(): number {
		return this.rate ?? 0;
	}
}

export class Meter {
	private count = 0;
	private sinceTick = 0;
	private lastTickMs: number;
	private readonly startedMs: number;
	private readonly averages = [1, 5, 15].map((minutes) => new MovingAverage(minutes));

	/** @param clock milliseconds */
	constructor(private readonly clock: () => number) {
		this.startedMs = clock();
		this.lastTickMs = this.startedMs;
	}

	mark(events = 1): void {
		this.tick();
		this.count += events;
		this.sinceTick += events;
	}

	get rate(): Rate {
		this.tick();
		const seconds = (this.clock() - this.startedMs) / 1000;
		const [oneMinute = 0, fiveMinutes = 0, fifteenMinutes = 0] = this.averages.map(
			({ perSecond }) => perSecond,
		);
		const mean = seconds > 0 ? this.count / seconds : 0;
		return { count: this.count, mean, oneMinute, fiveMinutes, fifteenMinutes };
	}

	/** Applies the ticks that have passed. */
	private tick(): void {
		const due = Math.floor((this.clock() - this.lastTickMs) / TICK_MS);
		if (due <= 0) return;
		this.lastTickMs += due * TICK_MS;
		// After half a day without events every average is zero.
		for (let i = 0; i < Math.min(due, 8640); i++) {
			for (const average of this.averages) average.tick(i === 0 ? this.sinceTick : 0);
		}
		this.sinceTick = 0;
	}
}

/** Block delays; statistics are of the most recent ones. */
class Delays {
	private readonly newest: number[] = [];
	private count = 0;

	add(ms: number): void {
		this.count++;
		this.newest.push(ms);
		if (this.newest.length > DELAYS) this.newest.shift();
	}

	get latency(): LatencyMeter {
		const sorted = [...this.newest].sort((a, b) => a - b);
		const top = (share: number): number => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
		const over = (ms: number): number => sorted.filter((delay) => delay >= ms).length;
		return {
			top75: top(0.75),
			top95: top(0.95),
			top99: top(0.99),
			count: this.count,
			over: [over(1000), over(2000), over(3000)],
		};
	}
}

/** Version and delays of one witness's blocks. */
interface WitnessMeters {
	version: number;
	readonly delays: Delays;
}

/** Calls of an endpoint and bytes it sent; undefined: bytes are not counted. */
interface EndpointMeters {
	readonly calls: Meter;
	readonly sentBytes: Meter | undefined;
}

/** Servers whose requests are counted. */
export const COUNTED_SERVERS = /^(jsonrpc )?full$/;

export class Meters {
	private readonly blocks: Meter;
	private readonly transactions: Meter;
	private readonly api: { readonly calls: Meter; readonly failures: Meter; readonly sentBytes: Meter };
	private readonly byName = new Map<string, EndpointMeters>();
	private forks = 0;
	private failedForks = 0;
	private failedBlock: NodeMeters["failedBlock"] = NO_METERS.failedBlock;
	private readonly flows: Readonly<Record<"tcp" | "udp", { readonly in: Meter; readonly out: Meter }>>;
	private readonly reasons = new Map<string, number>();
	private protocolErrors = 0;
	private readonly delays = new Delays();
	/** By hexadecimal address. Only active witnesses are added, so there are few. */
	private readonly witnesses = new Map<string, WitnessMeters>();

	constructor(private readonly clock: () => number) {
		const flow = () => ({ in: new Meter(clock), out: new Meter(clock) });
		this.flows = { tcp: flow(), udp: flow() };
		this.blocks = new Meter(clock);
		this.transactions = new Meter(clock);
		this.api = { calls: new Meter(clock), failures: new Meter(clock), sentBytes: new Meter(clock) };
	}

	/** An HTTP request. Failed ones count only in the totals, without bytes (recording ops/metrics). */
	answered({ server, path, status, bytes }: AnsweredRequest): void {
		if (!COUNTED_SERVERS.test(server)) return;
		this.api.calls.mark();
		if (status !== 200) this.api.failures.mark();
		if (status !== 200 || path === undefined) return;
		this.api.sentBytes.mark(bytes);
		const own = this.endpoint(path, true);
		own.calls.mark();
		own.sentBytes?.mark(bytes);
	}

	/** @param method gRPC method, such as `protocol.Wallet/GetAccount`; sent bytes are not counted */
	called(method: string): void {
		this.api.calls.mark();
		this.endpoint(method, false).calls.mark();
	}

	private endpoint(name: string, inBytes: boolean): EndpointMeters {
		const known = this.byName.get(name);
		if (known) return known;
		const { clock } = this;
		const made = { calls: new Meter(clock), sentBytes: inBytes ? new Meter(clock) : undefined };
		this.byName.set(name, made);
		return made;
	}

	/** @param ms processing time of the block */
	pushed(ms: number): void {
		this.blocks.mark(Math.round(ms));
	}

	/** A peer's new block was applied; transactions of own blocks don't count (recording ops/metrics). */
	blockTaken(transactions: number): void {
		this.transactions.mark(transactions);
	}

	traffic(protocol: "tcp" | "udp", direction: "in" | "out", bytes: number): void {
		this.flows[protocol][direction].mark(bytes);
	}

	disconnected(reason: string): void {
		this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
	}

	protocolError(): void {
		this.protocolErrors++;
	}

	/** @param delayMs from the block's timestamp to its arrival */
	blockReceived(delayMs: number): void {
		this.delays.add(delayMs);
	}

	/** A peer announced a new block of an active witness. */
	blockJudged({ witness, message }: Pick<SignedBlock, "witness" | "message">, delayMs: number): void {
		const address = toHex(witness);
		const version = message.block_header?.raw_data?.version ?? 0;
		const known = this.witnesses.get(address) ?? { version, delays: new Delays() };
		known.version = version;
		known.delays.add(delayMs);
		this.witnesses.set(address, known);
	}

	/** A block that would have extended the head was rejected. */
	blockRefused(number: bigint, reason: string): void {
		this.failedBlock = { number, reason };
	}

	reorgFailed(): void {
		this.forks++;
		this.failedForks++;
	}

	reorg(): void {
		this.forks++;
	}

	get values(): NodeMeters {
		return {
			...NO_METERS,
			blockProcessing: this.blocks.rate,
			transactions: this.transactions.rate,
			forks: this.forks,
			disconnections: [...this.reasons.values()].reduce((sum, count) => sum + count, 0),
			disconnectionReasons: [...this.reasons].map(([reason, count]) => ({ reason, count })),
			protocolErrors: this.protocolErrors,
			failedForks: this.failedForks,
			failedBlock: this.failedBlock,
			witnessVersions: [...this.witnesses].map(([address, { version }]) => ({ address, version })),
			latency: this.delays.latency,
			witnessLatency: [...this.witnesses].map(([witness, { delays }]) => ({ ...delays.latency, witness })),
			tcpIn: this.flows.tcp.in.rate,
			tcpOut: this.flows.tcp.out.rate,
			udpIn: this.flows.udp.in.rate,
			udpOut: this.flows.udp.out.rate,
			api: {
				name: "",
				calls: this.api.calls.rate,
				failures: this.api.failures.rate,
				sentBytes: this.api.sentBytes.rate,
			},
			apiDetail: [...this.byName]
				.sort(([a], [b]) => (a < b ? -1 : 1))
				.map(([name, { calls, sentBytes }]) => ({
					name,
					calls: calls.rate,
					failures: undefined,
					sentBytes: sentBytes?.rate,
				})),
		};
	}
}
