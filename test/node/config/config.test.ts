import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
	COMMITTEE_KEYS,
	ConfigError,
	defaultConfig,
	loadConfig,
	type NodeConfig,
	parseConfig,
	type StartOptions,
} from "../../../src/node/config/config.js";
import { parseAddress } from "../../../src/protocol/address.js";
import { toHex } from "../../../src/protocol/bytes.js";

const ADDRESS = "TErGVpctkrkeAoEbYpDito5edEKsQDYt9X";
const KEY = "e58f33f9baf9305dc6f82b9f1934ea8f0ade2defb951258d50167028c780351f";

function parse(text: string): NodeConfig {
	return parseConfig(`storage {}\n${text}`, "f");
}

describe("a node's configuration", () => {
	it("demands the section storage, but for a development chain", () => {
		expect(() => parseConfig("node {}", "f")).toThrow("no configuration setting found for key storage");
		expect(parseConfig("dev.enabled = true", "f").dev.enabled).toBe(true);
	});

	it("has the network's defaults where the file is silent", () => {
		const config = defaultConfig();
		expect(config.net).toEqual({ addressPrefix: 0x41 });
		expect(config.node.dialect).toBe("neutral");
		expect(config.node.http.full).toEqual({ enabled: true, port: 8090 });
		expect(config.node.http.solidity).toEqual({ enabled: true, port: 8091 });
		expect(config.node.rpc.pbft).toEqual({ enabled: true, port: 50071 });
		expect(config.node.jsonrpc.full).toEqual({ enabled: false, port: 8545 });
		expect(config.block.energyLimitBlockNumber).toBe(4_727_890);
		expect(config.vm.maxEnergyLimitForConstant).toBe(100_000_000n);
		expect(config.rateLimiter.apiQps).toBe(1000);
		expect(config.genesis).toEqual({
			timestampMs: 0n,
			parentHash: Uint8Array.of(0),
			assets: [],
			witnesses: [],
		});
		expect(config.localWitness.keys.count).toBe(0);
		expect(config.warnings).toEqual([]);
	});

	it("gives every committee key a value, 0 but for the one that counts blocks", () => {
		const { committee } = defaultConfig();
		for (const key of COMMITTEE_KEYS) expect(committee[key], key).toBe(key === "pBFTExpireNum" ? 20n : 0n);
	});

	it.each<[string, string, (config: NodeConfig) => unknown, unknown]>([
		["a number given as text", 'node.maxConnections = "31"', (c) => c.node.peers.maxConnections, 31],
		[
			"a number with a fraction, which is cut off",
			"node.maxConnections = 31.9",
			(c) => c.node.peers.maxConnections,
			31,
		],
		["yes for true", "vm.supportConstant = yes", (c) => c.vm.supportConstant, true],
		["off for false", 'node.http.fullNodeEnable = "off"', (c) => c.node.http.full.enabled, false],
		["null for an absent key", "node.maxConnections = null", (c) => c.node.peers.maxConnections, 30],
		[
			"the deployed spelling of a committee key",
			"committee.allowTvmTransferTrc10 = 1",
			(c) => c.committee.allowTvmTransferOrc10,
			1n,
		],
		[
			"the neutral spelling of a committee key",
			"committee.allowTvmTransferOrc10 = 1",
			(c) => c.committee.allowTvmTransferOrc10,
			1n,
		],
		[
			"the other committee key with two spellings",
			"committee.allowShieldedTRC20Transaction = 1",
			(c) => c.committee.allowShieldedORC20Transaction,
			1n,
		],
		[
			"the deployed spelling of the reference block",
			"trx.reference.block = head",
			(c) => c.transaction.referenceBlock,
			"head",
		],
		[
			"the neutral spelling of the reference block",
			"coin.reference.block = head",
			(c) => c.transaction.referenceBlock,
			"head",
		],
		[
			"an expiration of 0, which means 60 s",
			"trx.expiration.timeInMilliseconds = 0",
			(c) => c.transaction.expirationMs,
			60_000n,
		],
		[
			"the test network's prefix",
			"net.type = TestNet\nnode.release = 4.8.1",
			(c) => c.net.addressPrefix,
			0xa0,
		],
		["the misspelt height", "enery.limit.block.num = 45", (c) => c.block.energyLimitBlockNumber, 45],
		[
			"a memo fee above its bound",
			"committee.memoFee = 2000000000",
			(c) => c.committee.memoFee,
			1_000_000_000n,
		],
		["a negative delay", "committee.unfreezeDelayDays = -1", (c) => c.committee.unfreezeDelayDays, 0n],
		["a bit above 1", "committee.allowNewReward = 5", (c) => c.committee.allowNewReward, 1n],
		["a batch below its bound", "node.syncFetchBatchNum = 1", (c) => c.node.peers.syncFetchBatchCount, 100],
		[
			"a packing share above its bound",
			"node.blockProducedTimeOut = 200",
			(c) => c.node.blockProducedTimeOutPercent,
			100,
		],
		[
			"a constant limit below its bound",
			"vm.maxEnergyLimitForConstant = 1",
			(c) => c.vm.maxEnergyLimitForConstant,
			3_000_000n,
		],
		["more retries than allowed", "vm.estimateEnergyMaxRetry = 11", (c) => c.vm.estimateEnergyMaxRetry, 10],
		[
			"an IPv6 peer",
			'node.active = ["[::1]:18888"]',
			(c) => c.node.peers.active,
			[{ host: "::1", port: 18888 }],
		],
		[
			"seeds",
			'seed.node = { ip.list = ["1.2.3.4:5"] }',
			(c) => c.node.peers.seeds,
			[{ host: "1.2.3.4", port: 5 }],
		],
		[
			"lower limits that follow the upper one",
			"node.maxConnections = 2",
			(c) => [c.node.peers.minConnections, c.node.peers.minActiveConnections],
			[2, 2],
		],
		[
			"the older connection keys",
			"node { maxActiveNodes = 20, connectFactor = 0.26, activeConnectFactor = 0.1 }",
			(c) => [c.node.peers.maxConnections, c.node.peers.minConnections, c.node.peers.minActiveConnections],
			[20, 5, 2],
		],
		[
			"disabled endpoints in any case",
			'node.disabledApi = ["GetAccount"]',
			(c) => [...c.node.disabledApi],
			["getaccount"],
		],
		["the dialect", "node.dialect = deployed", (c) => c.node.dialect, "deployed"],
		[
			"keys of the development chain",
			"dev { enabled = true, seal = 3 }",
			(c) => c.dev,
			{ enabled: true, settings: { seal: "3" } },
		],
		["an unknown key by ignoring it", "node.somethingUnknown = 7", (c) => c.warnings, []],
	])("takes %s", (_, text, pick, expected) => {
		expect(pick(parse(text))).toEqual(expected);
	});

	it.each<[string, string, string]>([
		[
			"text for a number",
			'node.maxConnections = "abc"',
			'f: 2: node.maxConnections must be a whole number of 32 bits, not "abc"',
		],
		[
			"a number beyond 32 bits",
			"node.maxConnections = 2147483648",
			"f: 2: node.maxConnections must be a whole number of 32 bits, not 2147483648",
		],
		[
			"text for a boolean",
			"vm.supportConstant = maybe",
			'f: 2: vm.supportConstant must be true or false, not "maybe"',
		],
		[
			"a number for a boolean",
			"vm.supportConstant = 1",
			"f: 2: vm.supportConstant must be true or false, not 1",
		],
		[
			"a list for an object",
			"genesis.block = []",
			"f: 2: genesis.block must be an object in braces, not a list",
		],
		[
			"an object for a list",
			"node.active = {}",
			"f: 2: node.active must be a list in square brackets, not an object",
		],
		[
			"a port out of range",
			"node.http.fullNodePort = 70000",
			"f: 2: node.http.fullNodePort must be 0 to 65535, not 70000",
		],
		[
			"a flush count out of range",
			"storage.snapshot.maxFlushCount = 501",
			"f: 2: storage.snapshot.maxFlushCount must be 1 to 500, not 501",
		],
		[
			"caches too small for a block",
			"storage.cacheBytes = 1000",
			"f: 2: storage.cacheBytes must be 16777216 to 1099511627776, not 1000",
		],
		[
			"traces of the contract machine in files",
			"vm.vmTrace = true",
			"f: 2: vm.vmTrace must be false: this node writes no traces into files",
		],
		[
			"an unknown engine",
			'storage.db.engine = "NOSUCH"',
			'f: 2: storage.db.engine must be LEVELDB or ROCKSDB, not "NOSUCH"',
		],
		[
			"a peer without a port",
			'node.active = ["1.2.3.4"]',
			'f: 2: node.active[0] must be ipv4:port, [ipv6]:port or name:port, not "1.2.3.4"',
		],
		[
			"genesis without a timestamp",
			"genesis.block { parentHash = 00 }",
			"f: no configuration setting found for key genesis.block.timestamp",
		],
		[
			"a genesis timestamp that is not a number",
			"genesis.block { timestamp = x, parentHash = 00 }",
			'f: 2: genesis.block.timestamp must be a time in milliseconds, 0 or more, not "x"',
		],
		[
			"an event filter without its end",
			'event.subscribe.filter { fromblock = "" }',
			"f: no configuration setting found for key event.subscribe.filter.toblock",
		],
		[
			"two places to stop at",
			"node.shutdown { BlockHeight = 5, BlockCount = 5 }",
			"f: 2: node.shutdown: shutDownBlockHeight 5 and shutDownBlockCount 5 set both",
		],
		[
			"a count of 0",
			"node.shutdown.BlockCount = 0",
			"f: 2: node.shutdown.BlockCount: shutDownBlockCount 0 is less than 1",
		],
		[
			"a cron text that is none",
			'node.shutdown.BlockTime = "hello"',
			'f: 2: node.shutdown.BlockTime = "hello" needs six or seven fields, not 1',
		],
		[
			"an unknown limiter for HTTP",
			'rate.limiter.http = [{ component = A, strategy = NoSuch, paramString = "qps=1" }]',
			'f: 2: rate.limiter.http[0].strategy = "NoSuch" of A is unknown, use one of QpsRateLimiterAdapter, IPQPSRateLimiterAdapter, DefaultBaseQqsAdapter, GlobalPreemptibleAdapter',
		],
		[
			"a bad limiter number for HTTP",
			'rate.limiter.http = [{ component = A, strategy = QpsRateLimiterAdapter, paramString = "qps=abc" }]',
			'f: 2: rate.limiter.http[0].strategy QpsRateLimiterAdapter of A needs qps=<more than 0>, not "qps=abc"',
		],
		[
			"the old reward switch alone",
			"committee.allowOldRewardOpt = 1",
			"f: 2: committee.allowOldRewardOpt = 1: At least one of the following proposals is required to be opened first: committee.allowNewRewardAlgorithm = 1 or committee.allowNewReward = 1 or committee.allowTvmVote = 1.",
		],
		[
			"another signature algorithm",
			"crypto.engine = sm2",
			'f: 2: crypto.engine must be ECKey, the only signatures of this node, not "sm2"',
		],
		[
			"an unknown dialect",
			"node.dialect = french",
			'f: 2: node.dialect must be neutral or deployed, not "french"',
		],
	])("refuses %s in one sentence", (_, text, message) => {
		expect(() => parse(text)).toThrow(expect.objectContaining({ name: "ConfigError", message }));
	});

	it("needs the section storage", () => {
		expect(() => parseConfig("node {}", "f")).toThrow(
			expect.objectContaining({
				message: "f: no configuration setting found for key storage",
				missing: { key: "storage" },
			}),
		);
	});

	it("names the parameters of shielded proofs, by the network's hashes unless it says others", () => {
		expect(parse("").node.shielded.parameters).toBeUndefined();
		const named = parse('node.shielded.params = "/p"').node.shielded.parameters;
		expect(named?.folder).toBe("/p");
		expect(named?.spendHash).toMatch(/^25fd9a0d1c1be052[0-9a-f]{112}$/);
		expect(named?.outputHash).toMatch(/^a1cb23b93256adce[0-9a-f]{112}$/);
		const own = parse(`node.shielded { params = "/p", spendHash = "${"AB".repeat(64)}" }`);
		expect(own.node.shielded.parameters?.spendHash).toBe("ab".repeat(64));
		expect(() => parse("node.shielded.outputHash = abc")).toThrow(
			new ConfigError(
				"node.shielded.outputHash is not a BLAKE2b-512 in hexadecimal, of 128 digits",
				{},
				"node.shielded.outputHash",
			),
		);
	});

	it.each(["2.5", ".5", "1e3", "2."])("takes qps=%s as the number that it is", (text) => {
		const entry = `{ component = A, strategy = QpsRateLimiterAdapter, paramString = "qps=${text}" }`;
		expect(parse(`rate.limiter.http = [${entry}]`).rateLimiter.http[0]?.value).toBe(Number(text));
	});

	it("refuses an unknown limiter of gRPC; release 4.8.0 keeps the default and warns", () => {
		const unknown = 'rate.limiter.rpc = [{ component = A, strategy = NoSuch, paramString = "" }]';
		expect(() => parse(unknown)).toThrow('strategy = "NoSuch" of A is unknown');
		const config = parse(
			'node.release = 4.8.0\nrate.limiter.rpc = [{ component = A, strategy = NoSuch, paramString = "" }]',
		);
		expect(config.rateLimiter.rpc).toEqual([]);
		expect(config.warnings).toHaveLength(1);
	});

	it("uses 2 calls a second where a limit by IP cannot be read", () => {
		const config = parse(
			'rate.limiter.http = [{ component = GetBurnTrxServlet, strategy = IPQPSRateLimiterAdapter, paramString = "" }]',
		);
		expect(config.rateLimiter.http).toEqual([
			{ component: "GetBurnCoinServlet", strategy: "ipQps", value: 2 },
		]);
	});
});

