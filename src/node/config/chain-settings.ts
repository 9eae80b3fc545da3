/** Keys of the chain, storage, rules and the rest outside `node`. Part of the table of settings. */

import { CACHE_BYTES, MIN_CACHE_BYTES } from "../state/cache-budget.js";
import {
	boolean,
	double,
	idle,
	int,
	long,
	optionalText,
	requiredLong,
	requiredText,
	text,
	texts,
} from "./setting.js";

const ONE_DATABASE = "the state is one LevelDB, whose sizes and caches the program chooses";
const OWN_LOG = "blocks are in a log of their own before the state is written";
const UNUSED = "the network's node doesn't use it either";
const MOST = 0x7fffffff;

export const chainSettings = {
	"net.type": text(
		"mainnet",
		"testnet: addresses begin with 0xa0, else with 0x41; from release 4.8.2 on without effect",
	),
	"crypto.engine": text("ECKey", "anything but ECKey is refused"),

	"storage.db.engine": text("LEVELDB", "ROCKSDB is warned about, since the state is in LevelDB all the same"),
	"storage.db.sync": boolean(false, "every record of the block log waits for the disk"),
	"storage.db.directory": text("database", "directory of the state in the data directory"),
	"storage.transHistory.switch": text("on", "on: receipts are kept"),
	"storage.balance.history.lookup": boolean(false, "balances of every block are recorded"),
	"storage.needToUpdateAsset": boolean(true, "tokens of old databases are brought forward"),
	"storage.cacheBytes": long(
		BigInt(CACHE_BYTES),
		`bytes of memory for all caches of the state and of old blocks together, from ${MIN_CACHE_BYTES} (ours)`,
	),
	"storage.snapshot.maxFlushCount": idle("the state is written by its size, not by blocks", "int", {
		refuse: [1, 500],
	}),
	"storage.checkpoint.version": idle(OWN_LOG, "int", { refuse: [1, 2] }),
	"storage.checkpoint.sync": idle(OWN_LOG, "boolean"),
	"storage.txCache.estimatedTransactions": idle("duplicates are looked up in the state", "int"),
	"storage.txCache.initOptimization": idle("duplicates are looked up in the state", "boolean"),
	"storage.cache.*": idle(ONE_DATABASE),
	"storage.merkleRoot.*": idle("old rewards are calculated from the state, not from a derived database"),
	"storage.properties": idle(ONE_DATABASE),
	"storage.properties[].*": idle(ONE_DATABASE),
	"storage.default.*": idle(ONE_DATABASE),
	"storage.defaultM.*": idle(ONE_DATABASE),
	"storage.defaultL.*": idle(ONE_DATABASE),
	"storage.dbSettings.*": idle(ONE_DATABASE),
	"storage.backup.*": idle("copies are made by coin node db copy"),
	"storage.index.*": idle(UNUSED),

	"genesis.block.timestamp": requiredText("ms, not negative"),
	"genesis.block.parentHash": requiredText("hexadecimal"),
	"genesis.block.assets[].accountName": requiredText("Zion, Sun and Blackhole are special"),
	"genesis.block.assets[].accountType": requiredText(
		"Normal, AssetIssue or Contract; checked, all become Normal",
	),
	"genesis.block.assets[].address": requiredText("Base58 address"),
	"genesis.block.assets[].balance": requiredText("sun; may be negative"),
	"genesis.block.witnesses[].address": requiredText("Base58 address"),
	"genesis.block.witnesses[].url": requiredText("page of the witness"),
	"genesis.block.witnesses[].voteCount": requiredLong("votes that it begins with"),

	localwitness: texts(
		"keys that produce blocks, 64 hexadecimal digits each; from release 4.8.1 on read with -w only",
	),
	"localwitness.signer": optionalText(
		"in place of the keys: socket of the `coin signer serve` that holds them, or `tls://host:port`; read with -w only",
	),
	"localwitness.signerCertificate": optionalText(
		"certificate by which the signer at `tls://` knows this node, PEM",
	),
	"localwitness.signerKey": optionalText("file with the key of that certificate, PEM"),
	"localwitness.signerCa": optionalText("file with the certificate of whoever issued the signer's, PEM"),
	localWitnessAccountAddress: optionalText("account for which a single key signs"),
	localwitnesskeystore: texts("key files; the first is used where there is no localwitness"),
	"localPqWitness.keys": texts("on Nile: files of post-quantum keys that produce blocks; read with -w only"),
	"localPqWitness.accountAddress": optionalText("account for which a single one of these keys signs"),

	"block.needSyncCheck": boolean(false, "a witness waits until it is synchronised"),
	"block.maintenanceTimeInterval": int(21_600_000, "ms between maintenances, of a new chain"),
	"block.version": int(
		0,
		"the version that blocks of this node carry, which is a vote for its rules (ours)",
		undefined,
		"the newest that `node.release` knows",
	),
	"block.proposalExpireTime": int(259_200_000, "ms until a proposal is decided; must be the network's"),
	"committee.proposalExpireTime": int(0, "refused from release 4.8.1 on: block.proposalExpireTime is meant"),
	"block.checkFrozenTime": int(1, "0: how long a stake lasts is not checked, for tests"),
	"enery.limit.block.num": int(4_727_890, "height from which the rules of block version 5 hold (so spelled)"),
	"coin.reference.block": text("solid", "solid or head: the block that built transactions refer to"),
	"coin.expiration.timeInMilliseconds": long(
		60_000n,
		"ms until built transactions expire; 0 or less: 60,000",
	),
	"actuator.whitelist": texts(
		"classes of contract handlers that are allowed, such as TransferActuator; empty: all. Leaves the network if used; from release 4.8.2 on without effect",
	),

	"vm.supportConstant": boolean(false, "constant calls are served"),
	"vm.maxEnergyLimitForConstant": long(100_000_000n, "energy of a constant call; at least 3,000,000"),
	"vm.lruCacheSize": int(500, "contract programs kept in memory; below 1: 500"),
	"vm.minTimeRatio": double(
		0,
		"part of the chain's CPU time in which a block's transaction that ran out of time is tried again; 0: it isn't",
	),
	"vm.maxTimeRatio": double(
		5,
		"part of it that every other transaction of a block may take; 5 or more: blocks are executed without limit",
	),
	"vm.estimateEnergy": boolean(false, "energy estimates are served"),
	"vm.estimateEnergyMaxRetry": int(3, "tries of an estimate that timed out", { clamp: [0, 10] }),
	"vm.saveInternalTx": boolean(false, "internal transactions are kept"),
	"vm.saveFeaturedInternalTx": boolean(false, "those of stake and vote instructions too"),
	"vm.saveCancelAllUnfreezeV2Details": boolean(false, "with both: what cancelled unstakings gave back"),
	"vm.vmTrace": boolean(false, "true is refused: this node writes no traces into files"),
	"vm.constantCallTimeoutMs": long(0n, "ms that a constant call may take; 0: by the chain's CPU time"),
	"vm.compile": text(
		"hot",
		"never, hot or always: which contract programs are translated to WebAssembly; hot: those that run much, between other work and on other threads; always is for tests (ours)",
	),
	"vm.longRunningTime": idle("the network's node only logs calls that take longer", "int"),

	"rate.limiter.enabled": boolean(
		true,
		"whether calls are limited at all; a development chain doesn't (ours)",
	),
	"rate.limiter.global.qps": int(50_000, "calls a second of the whole process", { refuse: [1, MOST] }),
	"rate.limiter.global.ip.qps": int(10_000, "calls a second of one address", { refuse: [1, MOST] }),
	"rate.limiter.global.api.qps": int(1000, "calls a second of each endpoint", { refuse: [1, MOST] }),
	"rate.limiter.apiNonBlocking": boolean(
		false,
		"release 4.8.2: who would have to wait for a turn is refused at once",
	),
	"rate.limiter.p2p.syncBlockChain": double(
		3,
		"summaries of a peer that are answered in a second; more are dropped",
	),
	"rate.limiter.p2p.fetchInvData": double(
		3,
		"requests of a peer for blocks of a list in a second; more end the connection",
	),
	"rate.limiter.p2p.disconnect": double(1, "farewells of a peer that are heard in a second"),
	"rate.limiter.http[].component": requiredText("servlet such as GetAccountServlet"),
	"rate.limiter.http[].strategy": requiredText(
		"QpsRateLimiterAdapter, IPQPSRateLimiterAdapter or GlobalPreemptibleAdapter",
	),
	"rate.limiter.http[].paramString": requiredText("qps=<number> or permit=<number>"),
	"rate.limiter.rpc[].component": requiredText("method such as protocol.Wallet/GetAccount"),
	"rate.limiter.rpc[].strategy": requiredText("as for HTTP; an unknown one leaves the default"),
	"rate.limiter.rpc[].paramString": requiredText("as for HTTP"),

	"log.level": text("info", "trace, debug, info, warn, error or off: the least serious lines (ours)"),
	"log.level.root": text("info", "the same, where a file has a level for each of the network's loggers"),
	"log.*": idle("the log has one level, log.level"),

	"event.subscribe.enable": boolean(false, "events are published, as with --es; from release 4.8.2 on"),
	"event.subscribe.version": int(
		0,
		"0: published as blocks are applied; 1: by a service that follows the chain",
	),
	"event.subscribe.startSyncBlockNum": long(
		0n,
		"version 1: old blocks from this height are published first; 0: none",
	),
	"event.subscribe.contractParse": boolean(true, "logs are read by the stored interfaces of their contracts"),
	"event.subscribe.path": text(
		"",
		"archive of a plugin of the network's node: one whose name has kafka or mongodb stands for what is built in, others are refused",
	),
	"event.subscribe.server": text("", "plugin: host:port; of Kafka several with commas"),
	"event.subscribe.dbconfig": text(
		"",
		"MongoDB: database|user|password, and |2 for documents that replace others",
	),
	"event.subscribe.positions": boolean(
		true,
		"receivers but the native queue go on where they were after a stop or a kill; false: as on the network's node (ours)",
	),
	"event.subscribe.topics[].triggerName": requiredText(
		"block, transaction, contractlog, contractevent, solidity, solidityevent or soliditylog",
	),
	"event.subscribe.topics[].enable": requiredText("true: events of the kind are published"),
	"event.subscribe.topics[].topic": requiredText("plugin: topic of Kafka, collection of MongoDB"),
	"event.subscribe.topics[].redundancy": optionalText(
		"true, of logs: those that were published as events are published as logs, too",
	),
	"event.subscribe.topics[].ethCompatible": optionalText(
		"true, of transactions: with position, logs and energy price",
	),
	"event.subscribe.topics[].solidified": optionalText(
		"true, of blocks and transactions: published once they are solidified",
	),
	"event.subscribe.filter.fromblock": text("", "lowest block of contract events; empty or earliest: any"),
	"event.subscribe.filter.toblock": text("", "highest block of contract events; empty or latest: any"),
	"event.subscribe.filter.contractAddress": texts("contracts whose events are published; empty: all"),
	"event.subscribe.filter.contractTopic": texts("topics of which a log has one; empty: all"),

	"dev.enabled": boolean(false, "the file describes a development chain (ours)"),
} as const;
