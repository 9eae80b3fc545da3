/** The peer network: `node.*` and `seed.node.*` keys of protocol/configuration §1.4 and §1.7. */

import { isIP, isIPv4, isIPv6 } from "node:net";
import type { Settings } from "./settings.js";

/** A peer's address: an IP or an unresolved host name, and a port. */
export interface PeerAddress {
	readonly host: string;
	readonly port: number;
}

export interface PeerConfig {
	/** TCP and UDP port. */
	readonly listenPort: number;
	/** Network id that both sides of a connection must share. */
	readonly networkId: number;
	readonly enableIpv6: boolean;
	readonly discovery: boolean;
	readonly discoveryPersist: boolean;
	/** Own address as others see it; empty: the LAN address. */
	readonly externalIp: string;
	readonly seeds: readonly PeerAddress[];
	/** Always connected to, and trusted. */
	readonly active: readonly PeerAddress[];
	/** Trusted by IP. */
	readonly passive: readonly PeerAddress[];
	/** Relay nodes, also trusted. */
	readonly fastForward: readonly PeerAddress[];
	readonly maxFastForwardCount: number;
	readonly maxConnections: number;
	readonly minConnections: number;
	readonly minActiveConnections: number;
	readonly maxConnectionsWithSameIp: number;
	/** Transactions per second accepted from the network. */
	readonly maxTps: number;
	/** Announced blocks per second and peer, over ten seconds. */
	readonly maxBlockInvPerSecond: number;
	/** Blocks of lists that all peers together may owe. */
	readonly maxPendingBlocks: number;
	/** Transactions that may wait, in all caches together. */
	readonly maxTransactionCache: number;
	/** Messages per second and peer. */
	readonly rates: {
		readonly syncBlockChain: number;
		readonly fetchInvData: number;
		readonly disconnect: number;
	};
	readonly syncFetchBatchCount: number;
	readonly fetchBlockTimeoutMs: number;
	readonly blockCacheTimeoutMinutes: bigint;
	readonly inactiveThresholdSeconds: number;
	readonly fullTcpDisconnect: boolean;
	readonly detectNodes: boolean;
	readonly effectiveCheck: boolean;
	readonly printLog: boolean;
	/** `tree://<public key>@<domain>` node lists. */
	readonly dnsTreeUrls: readonly string[];
	/** Seconds between reloads of active and passive nodes from the configuration file; undefined: never. */
	readonly reloadSeconds: bigint | undefined;
}

/** Reads the peer network's keys. @throws {ConfigError} */
export function readPeers(settings: Settings): PeerConfig {
	refuseDnsPublish(settings);
	return {
		listenPort: settings.get("node.listen.port"),
		networkId: settings.get("node.p2p.version"),
		enableIpv6: settings.get("node.enableIpv6"),
		discovery: settings.get("node.discovery.enable"),
		discoveryPersist: settings.get("node.discovery.persist"),
		externalIp: readExternalIp(settings),
		seeds: readPeerList(settings, "seed.node.ip.list"),
		active: readPeerList(settings, "node.active"),
		passive: readPeerList(settings, "node.passive"),
		fastForward: readPeerList(settings, "node.fastForward"),
		maxFastForwardCount: settings.get("node.maxFastForwardNum"),
		...readConnectionLimits(settings),
		maxTps: settings.get("node.maxTps"),
		maxBlockInvPerSecond: Math.max(1, settings.get("node.maxBlockInvPerSecond")),
		maxPendingBlocks: settings.get("node.maxPendingBlockSize"),
		maxTransactionCache: Math.max(2000, settings.get("node.maxTrxCacheSize")),
		rates: {
			syncBlockChain: readRate(settings, "rate.limiter.p2p.syncBlockChain"),
			fetchInvData: readRate(settings, "rate.limiter.p2p.fetchInvData"),
			disconnect: readRate(settings, "rate.limiter.p2p.disconnect"),
		},
		syncFetchBatchCount: settings.get("node.syncFetchBatchNum"),
		fetchBlockTimeoutMs: settings.get("node.fetchBlock.timeout"),
		blockCacheTimeoutMinutes: settings.get("node.blockCacheTimeout"),
		inactiveThresholdSeconds: Math.max(1, settings.get("node.inactiveThreshold")),
		fullTcpDisconnect: settings.get("node.isOpenFullTcpDisconnect"),
		detectNodes: settings.get("node.nodeDetectEnable"),
		effectiveCheck: settings.get("node.effectiveCheckEnable"),
		printLog: settings.get("node.openPrintLog"),
		dnsTreeUrls: settings.get("node.dns.treeUrls"),
		reloadSeconds: readReload(settings),
	};
}

