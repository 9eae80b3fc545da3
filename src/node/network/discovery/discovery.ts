/**
 * Finding nodes over UDP (protocol/peers §2): a node that answers on the port it names and is of our network can be dialed. Nothing
 * here is proven, only claimed: a datagram's sender may be anyone, so memory is bounded and no one is penalized.
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
	/** As it is announced; the port is the one to bind, which is also that of the TCP listener. */
	readonly self: PeerEndpoint;
	/** Address to bind; undefined: every interface. */
	readonly host?: string | undefined;
	/** Nodes to begin with: `seed.node` and `node.active`. */
	readonly seeds: readonly NodeAddress[];
	/** Where met nodes are kept; undefined: nowhere. */
	readonly store?: PeerStore | undefined;
	/** Reports what went wrong with the store; discovery goes on. */
	readonly onProblem?: (error: unknown) => void;
}

const MAX_HANDLERS = 3000;
const TRIMMED_HANDLERS = 2000;
const STORE_PERIOD_MS = 60_000;
/** Seed nodes are asked again this often after they gave no answer. */
const ASK_AGAIN_MS = 60_000;
const STORED_NODES = 30;
/** Of a PING between IPv4 addresses. */
const PING_BYTES = 200;

const FIRST_LOOKUP_MS = 1;
/** From the end of one to the beginning of the next. */
const PAUSE_MS = 7_200;
const ROUND_MS = 100;
const ROUNDS = 8;
/** Nodes asked at the same time. */
const PARALLEL = 3;
/** Every this many lookups the target is our own id: the nodes near us. */
const OWN_ID_EVERY = 5;

/** Asks around for nodes near a target, again and again (protocol/peers §2.5). @returns what ends it */
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
/** Saved up for an address at most. */
const MAX_BYTES = 4096;
const MAX_REMEMBERED = 5000;

/**
 * What is sent to addresses that have proven nothing. A datagram names any sender it likes: a node that answers with
 * more than it got is a weapon against the address named. So an address that has not ponged gets as many bytes as came
 * in its name. What the network wants beyond that (a PING is answered and returned, and repeated three times; a question
 * is answered for any sender) comes out of one small allowance for all addresses together: a quiet node does all of it, a
 * flood gets back what it sent.
 *
 * A PONG repeats nothing of its PING, so it can be forged as well, blindly and within fifteen seconds: the network's
 * packets allow no better proof. That is why answers to proven addresses have a limit, too.
 */
class UnprovenAddresses {
	/** Bytes that may go to an address. */
	private readonly credits = new Recent<number>(MAX_REMEMBERED, Number.POSITIVE_INFINITY, () => 0);

	private allowance = MAX_ALLOWANCE_BYTES;
	private allowanceMs: number;

	constructor(private readonly now: () => number) {
		this.allowanceMs = now();
	}

	/** Bytes came in the name of an address, or a node that we asked named it. */
	add(host: string, bytes: number): void {
		const credit = this.credits.get(host) ?? 0;
		this.credits.renew(host, Math.min(MAX_BYTES, credit + bytes));
	}

	/**
	 * Whether bytes may go to an address; they are counted.
	 * @param isLuxury the upper half of the allowance is for it, so that PINGs are left when answers aren't
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
	/** Hosts that the configuration names: pinged as often as it takes. */
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

	/** Nodes that a connection can be made to, in any order. */
	connectable(): readonly ConnectableNode[] {
		return [...this.handlers.values()]
			.filter((handler) => handler.isConnectable)
			.map(({ host, port, nodeId, updatedMs }) => ({ address: { host, port }, nodeId, updatedMs }));
	}

	get tableSize(): number {
		return this.table.size;
	}

	/** Nodes that are remembered, dead ones too. */
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
	 * Nodes that were cut off for a minute when they started have given up all their seed nodes. By the
	 * network's rules they would then be alone forever, or with each other: no one else knows of them.
	 */
	private askAgain(bootNodes: readonly NodeAddress[]): void {
		this.greet(bootNodes);
		for (const address of bootNodes) this.handlers.get(keyOfAddress(address))?.revive();
	}

	private receive(datagram: Uint8Array, source: NodeAddress): void {
		if (this.isStopped) return;
		const packet = decodePacket(datagram);
		// Our own packets come back if we are our own seed.
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

	/** A node that we asked names another: it is pinged once for each time that it is named, until it has ponged. */
	private meet(neighbour: PeerEndpoint): void {
		const host = this.hostOf(neighbour);
		if (host === "") return;
		if (!this.handlers.get(keyOfAddress({ host, port: neighbour.port }))?.isProven)
			this.unproven.add(host, PING_BYTES);
		this.handler(neighbour, neighbour.port)?.revive();
	}

	/** The address by which both of us can be reached; empty if there is none. */
	private hostOf(node: PeerEndpoint): string {
		return sharedHost(this.options.self, node);
	}

	/**
	 * The handler of a node; a new one pings at once.
	 * @returns undefined if we share no address family
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
	 * Makes room: first those that can't be connected to go, then those that were silent longest. A node in the
	 * table has answered and stays: a flood of forged senders must not drive out the nodes that we know.
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

/** A sender's own claims are used for everything but the address that its datagram came from. */
function seenFrom(from: PeerEndpoint, source: NodeAddress): PeerEndpoint {
	// A socket of both families gives IPv4 addresses as mapped ones.
	const host = source.host.replace(/^::ffff:(?=\d+\.)/i, "");
	return isIPv4(host) ? { ...from, ipv4: host } : { ...from, ipv6: host };
}