describe("node.blocks", () => {
	const read = (text: string) => parseConfig(`storage {}\n${text}`, "f").node.blocks;

	it("keeps all blocks, the old ones in segments, unless it says otherwise", () => {
		expect(read("")).toEqual({ segments: true, keep: undefined });
		expect(read("node.blocks { segments = false, keep = all }")).toEqual({
			segments: false,
			keep: undefined,
		});
		expect(read("node.blocks.keep = 65536")).toEqual({ segments: true, keep: 65_536 });
		expect(read('node.blocks.keep = "1000000"')).toEqual({ segments: true, keep: 1_000_000 });
	});

	it.each(["65535", "0", "-1", "some", "1e9"])("refuses to keep %s", (keep) => {
		expect(() => read(`node.blocks.keep = "${keep}"`)).toThrow(
			`node.blocks.keep must be all, or a number from 65536, not "${keep}"`,
		);
	});

	it("refuses to drop blocks that don't stand in segments", () => {
		expect(() => read("node.blocks { segments = false, keep = 70000 }")).toThrow(
			"node.blocks.keep needs node.blocks.segments = true",
		);
	});
});

describe("limits that depend on the release", () => {
	const read = (text: string, options = {}) => parseConfig(`storage {}\n${text}`, "f", options).node;

	it.each([
		["", [100, 1000]],
		["node.jsonrpc.lenient = true", [1000, 10_000]],
		["node.release = 4.8.1", [1000, 10_000]],
		["node.jsonrpc { maxBatchSize = 300, maxAddressSize = 0 }", [300, 0]],
	])("of a batch and of addresses: %s", (text, limits) => {
		const { maxBatchSize, maxAddresses } = read(text).jsonrpc;
		expect([maxBatchSize, maxAddresses]).toEqual(limits);
	});

	it.each(["node.http", "node.rpc", "node.jsonrpc"])("%s.maxMessageSize is not negative", (section) => {
		expect(() => read(`${section}.maxMessageSize = -1`)).toThrow(
			`${section}.maxMessageSize must be non-negative, got: -1`,
		);
		expect(() => read(`${section}.maxMessageSize = 0`)).not.toThrow();
	});

	it.each([
		["4.8.0", true, { enabled: true, verifiesProofs: true }],
		["4.8.0", false, { enabled: false, verifiesProofs: false }],
		["4.8.1", true, { enabled: true, verifiesProofs: true }],
		["4.8.2", true, { enabled: false, verifiesProofs: true }],
	])("release %s takes shielded transactions where it produces (%s)", (release, witness, shielded) => {
		const off = "node { fullNodeAllowShieldedTransaction = false, allowShieldedTransactionApi = false }";
		const options = { witness, privateKey: "11".repeat(32) };
		expect(read(`${off}\nnode.release = ${release}`, options).shielded).toMatchObject(shielded);
	});
});

