/**
 * The node's transport: listens, dials, admits or refuses, and hands connections with a completed handshake
 * to the application (protocol/peers §4).
 */

import type { PeerConfig } from "../../config/config.js";
import type { ApplicationListener, PeerConnection, Transport } from "../connection.js";
import {
	type ByteStream,
	keyOfAddress,
	type NetworkEnvironment,
	type NodeAddress,
	type PeerListener,
	type Timer,
} from "../environment.js";
import { NODE_ID_LENGTH, type PeerEndpoint } from "../wire/endpoint.js";
import { FrameWriter } from "../wire/envelope.js";
import { DisconnectReason, type Status } from "../wire/transport-messages.js";
import { type CandidateSource, newsOnly } from "./candidates.js";
import { Channel, type ChannelContext } from "./channel.js";
import { type Dialer, DialPool } from "./dial-pool.js";
import { NodeDetector } from "./node-detector.js";
import { BanList, ChannelRegistry, NO_BAN_MS } from "./registry.js";

const DIAL_TIMEOUT_MS = 2_000;
const KEEPALIVE_PERIOD_MS = 2_000;
/** How long closing connections may take when the node stops. */
const STOP_MS = 300;

export type TransportConfig = Pick<
	PeerConfig,
	| "listenPort"
	| "networkId"
	| "active"
	| "passive"
	| "fastForward"
	| "maxConnections"
	| "minConnections"
	| "minActiveConnections"
	| "maxConnectionsWithSameIp"
	| "detectNodes"
>;

interface PeerTransportOptions {
	readonly environment: NetworkEnvironment;
	readonly config: TransportConfig;
	readonly listener: ApplicationListener;
	readonly candidates: CandidateSource;
	/** Own announced address: IP literals, either may be empty but not both. */
	readonly self: { readonly ipv4: string; readonly ipv6: string };
	/** Address to listen on and dial from; undefined: every interface. */
	readonly host?: string | undefined;
	/** 64 bytes; random if not given. Discovery announces the same. */
	readonly nodeId?: Uint8Array | undefined;
	/** Why connections fail or end, for a log. */
	readonly report?: ((fields: object, message: string) => void) | undefined;
	/** A peer answered a ping after this time. */
	readonly pinged?: ((ms: number) => void) | undefined;
}

/** Number of pending connections that counts as crowded. */
const CROWDED = 64;
const MOST = 128;
/** Per address. */
const MAX_OF_HOST = 16;
const MAX_OF_HOST_WHEN_CROWDED = 4;
/** Time limit for the first HELLO when crowded; otherwise the general limit applies. */
const HURRIED_MS = 5_000;

/**
 * Connections that haven't sent HELLO yet. They cost something too, and the limits of protocol/peers §4.4
 * only start with the HELLO: opening many silent connections must not keep others out.
 */
class Greetings {
	/** @param channels all connections, the oldest first */
	constructor(
		private readonly channels: ReadonlySet<Channel>,
		private readonly bans: BanList,
		private readonly now: () => number,
	) {}

	/**
	 * Whether one more connection from an address may be accepted; if there are too many, the oldest of the address with most
	 * is closed. A banned peer gets the reason if it sends HELLO, but not while others need the slot.
	 */
	makeRoom(host: string): boolean {
		const greeting = this.greeting();
		const isCrowded = greeting.length >= CROWDED;
		if (isCrowded && this.bans.has(host, this.now())) return false;
		const same = greeting.filter((channel) => channel.remote.host === host).length;
		if (same >= (isCrowded ? MAX_OF_HOST_WHEN_CROWDED : MAX_OF_HOST)) return false;
		if (greeting.length >= MOST) oldestOfLargest(greeting)?.close(NO_BAN_MS);
		return true;
	}

	/** To be called every two seconds: while crowded, no connection may stay silent for long. */
	dropSilent(): void {
		const greeting = this.greeting();
		if (greeting.length < CROWDED) return;
		const latest = this.now() - HURRIED_MS;
		for (const channel of greeting) if (channel.startMs <= latest) channel.close();
	}

