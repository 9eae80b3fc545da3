/** The configuration of a development chain, as the text that any node of it would read (protocol/development-chain §1). */

import { addressFromHash, toBase58Check } from "../../protocol/address.js";
import { toHex, utf8 } from "../../protocol/bytes.js";
import { DEVELOPMENT_PARENT_HASH, DEVELOPMENT_POOL_TOKEN } from "../../protocol/development-genesis.js";
import type { Dialect } from "../../protocol/dialect.js";
import { sha256 } from "../../protocol/hash.js";
import { COMMITTEE_KEYS, type NodeConfig, parseConfig } from "../config/config.js";
import type { ForkFacts, ForkFounding } from "../fork/fork-facts.js";
import type { DevelopmentAccount } from "./accounts.js";
import { developmentCommittee } from "./initial-state.js";

/** Coins of the producer, in sun: below 2^53, so that rounding clients stay right. */
export const PRODUCER_BALANCE_SUN = 1_000_000_000_000_000n;
const PRODUCER_VOTES = 100_000_000n;

/** Listener ports; 0: off. */
export interface DevelopmentPorts {
	readonly gateway?: number;
	readonly http: number;
	readonly solidity: number;
	readonly pbft: number;
	readonly jsonrpc: number;
	readonly grpc: number;
	readonly grpcSolidity: number;
}

export interface DevelopmentChain {
	readonly accounts: readonly DevelopmentAccount[];
	/** Address of the one witness. */
	readonly producer: Uint8Array;
	readonly genesisTimestampMs: bigint;
	readonly maintenanceMs: number;
	readonly dialect: Dialect;
	readonly ports: DevelopmentPorts;
	/** What is fixed about the chain whose state this one begins with. */
	readonly fork?: Pick<ForkFounding, "facts"> | undefined;
	/** Whether calls are limited as on nodes of the network. Default: no. */
	readonly rateLimits?: boolean;
}

/** Builds the configuration; identical options give an identical chain. */
export function developmentConfig(chain: DevelopmentChain): NodeConfig {
	return parseConfig(developmentConfigText(chain), "development chain");
}

/** The same as HOCON text. */
function developmentConfigText(chain: DevelopmentChain): string {
	const { ports } = chain;
	const blackHole = addressFromHash(sha256(utf8("coin development black hole")));
	const assets = [
		asset("Blackhole", blackHole, 0n),
		asset("Producer", chain.producer, PRODUCER_BALANCE_SUN),
		...chain.accounts.map(({ address, balanceSun }, index) => asset(`Account${index}`, address, balanceSun)),
	];
	const { facts } = chain.fork ?? {};
	const committee = Object.entries(facts?.committee ?? developmentCommittee(COMMITTEE_KEYS));
	return `
net { type = mainnet }
storage { db.directory = "database", balance.history.lookup = true, transHistory.switch = "on" }
node {
  dialect = ${chain.dialect}
  allowShieldedTransactionApi = true
  zenTokenId = "${DEVELOPMENT_POOL_TOKEN}"
  maxTransactionPendingSize = 20000
  minParticipationRate = 0
  http { ${listener("fullNode", ports.http)}, ${listener("solidity", ports.solidity)}, ${listener("PBFT", ports.pbft)}, explorer = true }
  rpc { enable = ${ports.grpc > 0}, port = ${ports.grpc}, solidityEnable = ${ports.grpcSolidity > 0}, solidityPort = ${ports.grpcSolidity}, PBFTEnable = false, minEffectiveConnection = 0, reflectionService = true }
  jsonrpc { httpFullNodeEnable = ${ports.jsonrpc > 0}, httpFullNodePort = ${ports.jsonrpc}, lenient = true, debug = true, simulate = true, state = true }
}
rate.limiter.enabled = ${chain.rateLimits === true}
genesis.block {
  timestamp = "${facts?.genesisTimestampMs ?? chain.genesisTimestampMs}"
  parentHash = "${toHex(DEVELOPMENT_PARENT_HASH)}"
  assets = [
${assets.join("\n")}
  ]
  witnesses = [ { address = "${toBase58Check(chain.producer)}", url = "http://localhost", voteCount = ${PRODUCER_VOTES} } ]
}
block.needSyncCheck = false
${facts ? forkedRules(facts) : `enery.limit.block.num = 0\nblock.maintenanceTimeInterval = ${chain.maintenanceMs}`}
vm { supportConstant = true, estimateEnergy = true, saveInternalTx = true, saveFeaturedInternalTx = true, saveCancelAllUnfreezeV2Details = true }
committee {
${committee.map(([key, value]) => `  ${key} = ${value}`).join("\n")}
}
`;
}

/** The rules of the chain that is forked, as its own nodes are configured. */
function forkedRules(facts: ForkFacts): string {
	return `
node.release = "${facts.release}"
node.network = ${facts.network}
enery.limit.block.num = ${facts.energyLimitHeight}
block {
  maintenanceTimeInterval = ${facts.maintenanceIntervalMs}
  proposalExpireTime = ${facts.proposalExpireMs}
  checkFrozenTime = ${facts.checkFrozenTime ? 1 : 0}
}`;
}

function asset(name: string, address: Uint8Array, balanceSun: bigint): string {
	return `    { accountName = "${name}", accountType = "Normal", address = "${toBase58Check(address)}", balance = "${balanceSun}" }`;
}

function listener(name: string, port: number): string {
	return port > 0 ? `${name}Enable = true, ${name}Port = ${port}` : `${name}Enable = false`;
}