describe("the genesis block's configuration", () => {
	const genesis = (asset: string, witness: string) =>
		parse(
			`genesis.block { timestamp = "7", parentHash = 0xabc, assets = [${asset}], witnesses = [${witness}] }`,
		);

	it("keeps amounts exact and the order of the file", () => {
		const { assets, witnesses, timestampMs, parentHash } = genesis(
			`{ accountName = Blackhole, accountType = assetissue, address = ${ADDRESS}, balance = "-9223372036854775808" }`,
			`{ address: ${ADDRESS}, url = "http://x", voteCount = 9007199254740993 }`,
		).genesis;
		const address = parseAddress(ADDRESS);
		expect(timestampMs).toBe(7n);
		expect(toHex(parentHash)).toBe("0abc");
		expect(assets).toEqual([{ accountName: "Blackhole", address, balance: -9223372036854775808n }]);
		expect(witnesses).toEqual([{ address, url: "http://x", voteCount: 9007199254740993n }]);
	});

	it.each<[string, string, string, RegExp]>([
		[
			"an address with a wrong letter",
			`{ accountName = a, accountType = Normal, address = ${ADDRESS}x, balance = "1" }`,
			"",
			/assets\[0\]\.address must be a Base58 address of this network such as T\w+, not "TEr/,
		],
		[
			"a blank account name",
			`{ accountName = " ", accountType = Normal, address = ${ADDRESS}, balance = "1" }`,
			"",
			/assets\[0\]\.accountName must not be blank/,
		],
		[
			"an unknown account type",
			`{ accountName = a, accountType = Rich, address = ${ADDRESS}, balance = "1" }`,
			"",
			/accountType must be Normal, AssetIssue, Contract, not "Rich"/,
		],
		[
			"a balance beyond 64 bits",
			`{ accountName = a, accountType = Normal, address = ${ADDRESS}, balance = "9223372036854775808" }`,
			"",
			/balance must be an amount of 64 bits/,
		],
		[
			"a witness with a blank url",
			"",
			`{ address = ${ADDRESS}, url = "", voteCount = 1 }`,
			/witnesses\[0\]\.url must not be blank/,
		],
		[
			"a witness without votes",
			"",
			`{ address = ${ADDRESS}, url = x }`,
			/no configuration setting found for key genesis\.block\.witnesses\[0\]\.voteCount/,
		],
	])("refuses %s", (_, asset, witness, message) => {
		expect(() => genesis(asset, witness)).toThrow(message);
	});
});

