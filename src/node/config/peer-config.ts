/** The peer network: `node.*` and `seed.node.*` keys of protocol/configuration §1.4 and §1.7. */

import { isIP, isIPv4, isIPv6 } from "node:net";
import type { Section } from "./section.js";

/** A peer's address: an IP and a port. */
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
	readonly syncFetchBatchCount: number;
	readonly fetchBlockTimeoutMs: number;
	readonly blockCacheTimeoutMinutes: bigint;
	readonly inactiveThresholdSeconds: number;
	readonly fullTcpDisconnect: boolean;
	readonly detectNodes: boolean;
	readonly effectiveCheck: boolean;
	readonly printLog: boolean;
	/** `tree://<public key>@<domain>` lists of nodes. */
	readonly dnsTreeUrls: readonly string[];
	readonly dnsPublish: boolean;
	/** Seconds between looks at the configuration file for new active and passive nodes; undefined: never. */
	readonly reloadSeconds: bigint | undefined;
}

/** Reads the peer network's keys. @throws {ConfigError} */
export function readPeers(root: Section): PeerConfig {
	const node = root.section("node");
	return {
		listenPort: node.intWithin("listen.port", 0, 0, 65535),
		networkId: node.int("p2p.version", 0),
		enableIpv6: node.boolean("enableIpv6", false),
		discovery: node.boolean("discovery.enable", false),
		discoveryPersist: node.boolean("discovery.persist", false),
		externalIp: readExternalIp(node),
		seeds: readPeerList(root, "seed.node.ip.list"),
		active: readPeerList(node, "active"),
		passive: readPeerList(node, "passive"),
		fastForward: readPeerList(node, "fastForward"),
		maxFastForwardCount: node.intClamped("maxFastForwardNum", 4, 1, 27),
		...readConnectionLimits(node),
		maxTps: node.int("maxTps", 1000),
		syncFetchBatchCount: node.intClamped("syncFetchBatchNum", 2000, 100, 2000),
		fetchBlockTimeoutMs: node.intClamped("fetchBlock.timeout", 500, 100, 1000),
		blockCacheTimeoutMinutes: node.long("blockCacheTimeout", 60n),
		inactiveThresholdSeconds: Math.max(1, node.int("inactiveThreshold", 600)),
		fullTcpDisconnect: node.boolean("isOpenFullTcpDisconnect", false),
		detectNodes: node.boolean("nodeDetectEnable", false),
		effectiveCheck: node.boolean("effectiveCheckEnable", false),
		printLog: node.boolean("openPrintLog", true),
		dnsTreeUrls: node.texts("dns.treeUrls"),
		dnsPublish: readDnsPublish(node),
		reloadSeconds: readReload(node),
	};
}

type ConnectionLimits = Pick<
	PeerConfig,
	"maxConnections" | "minConnections" | "minActiveConnections" | "maxConnectionsWithSameIp"
>;

/** The older keys, where `maxActiveNodes` is present, and the limits that lower each other. */
function readConnectionLimits(node: Section): ConnectionLimits {
	let max = node.int("maxConnections", 30);
	let min = node.int("minConnections", 8);
	let minActive = node.int("minActiveConnections", 3);
	if (node.has("maxActiveNodes")) {
		max = node.int("maxActiveNodes", max);
		if (node.has("connectFactor")) min = Math.trunc(max * node.double("connectFactor", 0));
		if (node.has("activeConnectFactor")) minActive = Math.trunc(max * node.double("activeConnectFactor", 0));
	}
	min = Math.min(min, max);
	return {
		maxConnections: max,
		minConnections: min,
		minActiveConnections: Math.min(minActive, min),
		maxConnectionsWithSameIp: node.int("maxActiveNodesWithSameIp", node.int("maxConnectionsWithSameIp", 2)),
	};
}

/** Reads a list of `ip:port` and `[ipv6]:port`. @throws {ConfigError} */
export function readPeerList(section: Section, path: string): readonly PeerAddress[] {
	return section.texts(path).map((text, i) => {
		const address = parsePeerAddress(text);
		if (address === undefined) {
			throw section.refuse(`${path}[${i}]`, `must be ipv4:port or [ipv6]:port, not "${text}"`);
		}
		return address;
	});
}

/** Reads `ip:port` or `[ipv6]:port`; undefined if the text is anything else. */
export function parsePeerAddress(text: string): PeerAddress | undefined {
	const [, v6, v4, digits = ""] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
	const port = Number(digits);
	if (digits === "" || port > 65535) return undefined;
	if (v6 !== undefined && isIPv6(v6)) return { host: v6, port };
	if (v4 !== undefined && isIPv4(v4)) return { host: v4, port };
	return undefined;
}

function readExternalIp(node: Section): string {
	const text = node.text("discovery.external.ip", "");
	if (text !== "" && isIP(text) === 0)
		throw node.refuse("discovery.external.ip", `must be an IP, not "${text}"`);
	return text;
}

function readDnsPublish(node: Section): boolean {
	const publish = node.boolean("dns.publish", false);
	if (publish) throw node.refuse("dns.publish", "= true is not supported: this node only reads node lists");
	return publish;
}

function readReload(node: Section): bigint | undefined {
	const seconds = node.long("dynamicConfig.checkInterval", 600n);
	if (!node.boolean("dynamicConfig.enable", false)) return undefined;
	return seconds <= 0n ? 600n : seconds;
}