	private greeting(): readonly Channel[] {
		return [...this.channels].filter((channel) => channel.isGreeting);
	}
}

function oldestOfLargest(greeting: readonly Channel[]): Channel | undefined {
	const counts = new Map<string, number>();
	for (const { remote } of greeting) counts.set(remote.host, (counts.get(remote.host) ?? 0) + 1);
	const most = Math.max(...counts.values());
	return greeting.find(({ remote }) => counts.get(remote.host) === most);
}

export class PeerTransport implements Transport {
	readonly nodeId: Uint8Array;
	private readonly bans = new BanList();
	private readonly registry: ChannelRegistry;
	private readonly pool: DialPool;
	private readonly detector: NodeDetector | undefined;
	private readonly context: ChannelContext;
	private readonly greetings: Greetings;
	private readonly trusted = new Set<string>();
	private readonly channels = new Set<Channel>();
	private readonly dialing = new Map<
		string,
		{ readonly address: NodeAddress; readonly configured: boolean }
	>();
	private port: number;
	private server: PeerListener | undefined;
	private keepalive: Timer | undefined;
	private isStopped = false;

	constructor(private readonly options: PeerTransportOptions) {
		const { environment, config, candidates } = options;
		this.nodeId = options.nodeId ?? environment.randomBytes(NODE_ID_LENGTH);
		this.port = config.listenPort;
		this.registry = new ChannelRegistry(this.nodeId, config, this.bans);
		this.greetings = new Greetings(this.channels, this.bans, () => environment.now());
		const transport = this;
		this.context = {
			environment,
			networkId: config.networkId,
			get own() {
				return transport.own;
			},
			registry: this.registry,
			bans: this.bans,
			frames: new FrameWriter(),
			listener: options.listener,
			status: () => this.status(),
			closed: (channel) => this.channelClosed(channel),
			report: newsOnly(environment, options.report ?? (() => undefined)),
			pinged: options.pinged,
		};
		for (const { host } of [...config.active, ...config.passive, ...config.fastForward])
			this.trusted.add(host);
		if (config.detectNodes) {
			this.detector = new NodeDetector({
				environment,
				candidates,
				status: () => this.status(),
				networkId: config.networkId,
				host: options.host,
				isOwn: (address) => this.isOwn(address),
			});
		}
		this.pool = new DialPool({
			environment,
			limits: config,
			bans: this.bans,
			dialer: this.dialer(),
			candidates,
			withRoom: () => this.detector?.withRoom() ?? [],
		});
		this.pool.setConfigured(config.active);
	}

	/**
	 * Binds the port, unless it is 0, and starts dialing.
	 * @throws {Error} if the port can't be bound; peers are dialed all the same
	 */
	async start(): Promise<void> {
		const { environment, config, host } = this.options;
		try {
			if (config.listenPort !== 0) {
				this.server = await environment.listen({ host, port: config.listenPort }, (stream) =>
					this.accept(stream),
				);
				this.port = this.server.port;
			}
		} finally {
			this.keepalive = environment.every(KEEPALIVE_PERIOD_MS, () => {
				for (const channel of this.registry.channels) channel.keepAlive();
				this.greetings.dropSilent();
			});
			this.pool.start();
			this.detector?.start();
		}
	}

	/** Bound TCP port; 0 if it doesn't listen. */
	get boundPort(): number {
		return this.server?.port ?? 0;
	}

	/** Disconnects every peer; resolves when the port is free and connections had time to close. */
	async stop(): Promise<void> {
		if (this.isStopped) return;
		this.isStopped = true;
		this.pool.stop();
		this.detector?.stop();
		this.keepalive?.cancel();
		const closing = this.server?.close();
		for (const channel of [...this.channels]) {
			if (channel.isEstablished) channel.disconnect(DisconnectReason.PEER_QUITING);
			else channel.close();
		}
		await new Promise<void>((resolve) => this.options.environment.after(STOP_MS, resolve));
		for (const channel of [...this.channels]) channel.abandon();
		await closing;
	}