describe("the producer's keys", () => {
	const producer = (text: string) => parseConfig(`storage {}\n${text}`, "f", { witness: true });

	it("are read by a node that produces, up to release 4.8.0 by every node", () => {
		const text = `localwitness = [${KEY}]`;
		expect(parse(text).localWitness.keys.count).toBe(0);
		expect(parse(`${text}\nnode.release = 4.8.0`).localWitness.keys.count).toBe(1);
	});

	it("are read with or without 0x", () => {
		const { keys } = producer(`localwitness = [${KEY}, 0x${KEY}]`).localWitness;
		expect(keys.reveal().map(toHex)).toEqual([KEY, KEY]);
	});

	it("appear in no text form of the configuration", () => {
		const config = producer(`localwitness = [${KEY}]`);
		const bytes = config.localWitness.keys.reveal()[0]?.join(", ");
		const texts = [
			`${config.localWitness.keys}`,
			JSON.stringify(config.localWitness),
			inspect(config.localWitness, { depth: null, showHidden: true }),
			inspect(config.localWitness, { depth: null, customInspect: false }),
		];
		for (const text of texts) {
			expect(text).not.toContain(KEY);
			expect(text).not.toContain(bytes);
		}
	});

	it.each<[string, string, string]>([
		[
			"of a wrong length",
			KEY.slice(4),
			"f: 2: localwitness[0]: private key must be 64 hex string, actual: 60",
		],
		["that is not hexadecimal", "z".repeat(64), "f: 2: localwitness[0]: private key must be hex string"],
		["with 0X", `0X${KEY}`, "f: 2: localwitness[0]: private key must be hex string"],
	])("stop the start if there is one %s, and the message does not show it", (_, key, message) => {
		expect(() => producer(`localwitness = [${key}]`)).toThrow(
			new ConfigError(message, {}, "localwitness[0]"),
		);
	});

	it("come from the file's list before a key file", () => {
		expect(producer('localwitnesskeystore = ["a.json"]').localWitness.keystores).toEqual(["a.json"]);
		const both = `localwitness = [${KEY}]\nlocalwitnesskeystore = ["a.json"]`;
		expect(producer(both).localWitness.keystores).toEqual([]);
	});

	it("sign for another account if it is well formed and there is one key", () => {
		const key = `localwitness = [${KEY}]`;
		const own = producer(`${key}\nlocalWitnessAccountAddress = ${ADDRESS}`);
		expect(own.localWitness.accountAddress).toEqual(parseAddress(ADDRESS));
		expect(() => producer(`${key}\nlocalWitnessAccountAddress = nonsense`)).toThrow(
			"LocalWitnessAccountAddress format from config is incorrect",
		);
		expect(() =>
			parseConfig("storage {}", "f", { witness: true, privateKey: KEY, witnessAddress: "nonsense" }),
		).toThrow("LocalWitnessAccountAddress format from cmd is incorrect");
		const two = `localwitness = [${KEY}, ${KEY}]\nlocalWitnessAccountAddress = ${ADDRESS}`;
		expect(() => producer(two)).toThrow(
			"LocalWitnessAccountAddress can only be set when there is only one private key",
		);
	});

	it("sign for no other account in release 4.8.0 if it is malformed, and a warning is left", () => {
		const bad = parse("node.release = 4.8.0\nlocalWitnessAccountAddress = nonsense");
		expect(bad.localWitness.accountAddress).toBeUndefined();
		expect(bad.warnings).toEqual(["The localWitnessAccountAddress format is incorrect, ignored"]);
	});
});

