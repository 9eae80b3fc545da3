/**
 * Node discovery over UDP (protocol/peers §2): a node that answers on its announced port and belongs to the network can be dialed.
 * Everything here is unproven: a datagram's sender can be forged, so memory is bounded and nobody is penalized.
 */

import { isIPv4 } from "node:net";
import { equalBytes } from "../../../protocol/bytes.js";
import { Recent } from "../../memory/recent.js";
import {
	type DatagramPort,
	keyOfAddress,
	type NetworkEnvironment,
	type NodeAddress,
	type Timer,
} from "../environment.js";
import type { ConnectableNode } from "../transport/candidates.js";
import { NODE_ID_LENGTH, type PeerEndpoint, sharedHost } from "../wire/endpoint.js";
import { type HandlerWorld, NodeHandler, type UnsentPacket } from "./node-handler.js";
import { type DiscoveryPacket, decodePacket, encodePacket } from "./packets.js";
import { type PeerStore, readStoredPeers, writePeerList } from "./peer-store.js";
import { NodeTable } from "./table.js";

export interface DiscoveryOptions {
	readonly networkId: number;
	/** This node's endpoint as announced; its port is the one to bind, and also that of the TCP listener. */
	readonly self: PeerEndpoint;
	/** Address to bind; undefined: every interface. */
	readonly host?: string | undefined;
	/** Initial nodes: `seed.node` and `node.active`. */
	readonly seeds: readonly NodeAddress[];
	/** Where discovered nodes are stored; undefined to not store them. */
	readonly store?: PeerStore | undefined;
	/** Receives errors of the store; discovery continues. */
	readonly onProblem?: (error: unknown) => void;
}

const MAX_HANDLERS = 3000;
const TRIMMED_HANDLERS = 2000;
const STORE_PERIOD_MS = 60_000;
/** Interval for retrying seed nodes that didn't answer. */
const ASK_AGAIN_MS = 60_000;
const STORED_NODES = 30;
/** Size of a PING between IPv4 addresses. */
const PING_BYTES = 200;

const FIRST_LOOKUP_MS = 1;
/** From the end of a lookup to the start of the next. */
const PAUSE_MS = 7_200;
const ROUND_MS = 100;
const ROUNDS = 8;
/** Number of nodes queried concurrently. */
const PARALLEL = 3;
/** Every this many lookups, the target is this node's own id, to find its neighbours. */
const OWN_ID_EVERY = 5;

/** Periodically looks up nodes near a target (protocol/peers §2.5). @returns a function that stops it */
function startLookups(
	environment: NetworkEnvironment,
	table: NodeTable<NodeHandler>,
	ownId: Uint8Array,
): Timer {
	let count = 0;
	let timer: Timer;
	const begin = () => {
		count++;
		const target = count % OWN_ID_EVERY === 0 ? ownId : environment.randomBytes(NODE_ID_LENGTH);
		const asked = new Set<NodeHandler>();
		let rounds = 0;
		const round = () => {
			const next = table
				.closest(target)
				.filter((node) => !asked.has(node))
				.slice(0, PARALLEL);
			for (const node of next) {
				asked.add(node);
				node.ask(target);
			}
			rounds++;
			// A round that finds no node to ask takes its time as well.
			const isLast = next.length === 0 || rounds === ROUNDS;
			timer = environment.after(ROUND_MS, isLast ? pause : round);
		};
		round();
	};
	const pause = () => {
		timer = environment.after(PAUSE_MS, begin);
	};
	timer = environment.after(FIRST_LOOKUP_MS, begin);
	return { cancel: () => timer.cancel() };
}

/** The allowance: 22 PINGs a second, and some hundreds at once. */
const BYTES_PER_SECOND = 4096;
const MAX_ALLOWANCE_BYTES = 65_536;
/** The most credit that an address can accumulate. */
const MAX_BYTES = 4096;
const MAX_REMEMBERED = 5000;

/**
 * Limits what is sent to unproven addresses. A datagram's sender can be forged: a node that responds with more than it
 * received can be abused for amplification attacks. So an address that has not ponged gets as many bytes as were received
 * in its name. What the protocol requires beyond that (a PING is answered and returned, and repeated three times; a query
 * is answered for any sender) is paid from one small allowance for all addresses together: under normal load that covers
 * everything, while a flood gets back only what it sent.
 *
 * A PONG contains nothing of its PING, so it can be forged as well, blindly and within fifteen seconds: the network's
 * packets allow no better proof. Therefore, responses to proven addresses are limited, too.
 */
class UnprovenAddresses {
	/** Bytes that may be sent to each address. */
	private readonly credits = new Recent<number>(MAX_REMEMBERED, Number.POSITIVE_INFINITY, () => 0);

