/**
 * A world of simulated hosts: one clock, one event queue, one seed. Everything that happens is an event of
 * the queue, so the same seed and program give the same run, message by message.
 *
 *     const world = new SimulatedWorld({ seed: 1 });
 *     const alice = world.host("10.0.0.1").boot();   // a NetworkEnvironment
 *     const bob = world.host("10.0.0.2").boot();
 *     await world.advance(5_000);                    // five simulated seconds
 */

import { setImmediate as otherTurns } from "node:timers/promises";
import { concatBytes, toHex } from "../../src/protocol/bytes.js";
import { EventQueue, type SimulatedEvent } from "./event-queue.js";
import { SimulatedHost } from "./host.js";
import { Randomness } from "./randomness.js";

/** Properties of a link. Probabilities are from 0 to 1. */
export interface LinkQuality {
	/** One way, in milliseconds. */
	readonly latencyMs: number;
	/** Added to the latency, uniformly distributed from 0 to this. */
	readonly jitterMs: number;
	/** Probability that a datagram is lost, or a stream segment delayed by TCP's retransmission. */
	readonly loss: number;
	/** Probability that a datagram arrives twice. */
	readonly duplication: number;
	/** Probability that a datagram is delayed, so that later ones overtake it. */
	readonly reordering: number;
	/** Per connection and direction; 0 if unlimited. */
	readonly bytesPerSecond: number;
}

export const GOOD_LINK: LinkQuality = {
	latencyMs: 20,
	jitterMs: 5,
	loss: 0,
	duplication: 0,
	reordering: 0,
	bytesPerSecond: 0,
};

export interface WorldOptions {
	readonly seed?: number;
	/** Default link quality. */
	readonly link?: Partial<LinkQuality>;
	/** Initial time, milliseconds since 1970. */
	readonly startMs?: number;
	/** Probability that a stream delivers data in two pieces. */
	readonly fragmentation?: number;
	/** Called with each network event, as printed by `--trace`. */
	readonly trace?: (line: string) => void;
	/** Whether to time each event, which takes longer than most events. */
	readonly isTimed?: boolean;
}

/** Promise steps between two events: longer chains of `await` continue after the next event. */
const PROMISE_STEPS = 6;
const REPETITION_MS = 200;

export class SimulatedWorld {
	readonly random: Randomness;
	readonly hosts = new Map<string, SimulatedHost>();
	/** Addresses of hosts by name, and TXT records by name. */
	readonly names = new Map<string, string>();
	readonly texts = new Map<string, readonly (readonly string[])[]>();
	/** Default link quality. */
	link: LinkQuality;
	now: number;
	eventCount = 0;
	/** Longest duration of an event in real milliseconds, without preemption; 0 if not timed. */
	longestEventMs = 0;
	private readonly queue = new EventQueue();
	private readonly linkRandom: Randomness;
	private readonly links = new Map<string, LinkQuality>();
	private readonly addresses = new Map<string, SimulatedHost>();
	private readonly broken = new Set<string>();
	private groups: ReadonlyMap<string, number> | undefined;

	constructor(private readonly options: WorldOptions = {}) {
		this.random = new Randomness(options.seed ?? 1);
		this.linkRandom = this.random.branch("links");
		this.link = { ...GOOD_LINK, ...options.link };
		this.now = options.startMs ?? 1_800_000_000_000;
	}

	/** The host with an address, created on first use. */
	host(address: string): SimulatedHost {
		let host = this.addresses.get(address);
		if (host === undefined) {
			host = new SimulatedHost(this, address);
			this.addresses.set(address, host);
			this.hosts.set(address, host);
		}
		return host;
	}

	/** Adds an address to a host. */
	alias(host: SimulatedHost, address: string): void {
		this.addresses.set(address, host);
	}

	find(address: string): SimulatedHost | undefined {
		return this.addresses.get(address);
	}

	// Links

	setLink(a: string, b: string, quality: Partial<LinkQuality>): void {
		this.links.set(linkKey(a, b), { ...this.quality(a, b), ...quality });
	}

	/** Takes a link down or up. */
	setBroken(a: string, b: string, broken: boolean): void {
		if (broken) this.broken.add(linkKey(a, b));
		else this.broken.delete(linkKey(a, b));
	}

	/** Separates hosts of different groups, and hosts in no group from all; undefined reconnects all. */
	partition(groups: readonly (readonly string[])[] | undefined): void {
		this.log(
			() => `partition ${groups === undefined ? "healed" : groups.map((g) => g.join(",")).join(" | ")}`,
		);
		if (groups === undefined) {
			this.groups = undefined;
			return;
		}
		const map = new Map<string, number>();
		for (const [index, group] of groups.entries()) for (const host of group) map.set(host, index);
		this.groups = map;
	}