describe("the command line", () => {
	const run = (text: string, options: StartOptions) => parseConfig(`storage {}\n${text}`, "f", options);

	it.each<[string, string, StartOptions, (config: NodeConfig) => unknown, unknown]>([
		[
			"stands in for an absent key",
			"",
			{ instead: new Map([["vm.supportConstant", true]]) },
			(c) => c.vm.supportConstant,
			true,
		],
		[
			"gives way to the file",
			"vm.supportConstant = false",
			{ instead: new Map([["vm.supportConstant", true]]) },
			(c) => c.vm.supportConstant,
			false,
		],
		[
			"replaces the seeds",
			'seed.node.ip.list = ["1.2.3.4:5"]',
			{ over: new Map([["seed.node.ip.list", ["[::1]:6"]]]) },
			(c) => c.node.peers.seeds,
			[{ host: "::1", port: 6 }],
		],
		[
			"wins over the storage directory",
			"storage.db.directory = a",
			{ over: new Map([["storage.db.directory", "b"]]) },
			(c) => c.storage.directory,
			"b",
		],
		[
			"switches details of cancelled unstaking on",
			"vm.saveCancelAllUnfreezeV2Details = false",
			{ over: new Map([["vm.saveCancelAllUnfreezeV2Details", true]]) },
			(c) => c.vm.saveCancelAllUnfreezeV2Details,
			true,
		],
		[
			"brings its own producer key",
			"localwitness = []",
			{ witness: true, privateKey: KEY },
			(c) => c.localWitness.keys.reveal().map(toHex),
			[KEY],
		],
		[
			"says how this run differs",
			"",
			{ debug: true, peersDisabled: true },
			(c) => c.run,
			{ witness: false, debug: true, peers: false, fastForward: false },
		],
	])("%s", (_, text, options, pick, expected) => {
		expect(pick(run(text, options))).toEqual(expected);
	});

	it.each<[string, string, StartOptions, string]>([
		[
			"a producer without any key",
			"localwitness = []",
			{ witness: true },
			"This is a witness node, but localWitnesses is null",
		],
		[
			"a bad key, without showing it",
			"",
			{ privateKey: KEY.slice(2) },
			"--private-key: private key must be 64 hex string, actual: 62",
		],
		[
			"an unknown engine",
			"",
			{ over: new Map([["storage.db.engine", "x"]]) },
			'f: storage.db.engine must be LEVELDB or ROCKSDB, not "x"',
		],
	])("is refused with %s", (_, text, options, message) => {
		expect(() => run(text, options)).toThrow(expect.objectContaining({ name: "ConfigError", message }));
	});
});