	private allowance = MAX_ALLOWANCE_BYTES;
	private allowanceMs: number;

	constructor(private readonly now: () => number) {
		this.allowanceMs = now();
	}

	/** Credits an address: bytes were received in its name, or a queried node named it. */
	add(host: string, bytes: number): void {
		const credit = this.credits.get(host) ?? 0;
		this.credits.renew(host, Math.min(MAX_BYTES, credit + bytes));
	}

	/**
	 * Whether bytes may be sent to an address; if so, they are deducted.
	 * @param isLuxury whether only the upper half of the allowance may be used, so that some remains for PINGs
	 */
	take(host: string, bytes: number, isLuxury = false): boolean {
		const credit = this.credits.get(host) ?? 0;
		const lack = Math.max(0, bytes - credit);
		if (lack > 0) {
			this.refill();
			if (this.allowance - lack < (isLuxury ? MAX_ALLOWANCE_BYTES / 2 : 0)) return false;
			this.allowance -= lack;
		}
		this.credits.renew(host, credit - bytes + lack);
		return true;
	}

	private refill(): void {
		const now = this.now();
		const passedMs = Math.max(0, now - this.allowanceMs);
		this.allowance = Math.min(MAX_ALLOWANCE_BYTES, this.allowance + (passedMs * BYTES_PER_SECOND) / 1000);
		this.allowanceMs = now;
	}
}

export class Discovery {
	private readonly handlers = new Map<string, NodeHandler>();
	private readonly table: NodeTable<NodeHandler>;
	private readonly world: HandlerWorld;
	private readonly unproven: UnprovenAddresses;
	/** Configured hosts: pinged without limit until they answer. */
	private readonly boot = new Set<string>();
	private readonly timers: Timer[] = [];
	private port: DatagramPort | undefined;
	private isStopped = false;

	private constructor(
		private readonly environment: NetworkEnvironment,
		private readonly options: DiscoveryOptions,
	) {
		const { self } = options;
		this.unproven = new UnprovenAddresses(() => environment.now());
		this.table = new NodeTable(self.nodeId, new Set([self.ipv4, self.ipv6].filter((host) => host !== "")));
		this.world = {
			environment,
			networkId: options.networkId,
			table: this.table,
			send: (to, body) => this.send(to, body),
		};
	}

	/** @throws {Error} if the port can't be bound */
	static async start(environment: NetworkEnvironment, options: DiscoveryOptions): Promise<Discovery> {
		const discovery = new Discovery(environment, options);
		await discovery.begin();
		return discovery;
	}

	/** Nodes that can be dialed, in any order. */
	connectable(): readonly ConnectableNode[] {
		return [...this.handlers.values()]
			.filter((handler) => handler.isConnectable)
			.map(({ host, port, nodeId, updatedMs }) => ({ address: { host, port }, nodeId, updatedMs }));
	}

	get tableSize(): number {
		return this.table.size;
	}

	/** Number of known nodes, including dead ones. */
	get handlerCount(): number {
		return this.handlers.size;
	}

	async stop(): Promise<void> {
		this.isStopped = true;
		for (const timer of this.timers) timer.cancel();
		for (const handler of this.handlers.values()) handler.stop();
		await this.port?.close();
	}

	private async begin(): Promise<void> {
		const { environment, options } = this;
		const { host, self, store } = options;
		const stored = store === undefined ? [] : await this.readStored(store);
		this.port = await environment.bindDatagrams({ host, port: self.port }, (datagram, from) =>
			this.receive(datagram, from),
		);
		const bootNodes = [...options.seeds, ...stored];
		this.greet(bootNodes);
		this.timers.push(environment.every(ASK_AGAIN_MS, () => this.askAgain(bootNodes)));
		this.timers.push(startLookups(environment, this.table, self.nodeId));
		if (store !== undefined)
			this.timers.push(environment.every(STORE_PERIOD_MS, () => this.storeNodes(store)));
	}

	private greet(nodes: readonly NodeAddress[]): void {
		for (const { host, port } of nodes) {
			const nodeId = this.environment.randomBytes(NODE_ID_LENGTH);
			const isV4 = isIPv4(host);
			this.boot.add(host);
			this.handler({ ipv4: isV4 ? host : "", ipv6: isV4 ? "" : host, port, nodeId }, port);
		}
	}

	/**
	 * Retries seed nodes. A node that is offline for a minute at its start has given up all seed nodes; by the network's rules
	 * it would then remain isolated forever, since no other node knows it.
	 */
	private askAgain(bootNodes: readonly NodeAddress[]): void {
		this.greet(bootNodes);
		for (const address of bootNodes) this.handlers.get(keyOfAddress(address))?.revive();
	}