type RatePath =
	| "rate.limiter.p2p.syncBlockChain"
	| "rate.limiter.p2p.fetchInvData"
	| "rate.limiter.p2p.disconnect";

/** Messages a second. @throws {ConfigError} */
function readRate(settings: Settings, path: RatePath): number {
	const rate = settings.get(path);
	if (!(rate > 0)) throw settings.refuse(path, `must be above 0, not ${rate}`);
	return rate;
}

type ConnectionLimits = Pick<
	PeerConfig,
	"maxConnections" | "minConnections" | "minActiveConnections" | "maxConnectionsWithSameIp"
>;

/** Applies the older keys if `maxActiveNodes` is present, and the limits' bounds on each other. */
function readConnectionLimits(settings: Settings): ConnectionLimits {
	let max = settings.get("node.maxConnections");
	let min = settings.get("node.minConnections");
	let minActive = settings.get("node.minActiveConnections");
	if (settings.has("node.maxActiveNodes")) {
		max = settings.get("node.maxActiveNodes");
		if (settings.has("node.connectFactor")) min = Math.trunc(max * settings.get("node.connectFactor"));
		if (settings.has("node.activeConnectFactor"))
			minActive = Math.trunc(max * settings.get("node.activeConnectFactor"));
	}
	min = Math.min(min, max);
	return {
		maxConnections: max,
		minConnections: min,
		minActiveConnections: Math.min(minActive, min),
		maxConnectionsWithSameIp: settings.get(
			"node.maxActiveNodesWithSameIp",
			settings.get("node.maxConnectionsWithSameIp"),
		),
	};
}

type PeerListPath = "seed.node.ip.list" | "node.active" | "node.passive" | "node.fastForward";

/** Reads a list of `ip:port`, `[ipv6]:port` and `name:port`. @throws {ConfigError} */
function readPeerList(settings: Settings, path: PeerListPath): readonly PeerAddress[] {
	return settings.get(path).map((text, i) => {
		const address = parsePeerAddress(text);
		if (address === undefined) {
			throw settings.refuse(`${path}[${i}]`, `must be ipv4:port, [ipv6]:port or name:port, not "${text}"`);
		}
		return address;
	});
}

/** Labels of letters, digits and hyphens; the last has a letter, so that dotted numbers don't match. */
const HOST_NAME = /^(?!-)(?:[a-z\d-]{1,63}(?<!-)\.(?!-))*(?=[a-z\d-]*[a-z])[a-z\d-]{1,63}(?<!-)$/i;
const LONGEST_NAME = 253;

/** Whether a text is a host name that needs DNS resolution. */
export function isHostName(text: string): boolean {
	return text.length <= LONGEST_NAME && HOST_NAME.test(text);
}

/** Parses `ip:port`, `[ipv6]:port` or `name:port`; undefined for any other text. */
export function parsePeerAddress(text: string): PeerAddress | undefined {
	const [, v6, v4, digits = ""] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
	const port = Number(digits);
	if (digits === "" || port > 65535) return undefined;
	if (v6 !== undefined && isIPv6(v6)) return { host: v6, port };
	if (v4 !== undefined && (isIPv4(v4) || isHostName(v4))) return { host: v4, port };
	return undefined;
}

function readExternalIp(settings: Settings): string {
	const text = settings.get("node.discovery.external.ip");
	if (text !== "" && isIP(text) === 0)
		throw settings.refuse("node.discovery.external.ip", `must be an IP, not "${text}"`);
	return text;
}

function refuseDnsPublish(settings: Settings): void {
	if (settings.get("node.dns.publish")) {
		throw settings.refuse("node.dns.publish", "= true is not supported: this node only reads node lists");
	}
}

function readReload(settings: Settings): bigint | undefined {
	const seconds = settings.get("node.dynamicConfig.checkInterval");
	if (!settings.get("node.dynamicConfig.enable")) return undefined;
	return seconds <= 0n ? 600n : seconds;
}