describe("the log's level", () => {
	it.each([
		["", "info", 0],
		["log.level = WARN", "warn", 0],
		['log.level { root = "ERROR", net = "INFO" }', "error", 0],
		['log.level { root = "ALL" }', "info", 1],
	])("of %j is %s", (text, level, warnings) => {
		const config = parse(text);
		expect(config.log).toEqual({ level });
		expect(config.warnings).toHaveLength(warnings);
	});

	it("is refused where nothing is meant by it", () => {
		expect(() => parse("log.level = loud")).toThrow("log.level must be one of trace, debug, info");
	});
});

describe("unknown keys", () => {
	it("are named with their lines, apart from those without effect", () => {
		const config = parse(
			'node {\n maxConections = 7\n connection.timeout = 2\n}\nlog.level { root = "INFO" }\nnode.active = []',
		);
		expect(config.unknownKeys).toEqual([{ path: "node.maxConections", line: 3 }]);
		expect(config.idleKeys).toEqual([
			{ path: "node.connection.timeout", line: 4, reason: expect.stringContaining("doesn't use it") },
		]);
	});

	it("without effect are told once for each object that has none", () => {
		const { idleKeys, unknownKeys } = parse(
			"storage.default { a = 1, b = 2 }\nstorage.properties = [{ name = a }]",
		);
		expect(idleKeys.map(({ path }) => path)).toEqual(["storage.default", "storage.properties"]);
		expect(unknownKeys).toEqual([]);
	});

	it.each([
		["node.rpc.thread = many", "f: 2: node.rpc.thread must be a whole number of 32 bits"],
		["storage.checkpoint.version = 3", "f: 2: storage.checkpoint.version must be 1 to 2, not 3"],
		["node.http = 8090", "f: 2: node.http must be an object in braces, not 8090"],
	])("are refused where a wrong value stands: %s", (text, message) => {
		expect(() => parse(text)).toThrow(message);
	});

	it("are not lists without entries", () => {
		expect(parse("rate.limiter.http = []\nstorage.properties = []").unknownKeys).toEqual([]);
	});

	it("are found in lists of objects too", () => {
		const config = parse(
			'rate.limiter.http = [{ component = A, strategy = QpsRateLimiterAdapter, paramString = "qps=1", x = 1 }]',
		);
		expect(config.unknownKeys).toEqual([{ path: "rate.limiter.http[0].x", line: 2 }]);
	});
});

describe("loading a file", () => {
	let directory: string;

	beforeEach(() => {
		directory = mkdtempSync(join(tmpdir(), "coin-config-"));
	});

	afterEach(() => {
		rmSync(directory, { recursive: true });
	});

	it("names a file that does not exist", () => {
		const path = join(directory, "missing.conf");
		expect(() => loadConfig(path)).toThrow(
			new ConfigError(`Configuration path is required! No Such file ${path}`, { file: path }),
		);
	});

	it("says why a file cannot be read", () => {
		expect(() => loadConfig(directory)).toThrow(
			new ConfigError(`${directory}: the configuration file cannot be read (EISDIR)`),
		);
	});

	it("leaves the file as it is", () => {
		const path = join(directory, "a.conf");
		const text = "storage { db.sync = true }\n";
		writeFileSync(path, text);
		expect(loadConfig(path).storage.sync).toBe(true);
		expect(readFileSync(path, "utf8")).toBe(text);
	});
});