	private receive(datagram: Uint8Array, source: NodeAddress): void {
		if (this.isStopped) return;
		const packet = decodePacket(datagram);
		// This node receives its own packets if it is listed as a seed.
		if (packet === undefined || equalBytes(packet.from.nodeId, this.options.self.nodeId)) return;
		const from = seenFrom(packet.from, source);
		this.unproven.add(this.hostOf(from), datagram.length);
		const handler = this.handler(from, source.port);
		if (handler === undefined) return;
		handler.update({ ...from, port: packet.from.port });
		this.handle(handler, packet);
	}

	private handle(handler: NodeHandler, packet: DiscoveryPacket): void {
		switch (packet.kind) {
			case "ping":
				handler.pinged(packet.networkId);
				return;
			case "pong":
				handler.ponged(packet.networkId);
				return;
			case "findNode":
				handler.answer(packet.target, packet.timestampMs);
				return;
			case "neighbours":
				if (!handler.answered()) return;
				for (const neighbour of packet.neighbours) {
					if (!equalBytes(neighbour.nodeId, this.options.self.nodeId)) this.meet(neighbour);
				}
				return;
		}
	}

	/** Handles a node named in a response: it is pinged once each time it is named, until it has ponged. */
	private meet(neighbour: PeerEndpoint): void {
		const host = this.hostOf(neighbour);
		if (host === "") return;
		if (!this.handlers.get(keyOfAddress({ host, port: neighbour.port }))?.isProven)
			this.unproven.add(host, PING_BYTES);
		this.handler(neighbour, neighbour.port)?.revive();
	}

	/** The node's address in a family that both nodes have; empty if there is none. */
	private hostOf(node: PeerEndpoint): string {
		return sharedHost(this.options.self, node);
	}

	/**
	 * The handler of a node; a new one pings at once.
	 * @returns undefined if the nodes share no address family
	 */
	private handler(node: PeerEndpoint, port: number): NodeHandler | undefined {
		const host = this.hostOf(node);
		if (host === "" || port <= 0 || port > 65_535) return undefined;
		const key = keyOfAddress({ host, port });
		const known = this.handlers.get(key);
		if (known !== undefined) return known;
		this.trim();
		const handler = new NodeHandler(this.world, { host, port }, node);
		this.handlers.set(key, handler);
		handler.ping();
		return handler;
	}

	/**
	 * Evicts handlers: first of nodes that can't be dialed, then of those silent the longest. Nodes in the table have answered
	 * and stay, so that a flood of forged senders can't evict known nodes.
	 */
	private trim(): void {
		if (this.handlers.size <= MAX_HANDLERS) return;
		const loose = [...this.handlers].filter(([, handler]) => !this.table.holds(handler));
		for (const [key, handler] of loose) if (!handler.isConnectable) this.forget(key, handler);
		if (this.handlers.size <= MAX_HANDLERS) return;
		const oldestFirst = loose
			.filter(([, handler]) => handler.isConnectable)
			.sort(([, a], [, b]) => a.updatedMs - b.updatedMs);
		for (const [key, handler] of oldestFirst.slice(0, this.handlers.size - TRIMMED_HANDLERS)) {
			this.forget(key, handler);
		}
	}

	private forget(key: string, handler: NodeHandler): void {
		handler.stop();
		this.handlers.delete(key);
	}

	private send(to: NodeHandler, body: UnsentPacket): boolean {
		if (this.isStopped) return true;
		const datagram = encodePacket({ ...body, from: this.options.self });
		const isFree = to.isProven || this.boot.has(to.host);
		if (!isFree && !this.unproven.take(to.host, datagram.length, body.kind === "neighbours")) return false;
		this.port?.send(datagram, { host: to.host, port: to.port });
		return true;
	}

	private async readStored(store: PeerStore): Promise<readonly NodeAddress[]> {
		try {
			const text = await store.read();
			return text === undefined ? [] : readStoredPeers(text);
		} catch (error) {
			this.options.onProblem?.(error);
			return [];
		}
	}

	private storeNodes(store: PeerStore): void {
		const nodes = [...this.table.nodes()].sort((a, b) => b.updatedMs - a.updatedMs).slice(0, STORED_NODES);
		store.write(writePeerList(nodes)).catch((error: unknown) => this.options.onProblem?.(error));
	}
}

/** A sender's endpoint: as claimed, except for the address, which is the datagram's source. */
function seenFrom(from: PeerEndpoint, source: NodeAddress): PeerEndpoint {
	// A dual-stack socket reports IPv4 addresses as IPv4-mapped ones.
	const host = source.host.replace(/^::ffff:(?=\d+\.)/i, "");
	return isIPv4(host) ? { ...from, ipv4: host } : { ...from, ipv6: host };
}