	isReachable(a: string, b: string): boolean {
		if (!this.hosts.get(b)?.isUp) return false;
		if (a === b) return true;
		if (this.broken.size > 0 && this.broken.has(linkKey(a, b))) return false;
		if (this.groups === undefined) return true;
		const group = this.groups.get(a);
		return group !== undefined && group === this.groups.get(b);
	}

	/** Latency of one packet, one way. */
	latency(a: string, b: string): number {
		if (a === b) return 0.1;
		const quality = this.quality(a, b);
		return quality.latencyMs + this.linkRandom.fraction() * quality.jitterMs;
	}

	/** Arrival time of data written now, after data written before. */
	arrivalMs(from: string, to: string, size: number, lastArrivalMs: number): number {
		const quality = this.quality(from, to);
		let delay = this.latency(from, to);
		for (let wait = REPETITION_MS; this.linkRandom.chance(quality.loss) && wait < 5_000; wait *= 2)
			delay += wait;
		const transfer = quality.bytesPerSecond > 0 ? (size * 1000) / quality.bytesPerSecond : 0;
		return Math.max(lastArrivalMs, this.now + delay) + transfer;
	}

	/** Arrival times of a datagram's copies; empty if it is lost. */
	datagramArrivals(from: string, to: string): readonly number[] {
		const quality = this.quality(from, to);
		const copies = this.linkRandom.chance(quality.duplication) ? 2 : 1;
		const out: number[] = [];
		for (let copy = 0; copy < copies; copy++) {
			if (this.linkRandom.chance(quality.loss)) continue;
			let delay = this.latency(from, to);
			if (this.linkRandom.chance(quality.reordering))
				delay += (quality.latencyMs + 5) * (1 + this.linkRandom.fraction());
			out.push(this.now + delay);
		}
		return out;
	}

	/** Splits data into what a reader gets at once, and what comes later. */
	cut(pieces: readonly Uint8Array[]): [Uint8Array, Uint8Array] {
		const whole = pieces.length === 1 ? (pieces[0] as Uint8Array) : concatBytes(...pieces);
		if (whole.length > 1 && this.linkRandom.chance(this.options.fragmentation ?? 0)) {
			const at = this.linkRandom.between(1, whole.length - 1);
			return [whole.subarray(0, at), whole.subarray(at)];
		}
		return [whole, new Uint8Array(0)];
	}

	private quality(a: string, b: string): LinkQuality {
		return (this.links.size > 0 ? this.links.get(linkKey(a, b)) : undefined) ?? this.link;
	}

	// Time

	at(atMs: number, task: () => void): SimulatedEvent {
		return this.queue.add(Math.max(atMs, this.now), task);
	}

	soon(task: () => void): void {
		this.queue.add(this.now, task);
	}

	/** Advances simulated time. @throws errors of tasks, which would have ended their process */
	async advance(ms: number): Promise<void> {
		await this.until(() => false, ms);
	}

	/** Advances time until a condition holds, at most `limitMs`. @returns whether it holds */
	async until(condition: () => boolean, limitMs: number): Promise<boolean> {
		const endMs = this.now + limitMs;
		await settle();
		for (;;) {
			if (condition()) return true;
			const nextMs = this.queue.nextMs();
			if (nextMs === undefined || nextMs > endMs) break;
			this.now = nextMs;
			this.eventCount++;
			const task = this.queue.take()?.task;
			if (task && this.options.isTimed) this.timed(task);
			else task?.();
			await settle();
		}
		this.now = endMs;
		return false;
	}

	private timed(task: () => void): void {
		const startMs = performance.now();
		const start = process.cpuUsage();
		task();
		const { user, system } = process.cpuUsage(start);
		const ms = Math.min(performance.now() - startMs, (user + system) / 1000);
		this.longestEventMs = Math.max(this.longestEventMs, ms);
	}

	get pendingEvents(): number {
		return this.queue.size;
	}

	// The log

	get isTraced(): boolean {
		return this.options.trace !== undefined;
	}

	log(line: () => string): void {
		this.options.trace?.(`${this.now.toFixed(3)} ${line()}`);
	}

	logBytes(what: string, from: string, to: string, bytes: Uint8Array): void {
		if (this.options.trace === undefined) return;
		const shown = bytes.length <= 48 ? toHex(bytes) : `${toHex(bytes.subarray(0, 48))}…`;
		this.log(() => `${what} ${from} > ${to} ${bytes.length} #${checksum(bytes)} ${shown}`);
	}
}

function linkKey(a: string, b: string): string {
	return a < b ? `${a} ${b}` : `${b} ${a}`;
}

/** Lets promises run, and a turn of the event loop, as chains yield between slices of long writes. */
async function settle(): Promise<void> {
	for (let i = 0; i < PROMISE_STEPS; i++) await undefined;
	await otherTurns();
}

/** FNV-1a, to compare logs. */
function checksum(bytes: Uint8Array): string {
	let hash = 0x811c9dc5;
	for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
	return (hash >>> 0).toString(16).padStart(8, "0");
}