	get self(): { readonly ipv4: string; readonly ipv6: string; readonly port: number } {
		return { ...this.options.self, port: this.port };
	}

	/** Registered connections, in order of registration. */
	connections(): readonly PeerConnection[] {
		return this.registry.channels.filter((channel) => channel.isEstablished);
	}

	setConfigured(addresses: readonly NodeAddress[]): void {
		this.pool.setConfigured(addresses);
		for (const { host } of addresses) this.trusted.add(host);
	}

	trust(host: string): void {
		this.trusted.add(host);
	}

	dial(address: NodeAddress): void {
		this.connect(address, false);
	}

	connectable(): readonly NodeAddress[] {
		return this.options.candidates.connectable().map(({ address }) => address);
	}

	dnsNodes(): readonly NodeAddress[] {
		return this.options.candidates.dnsNodes();
	}

	get tableSize(): number {
		return this.options.candidates.tableSize;
	}

	private get own(): PeerEndpoint {
		return { ...this.options.self, port: this.port, nodeId: this.nodeId };
	}

	private status(): Status {
		const { environment, config } = this.options;
		return {
			from: this.own,
			networkId: config.networkId,
			maxConnections: config.maxConnections,
			currentConnections: this.registry.size,
			timestamp: BigInt(Math.trunc(environment.wallClock())),
		};
	}

	private accept(stream: ByteStream): void {
		const { host } = stream.remote;
		if (this.isStopped || !(this.trusted.has(host) || this.greetings.makeRoom(host))) {
			stream.destroy();
			return;
		}
		this.open(stream, false, false);
	}

	private connect(address: NodeAddress, configured: boolean): void {
		const key = keyOfAddress(address);
		if (this.isStopped || this.dialing.has(key)) return;
		this.dialing.set(key, { address, configured });
		this.options.environment.dial(address, DIAL_TIMEOUT_MS, this.options.host).then(
			(stream) => {
				this.dialing.delete(key);
				if (this.isStopped) stream.destroy();
				else this.open(stream, true, configured);
			},
			(error: unknown) => {
				this.dialing.delete(key);
				const why = error instanceof Error ? error.message : String(error);
				if (configured) this.context.report(address, { why }, "peer not reached");
				if (!configured) this.pool.dialedNodeGone();
			},
		);
	}

	private open(stream: ByteStream, outgoing: boolean, configured: boolean): void {
		const trusted = this.trusted.has(stream.remote.host);
		this.channels.add(new Channel(this.context, stream, { outgoing, configured, trusted }));
	}

	private channelClosed(channel: Channel): void {
		this.channels.delete(channel);
		if (channel.outgoing && !channel.configured && !this.isStopped) this.pool.dialedNodeGone();
	}

	private isOwn({ host, port }: NodeAddress): boolean {
		const { ipv4, ipv6 } = this.options.self;
		return port === this.port && (host === ipv4 || host === ipv6 || host === this.options.host);
	}

	private dialer(): Dialer {
		const open = () => [...this.channels].filter((channel) => channel.isOpen);
		const dialed = () => [...this.dialing.values()];
		return {
			counts: () => {
				const established = this.connections();
				return {
					connecting: [...open().filter(({ outgoing }) => outgoing), ...dialed()].filter(
						({ configured }) => !configured,
					).length,
					passive: established.filter(({ outgoing }) => !outgoing).length,
					total: established.length,
				};
			},
			usesOf: (host) =>
				open().filter(({ remote }) => remote.host === host).length +
				dialed().filter(({ address }) => address.host === host).length,
			isInUse: (address) =>
				this.dialing.has(keyOfAddress(address)) ||
				open().some(({ remote }) => keyOfAddress(remote) === keyOfAddress(address)),
			isNodeIdInUse: (nodeId) => this.registry.isNodeIdInUse(nodeId),
			isOwn: (address) => this.isOwn(address),
			dial: (address, configured) => this.connect(address, configured),
		};
	}
}
