import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/node/config/config.js";
import { peerSettings } from "../../../src/node/network/network.js";

const read = (text: string) => parseConfig(`storage {}, node { ${text} }`);
const peers = (text: string) => read(text).node.peers;
const address = (host: string, port = 18888) => ({ host, port });

describe("the configuration of the peer network (protocol/configuration §1.4)", () => {
	it.each([
		["listen.port = 18888", "listenPort", 18888],
		["p2p.version = 11111", "networkId", 11111],
		["enableIpv6 = true", "enableIpv6", true],
		["discovery.enable = true", "discovery", true],
		["discovery.persist = true", "discoveryPersist", true],
		['discovery.external.ip = "10.0.0.9"', "externalIp", "10.0.0.9"],
		[
			'active = ["10.0.0.1:18888", "[2001:db8::1]:18888"]',
			"active",
			[address("10.0.0.1"), address("2001:db8::1")],
		],
		['active = ["seed-1.example.org:18888"]', "active", [address("seed-1.example.org")]],
		['passive = ["localhost:18888"]', "passive", [address("localhost")]],
		['passive = ["10.0.0.1:18888"]', "passive", [address("10.0.0.1")]],
		['fastForward = ["10.0.0.1:18888"]', "fastForward", [address("10.0.0.1")]],
		["maxFastForwardNum = 99", "maxFastForwardCount", 27],
		["maxConnections = 5", "maxConnections", 5],
		["maxConnections = 5", "minConnections", 5],
		["minConnections = 6", "minConnections", 6],
		["minConnections = 2", "minActiveConnections", 2],
		["minActiveConnections = 1", "minActiveConnections", 1],
		["maxConnectionsWithSameIp = 4", "maxConnectionsWithSameIp", 4],
		["maxActiveNodes = 40", "maxConnections", 40],
		["maxActiveNodes = 40, connectFactor = 0.3", "minConnections", 12],
		["maxActiveNodes = 40, activeConnectFactor = 0.1", "minActiveConnections", 4],
		["maxActiveNodesWithSameIp = 7, maxConnectionsWithSameIp = 4", "maxConnectionsWithSameIp", 7],
		["maxTps = 77", "maxTps", 77],
		["syncFetchBatchNum = 1", "syncFetchBatchCount", 100],
		["fetchBlock.timeout = 5000", "fetchBlockTimeoutMs", 1000],
		["blockCacheTimeout = 5", "blockCacheTimeoutMinutes", 5n],
		["isOpenFullTcpDisconnect = true", "fullTcpDisconnect", true],
		["inactiveThreshold = 0", "inactiveThresholdSeconds", 1],
		["nodeDetectEnable = true", "detectNodes", true],
		["effectiveCheckEnable = true", "effectiveCheck", true],
		["openPrintLog = false", "printLog", false],
		['dns.treeUrls = ["tree://KEY@example.org"]', "dnsTreeUrls", ["tree://KEY@example.org"]],
		["dynamicConfig { enable = true, checkInterval = 60 }", "reloadSeconds", 60n],
		["dynamicConfig { enable = true, checkInterval = 0 }", "reloadSeconds", 600n],
		["dynamicConfig.checkInterval = 60", "reloadSeconds", undefined],
	] as const)("reads %s as %s", (text, name, value) => {
		const config = read(text);
		expect(config.node.peers[name]).toEqual(value);
		expect(config.unknownKeys).toEqual([]);
	});

	it.each([
		["connection.timeout = 2"],
		["channel.read.timeout = 0"],
		["tcpNettyWorkThreadNum = 0"],
		["udpNettyWorkThreadNum = 1"],
		["netMaxTrxPerSecond = 700"],
		["receiveTcpMinDataLength = 2048"],
	])("takes %s, which does nothing on the reference either", (text) => {
		expect(read(text).unknownKeys).toEqual([]);
		expect(peers(text)).toEqual(peers(""));
	});

	it.each([
		["listen.port = 70000", /listen\.port/],
		[
			'active = ["example..org:18888"]',
			/active\[0\] must be ipv4:port, \[ipv6\]:port or name:port, not "example\.\.org:18888"/,
		],
		['active = ["999.1.1.1:18888"]', /active\[0\] must be/],
		['active = ["-a.example:18888"]', /active\[0\] must be/],
		['active = ["example.org"]', /active\[0\] must be/],
		['passive = ["10.0.0.1"]', /passive\[0\] must be/],
		['fastForward = ["10.0.0.1:99999"]', /fastForward\[0\] must be/],
		['discovery.external.ip = "here"', /must be an IP, not "here"/],
		["dns.publish = true", /dns\.publish = true is not supported: this node only reads node lists/],
		['maxConnections = "many"', /maxConnections/],
	])("refuses %s with a sentence", (text, sentence) => {
		expect(() => read(text)).toThrow(sentence);
	});

	it.each([
		["isOpenFullTcpDisconnect = true", "eliminateAtRandom", true],
		["effectiveCheckEnable = true", "effectiveCheck", true],
		["inactiveThreshold = 30", "inactiveThresholdMs", 30_000],
		["blockCacheTimeout = 5", "blockCacheTimeoutMs", 300_000],
		["maxTps = 77", "maxTransactionsPerSecond", 77],
		["fetchBlock.timeout = 200", "fetchBlockTimeoutMs", 200],
		["syncFetchBatchNum = 500", "syncFetchBatch", 500],
		["unsolidifiedBlockCheck = true, maxUnsolidifiedBlocks = 9", "maxUnsolidified", 9],
		["maxUnsolidifiedBlocks = 9", "maxUnsolidified", undefined],
		["agreeNodeCount = 99", "quorum", 27],
		["agreeNodeCount = 1", "quorum", 1],
		["agreeNodeCount = 0", "quorum", 19],
		['fastForward = ["10.0.0.1:18888"]', "relayHosts", new Set(["10.0.0.1"])],
	] as const)("gives peers %s as %s", (text, name, value) => {
		expect(peerSettings(read(text))[name]).toEqual(value);
	});
});
