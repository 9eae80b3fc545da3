/** Keys of `node` and `seed.node`: servers, peers, production. Part of the table of settings. */

import { availableParallelism } from "node:os";
import { NETWORK_OUTPUT_HASH, NETWORK_SPEND_HASH } from "../../protocol/sapling/sizes.js";
import { NETWORKS } from "../rules/chain-rules.js";
import { NEWEST_RELEASE, RELEASES } from "../rules/release.js";
import { boolean, double, idle, int, long, optionalText, port, text, texts } from "./setting.js";

/** No time limit. */
export const NEVER = 0x7fffffffffffffffn;

/**
 * Share of half a slot for packing, in percent. The reference's is 50; this node packs on the thread that
 * answers requests, packs no less in this time, and peers get the block no later.
 */
const DEFAULT_PACKING_PERCENT = 25;

/**
 * Release 4.8.0 has no limits here. These only keep a client from exhausting memory or time; from release
 * 4.8.2 on, batches and addresses have the reference's limits.
 */
const MAX_RPC_BODY = 4 << 20;
const MAX_RPC_RESPONSE = 25 << 20;
/** Libraries send batches of up to a thousand calls by default. */
const MAX_BATCH = 1_000;
const MAX_ADDRESSES = 10_000;

const UNUSED = "the network's node doesn't use it either";
const NO_SOLIDITY_PROCESS = "this program has no solidity process; its solidity servers are a node's own";

/**
 * Transactions reference one of the newest 65,536 blocks, and a lite node of the network keeps as many;
 * branches and rewards need fewer.
 */
export const MIN_KEPT_BLOCKS = 65_536;

export const nodeSectionSettings = {
	"node.dialect": text("neutral", "neutral or deployed: the spelling of brand words in every answer"),
	"node.release": text(
		NEWEST_RELEASE,
		`${RELEASES.join(", ")}: the release of the network's node whose answers the APIs give and whose checks meet transactions and blocks from outside (ours)`,
	),
	"node.network": {
		...optionalText(
			`${NETWORKS.join(", ")}: the network whose numbers of block versions and parameters hold (ours)`,
		),
		absentText: "that of the genesis block; of a chain of its own: main",
	},
	"node.blocks.segments": boolean(
		true,
		"old blocks and receipts move from the database into compressed files, in the background (ours)",
	),
	"node.blocks.keep": text(
		"all",
		`all, or how many of the newest blocks stay at least, from ${MIN_KEPT_BLOCKS}: older ones go with their receipts, segment by segment (ours)`,
	),
	"node.state.hash": boolean(
		false,
		"the hash of the whole state is known after every final block, so that nodes can compare theirs (ours)",
	),
	"node.audit.against": optionalText(
		"address of another node's HTTP API: ids, receipts and a sample of the state of each final block are compared with it, in the background; the first difference is logged and kept as a fault bundle (ours)",
	),
	"node.audit.solidity": optionalText(
		"address of its HTTP API for irreversible blocks; absent: that of node.audit.against (ours)",
	),
	"node.audit.jsonrpc": optionalText(
		"address of its JSON-RPC, for slots of contracts; this node's own needs node.jsonrpc.debug for them (ours)",
	),
	"node.audit.sample": double(
		0.1,
		"share of the accounts and contracts that a block touched whose state is compared, from 0 to 1 (ours)",
	),
	"node.audit.rate": int(20, "requests a second to the other node (ours)", { refuse: [1, 1000] }),
	"node.history.state": text(
		"off",
		"off, all, or a number: of how many final blocks the state can be read besides the newest (ours); where all blocks are there, those before it was switched on are filled in; a development chain keeps them in memory",
	),
	"node.history.index": {
		...optionalText(
			"on or off: transactions, token transfers, internal transactions and contract events are found by account and contract, for /v1 and the histories of the command line (ours)",
		),
		absentText: "on for development chains and with node.history.database, else off",
	},
	"node.history.database": optionalText(
		"postgres://user@host:port/name: the history is kept in this PostgreSQL database, without a password in it, in place of the data directory (ours)",
	),
	"node.history.passwordFile": optionalText(
		"file with the password of that database; else PGPASSWORD or PGPASSFILE of the environment (ours)",
	),
	"node.history.schema": text("coin_history", "schema of that database in which the tables are (ours)"),
	"node.history.readOnly": boolean(
		false,
		"another node writes the history to that database, and this one only answers from it (ours)",
	),
	"node.listen.port": port(0, "TCP and UDP port for peers; 0: no peer can connect"),
	"node.p2p.version": int(0, "network id that both sides of a connection must share"),
	"node.enableIpv6": boolean(false, "peers may be reached over IPv6"),
	"node.discovery.enable": boolean(false, "other nodes are looked for over UDP"),
	"node.discovery.persist": boolean(false, "nodes that were found are kept from start to start"),
	"node.discovery.external.ip": text("", "own address as others see it; empty: that of the local network"),
	"node.active": texts(
		"ip:port, [ipv6]:port or name:port of peers that are always connected to, and trusted",
	),
	"node.passive": texts("the same of peers that are trusted by their address"),
	"node.fastForward": texts("the same of relay nodes, which are trusted"),
	"seed.node.ip.list": texts("the same of nodes that discovery begins with"),
	"node.maxFastForwardNum": int(4, "witnesses that a relayed block goes to", { clamp: [1, 27] }),
	"node.maxConnections": int(30, "connections to peers"),
	"node.minConnections": int(8, "connections below which peers are dialed; at most maxConnections"),
	"node.minActiveConnections": int(3, "connections of those that this node began; at most minConnections"),
	"node.maxConnectionsWithSameIp": int(2, "connections of one address"),
	"node.maxActiveNodes": int(
		0,
		"an older form of maxConnections, which wins over it",
		undefined,
		"maxConnections",
	),
	"node.connectFactor": double(0, "with maxActiveNodes: minConnections as a part of it"),
	"node.activeConnectFactor": double(0, "with maxActiveNodes: minActiveConnections as a part of it"),
	"node.maxActiveNodesWithSameIp": int(
		0,
		"an older form of maxConnectionsWithSameIp, which wins over it",
		undefined,
		"maxConnectionsWithSameIp",
	),
	"node.maxBlockInvPerSecond": int(10, "announced blocks per second and peer, over ten seconds; at least 1"),
	"node.maxPendingBlockSize": int(500, "blocks of lists that all peers together may owe", {
		clamp: [50, 2000],
	}),
	"node.maxTrxCacheSize": int(50_000, "transactions of peers and of the pool that may wait; at least 2000"),
	"node.maxTps": int(1000, "transactions a second that are taken from peers"),
	"node.syncFetchBatchNum": int(2000, "blocks asked for in one request", { clamp: [100, 2000] }),
	"node.fetchBlock.timeout": int(500, "ms until a new block is asked for elsewhere", { clamp: [100, 1000] }),
	"node.blockCacheTimeout": long(60n, "minutes for which a block that was asked for is remembered"),
	"node.inactiveThreshold": int(600, "seconds without news after which a peer may be given up; at least 1"),
	"node.isOpenFullTcpDisconnect": boolean(false, "where all connections are taken, an idle peer makes room"),
	"node.nodeDetectEnable": boolean(false, "nodes are asked for their status before they are dialed"),
	"node.effectiveCheckEnable": boolean(false, "peers that help with nothing are left for others"),
	"node.openPrintLog": boolean(true, "the log tells of peers and their messages"),
	"node.dns.treeUrls": texts("signed lists of nodes, tree://<public key>@<domain>"),
	"node.dns.publish": boolean(false, "true is refused: this node only reads lists of nodes"),
	"node.dynamicConfig.enable": boolean(false, "active and passive are read again when the file changes"),
	"node.dynamicConfig.checkInterval": long(600n, "seconds between looks at the file; 0 or less: 600"),

	"node.http.fullNodeEnable": boolean(true, "HTTP API over the head"),
	"node.http.fullNodePort": port(8090, "its port"),
	"node.http.solidityEnable": boolean(true, "HTTP API over the solidified state"),
	"node.http.solidityPort": port(8091, "its port"),
	"node.http.PBFTEnable": boolean(true, "HTTP API over the confirmed state"),
	"node.http.PBFTPort": port(8092, "its port"),
	"node.http.cors": texts("origins of pages that may read answers of HTTP and JSON-RPC; *: all (ours)"),
	"node.http.cacheHeaders": boolean(
		false,
		"answers to GET about blocks that can't be undone say that caches may keep them (ours)",
	),
	"node.http.explorer": boolean(
		false,
		"the explorer's page at /explorer/ of the HTTP API over the head (ours)",
	),
	"node.http.maxMessageSize": int(
		4_194_304,
		"bytes of an HTTP body; release 4.8.0 and 4.8.1: node.rpc.maxMessageSize",
	),
	"node.maxHttpConnectNumber": int(
		50,
		"connections of each HTTP and JSON-RPC listener; 0 or less: any number",
	),
	"node.jsonrpc.httpFullNodeEnable": boolean(false, "JSON-RPC over the head"),
	"node.jsonrpc.httpFullNodePort": port(8545, "its port"),
	"node.jsonrpc.httpSolidityEnable": boolean(false, "JSON-RPC over the solidified state"),
	"node.jsonrpc.httpSolidityPort": port(8555, "its port"),
	"node.jsonrpc.httpPBFTEnable": boolean(false, "JSON-RPC over the confirmed state"),
	"node.jsonrpc.httpPBFTPort": port(8565, "its port"),
	"node.jsonrpc.maxBlockRange": int(
		5000,
		"heights between the bounds of a query of logs; 0 or less: any number",
	),
	"node.jsonrpc.maxSubTopics": int(1000, "alternatives of one topic; 0 or less: any number"),
	"node.jsonrpc.maxBlockFilterNum": int(50_000, "block filters of a server; 0 or less: any number"),
	"node.jsonrpc.maxLogFilterNum": int(20_000, "log filters of a server; 0 or less: any number"),
	"node.jsonrpc.maxBatchSize": int(
		MAX_BATCH,
		"calls in one batch; 0 or less: any number",
		undefined,
		"100; 1000 up to release 4.8.1 or where lenient",
	),
	"node.jsonrpc.maxResponseSize": int(MAX_RPC_RESPONSE, "bytes of an answer; 0 or less: any number"),
	"node.jsonrpc.maxAddressSize": int(
		MAX_ADDRESSES,
		"addresses of one filter; 0 or less: any number",
		undefined,
		"1000; 10,000 up to release 4.8.1 or where lenient",
	),
	"node.jsonrpc.maxMessageSize": int(MAX_RPC_BODY, "bytes of a request body"),
	"node.jsonrpc.maxWebSockets": int(1024, "WebSocket connections to the full server; 0: none (ours)"),
	"node.jsonrpc.maxSubscriptions": int(100, "subscriptions of a WebSocket connection (ours)"),
	"node.jsonrpc.lenient": boolean(false, "answers are as libraries of other networks expect them (ours)"),
	"node.jsonrpc.debug": boolean(
		false,
		"methods debug_… and trace_… execute blocks again for clients; development chains always have them (ours)",
	),
	"node.jsonrpc.simulate": boolean(
		false,
		"methods eth_simulateV1 and coin_simulate, and calls on another state than the chain's; where debug is on, they always are (ours)",
	),
	"node.jsonrpc.debugTimeoutMs": int(
		2_000,
		"ms that the executions of a request of debug or simulate may take, during which the node does nothing else; 0 or less: any (ours)",
	),
	"node.jsonrpc.state": boolean(
		false,
		"methods coin_getState, coin_getStateKeys and coin_getStateInfo give the entries of the state as they are stored, of which forks are made; development chains always have them (ours)",
	),
	"node.rpc.enable": boolean(true, "gRPC API over the head"),
	"node.rpc.port": port(50051, "its port"),
	"node.rpc.solidityEnable": boolean(true, "gRPC API over the solidified state"),
	"node.rpc.solidityPort": port(50061, "its port"),
	"node.rpc.PBFTEnable": boolean(true, "gRPC API over the confirmed state"),
	"node.rpc.PBFTPort": port(50071, "its port"),
	"node.rpc.maxConcurrentCallsPerConnection": int(0x7fffffff, "gRPC calls at a time of one connection"),
	"node.rpc.flowControlWindow": int(1_048_576, "bytes of the window of HTTP/2"),
	"node.rpc.maxConnectionIdleInMillis": long(NEVER, "an idle gRPC connection is closed after it", {
		absentText: "never",
	}),
	"node.rpc.maxConnectionAgeInMillis": long(NEVER, "any gRPC connection is closed after it", {
		absentText: "never",
	}),
	"node.rpc.maxMessageSize": int(
		4_194_304,
		"bytes of a gRPC message; up to release 4.8.1 of an HTTP body too",
	),
	"node.rpc.maxHeaderListSize": int(8192, "bytes of the header fields of a gRPC call, 32 more for each"),
	"node.rpc.maxRstStream": int(
		0,
		"gRPC calls that a connection may reset in secondsPerWindow; 0: any number",
	),
	"node.rpc.secondsPerWindow": int(
		0,
		"seconds in which the resets of a gRPC connection are counted; 0: never",
	),
	"node.rpc.reflectionService": boolean(false, "gRPC servers describe themselves"),
	"node.rpc.minEffectiveConnection": int(1, "peers that a broadcast needs; 0: none"),
	"node.rpc.coinCacheEnable": boolean(
		false,
		"ids of broadcasts are remembered, and repetitions answered at once",
	),
	"node.disabledApi": texts("names of endpoints that answer that they are unavailable"),
	"node.openHistoryQueryWhenLiteFN": boolean(false, "a lite node answers queries of history"),

	"node.maxTransactionPendingSize": int(
		2000,
		"more pending transactions and a broadcast is answered SERVER_BUSY",
	),
	"node.pendingTransactionTimeout": long(60_000n, "ms after which a transaction leaves the pool"),
	"node.shieldedTransInPendingMaxCounts": int(10, "shielded transactions in the pool"),
	"node.pqTransInPendingMaxCounts": int(
		1000,
		"on Nile: transactions with post-quantum signatures in the pool; from so many on, more are answered SERVER_BUSY",
	),
	"node.fullNodeAllowShieldedTransaction": boolean(
		true,
		"release 4.8.0: false: shielded transactions don't enter the pool, and proof precompiles answer without checking; 4.8.1: an older form of allowShieldedTransactionApi; 4.8.2: no effect",
	),
	"node.allowShieldedTransactionApi": boolean(
		false,
		"from release 4.8.1 on: the APIs serve shielded transactions and the pool takes them",
		"false; release 4.8.1: true",
	),
	"node.zenTokenId": text("000000", "id of the token of shielded transfers without contracts"),
	"node.shielded.params": optionalText(
		"folder with sapling-spend.params and sapling-output.params, or the verifying keys alone (.vk): shielded proofs are checked with them; without it a chain with shielded transactions is not followed",
	),
	"node.shielded.allowUnverified": boolean(
		false,
		"true: without node.shielded.params, a chain with shielded transactions is followed all the same; their proofs are not checked, only everything else about them",
	),
	"node.shielded.spendHash": text(
		NETWORK_SPEND_HASH,
		"BLAKE2b-512 of the file of spends there (by default that of the network's sapling-spend.params)",
	),
	"node.shielded.outputHash": text(
		NETWORK_OUTPUT_HASH,
		"BLAKE2b-512 of the file of outputs there (by default that of the network's sapling-output.params)",
	),
	"node.openTransactionSort": boolean(false, "packing prefers higher fees"),
	"node.validateSignThreadNum": int(
		availableParallelism(),
		"threads that recover signatures",
		undefined,
		"number of CPUs",
	),
	"node.minParticipationRate": int(0, "percent of slots with a block below which this node does not produce"),
	"node.blockProducedTimeOut": int(
		DEFAULT_PACKING_PERCENT,
		"percent of half a slot in which a block is packed (the reference's default: 50)",
		{ clamp: [30, 100] },
	),
	"node.unsolidifiedBlockCheck": boolean(
		false,
		"broadcasts are refused while too many blocks are unsolidified",
	),
	"node.maxUnsolidifiedBlocks": int(54, "how many are too many"),
	"node.agreeNodeCount": int(19, "signatures that make a PBFT message final; at most 27, below 1: 19"),

	"node.shutdown.BlockTime": text(
		"",
		"cron text: the node stops after the first block whose time satisfies it",
	),
	"node.shutdown.BlockHeight": long(-1n, "the node stops at this height"),
	"node.shutdown.BlockCount": long(-1n, "the node stops so many blocks above the head of the start"),
	"node.backup.priority": int(0, "the member with the highest produces"),
	"node.backup.port": port(10001, "UDP port between the members of a backup group"),
	"node.backup.keepAliveInterval": int(3000, "ms between their messages"),
	"node.backup.members": texts("addresses or names of the other members"),
	"node.metricsEnable": boolean(false, "the older meters: gRPC Monitor and /monitor/getstatsinfo"),
	"node.metrics.prometheus.enable": boolean(false, "metrics as Prometheus reads them"),
	"node.metrics.prometheus.port": port(9527, "their port"),
	"node.metrics.prometheus.host": text(
		"127.0.0.1",
		"address that they are read at (ours); whoever reaches it reads all of them",
	),

	"node.trustNode": idle(NO_SOLIDITY_PROCESS, "text"),
	"node.walletExtensionApi": idle(
		`${NO_SOLIDITY_PROCESS}, and no method of that service is implemented`,
		"boolean",
	),
	"node.solidity.threads": idle(NO_SOLIDITY_PROCESS),
	"node.rpc.thread": idle("gRPC calls take turns on one thread, whose length is bounded", "int"),
	"node.connection.timeout": idle(UNUSED),
	"node.channel.read.timeout": idle(UNUSED),
	"node.tcpNettyWorkThreadNum": idle(UNUSED),
	"node.udpNettyWorkThreadNum": idle(UNUSED),
	"node.netMaxCoinPerSecond": idle(UNUSED),
	"node.receiveTcpMinDataLength": idle(UNUSED),
	"node.http.statsPort": idle(UNUSED),
	"node.validContractProto.threads": idle("messages are checked where they are read"),
	"node.metrics.storageEnable": idle("the state is one database, without the sizes of single stores"),
	"node.metrics.influxdb.*": idle("metrics are read by Prometheus; nothing is sent"),
	"node.dns.*": idle("this node only reads lists of nodes"),
	"seed.node.*": idle("seeds are those of seed.node.ip.list"),
} as const;
