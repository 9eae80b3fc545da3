/**
 * Derives a development chain's configuration and rules from start options (protocol/development-chain §1).
 */

import { addressFromHash, toBase58Check } from "../../protocol/address.js";
import { toHex, utf8 } from "../../protocol/bytes.js";
import type { Dialect } from "../../protocol/dialect.js";
import { sha256 } from "../../protocol/hash.js";
import { Account, AccountType, Witness } from "../../protocol/messages.js";
import { DEVELOPMENT_PARENT_HASH, DEVELOPMENT_POOL_TOKEN } from "../../protocol/public-networks.js";
import type { Producer } from "../chain/packing.js";
import { COMMITTEE_KEYS, type NodeConfig, parseConfig } from "../config/config.js";
import type { ForkFacts, ForkFounding } from "../fork/fork-facts.js";
import { producerWithKey } from "../production/slot-producer.js";
import { newAccount } from "../resources/balance.js";
import type { NetworkName } from "../rules/chain-rules.js";
import type { StateView } from "../state/view.js";
import {
	AccountBook,
	DEVELOPMENT_HD_PATH,
	DEVELOPMENT_MNEMONIC,
	type DevelopmentAccount,
} from "./accounts.js";
import { DevelopmentConditions, type SealMode } from "./conditions.js";
import { ContractConsole } from "./contract-console.js";
import {
	applySetting,
	developmentCommittee,
	type Economy,
	type ParameterSetting,
	writeDevelopmentState,
} from "./initial-state.js";

/** The producer's coins, in sun: below 2^53, so that clients using doubles stay exact. */
const PRODUCER_BALANCE_SUN = 1_000_000_000_000_000n;
const PRODUCER_VOTES = 100_000_000n;

/** Listener ports by kind; a missing one isn't served, and 0 lets the system choose. */
type DevelopmentPorts = Readonly<Partial<Record<PortKind, number | undefined>>>;

type PortKind = "gateway" | "http" | "solidity" | "pbft" | "jsonrpc" | "grpc" | "grpcSolidity";

interface DevelopmentChain {
	readonly accounts: readonly DevelopmentAccount[];
	/** Address of the only witness. */
	readonly producer: Uint8Array;
	readonly genesisTimestampMs: bigint;
	readonly maintenanceMs: number;
	readonly network?: NetworkName | undefined;
	readonly dialect: Dialect;
	readonly ports: DevelopmentPorts;
	/** Fixed facts of the chain whose state this one starts from. */
	readonly fork?: Pick<ForkFounding, "facts"> | undefined;
	/** Whether calls are rate-limited as on network nodes. Default: no. */
	readonly rateLimits?: boolean;
}

/** Builds the configuration; identical options give an identical chain. */
function developmentConfig(chain: DevelopmentChain): NodeConfig {
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
  http { ${listener("fullNodeEnable", "fullNodePort", ports.http)}, ${listener("solidityEnable", "solidityPort", ports.solidity)}, ${listener("PBFTEnable", "PBFTPort", ports.pbft)}, explorer = true }
  rpc { ${listener("enable", "port", ports.grpc)}, ${listener("solidityEnable", "solidityPort", ports.grpcSolidity)}, PBFTEnable = false, minEffectiveConnection = 0, reflectionService = true }
  jsonrpc { ${listener("httpFullNodeEnable", "httpFullNodePort", ports.jsonrpc)}, lenient = true, debug = true, simulate = true, state = true }
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
${facts ? forkedRules(facts) : `enery.limit.block.num = 0\nblock.maintenanceTimeInterval = ${chain.maintenanceMs}${chain.network ? `\nnode.network = ${chain.network}` : ""}`}
vm { supportConstant = true, estimateEnergy = true, saveInternalTx = true, saveFeaturedInternalTx = true, saveCancelAllUnfreezeV2Details = true }
committee {
${committee.map(([key, value]) => `  ${key} = ${value}`).join("\n")}
}
`;
}

/** Rules of the forked chain, as configured on its own nodes. */
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

function listener(enableKey: string, portKey: string, port: number | undefined): string {
	return port === undefined ? `${enableKey} = false` : `${enableKey} = true, ${portKey} = ${port}`;
}

export interface DevelopmentOptions {
	readonly accounts: readonly DevelopmentAccount[];
	/** Mnemonic and path of their keys; batches of further accounts follow from it. */
	readonly mnemonic?: string;
	readonly hdPath?: string;
	/** 32 bytes. */
	readonly producerKey: Uint8Array;
	readonly seal: SealMode;
	readonly economy: Economy;
	readonly parameters: readonly ParameterSetting[];
	readonly genesisTimestampMs: bigint;
	readonly maintenanceMs: number;
	/** The network whose rules apply; absent: the main network. A fork has those of its chain. */
	readonly network?: NetworkName | undefined;
	/** Another node's state in place of a genesis. */
	readonly fork?: ForkFounding | undefined;
	readonly solidLag: bigint;
	/** Undefined: the parameter's days. */
	readonly unstakeDelayMs?: bigint | undefined;
	/** Accounts that may act unsigned from the start. */
	readonly unlocked?: readonly Uint8Array[];
	readonly unlockAll?: boolean;
	/** Origins of pages with full access to the gateway, as browsers write them; `*`: all. */
	readonly allowedOrigins?: readonly string[];
	readonly dialect: Dialect;
	/** Dialect of the gateway, which serves existing tools (protocol/development-chain §4.1). */
	readonly gatewayDialect?: Dialect;
	/** Initial state: a gzip dump. */
	readonly loadState?: Uint8Array | undefined;
	/** Receives a dump at shutdown. */
	readonly saveState?: ((dump: Uint8Array) => Promise<void>) | undefined;
	/** Whether the log shows contracts' console output. Default: yes. */
	readonly consoleLog?: boolean;
	readonly ports: DevelopmentPorts;
	/** Whether calls are rate-limited as on network nodes. Default: no. */
	readonly rateLimits?: boolean;
}

export interface Development {
	readonly config: NodeConfig;
	readonly options: DevelopmentOptions;
	/** Read by the chain's rules, and changeable by its owner. */
	readonly schedule: DevelopmentConditions;
	readonly producer: Producer;
	readonly book: AccountBook;
	readonly console: ContractConsole;
	/** Writes the chain's initial state. */
	initialize(state: StateView): void;
}

/** @throws {ConfigError | ParameterSettingError} */
export function prepareDevelopment(options: DevelopmentOptions): Development {
	const producer = producerWithKey(options.producerKey);
	const config = developmentConfig({ ...options, producer: producer.witness });
	return {
		config,
		options,
		schedule: new DevelopmentConditions({
			producer: producer.witness,
			seal: options.seal,
			solidLag: options.solidLag,
			unstakeDelayMs: options.unstakeDelayMs,
			unlocked: options.unlocked ?? [],
			unlockAll: options.unlockAll ?? false,
		}),
		producer,
		console: new ContractConsole(),
		book: new AccountBook({
			accounts: options.accounts,
			mnemonic: options.mnemonic ?? DEVELOPMENT_MNEMONIC,
			hdPath: options.hdPath ?? DEVELOPMENT_HD_PATH,
		}),
		initialize: (state) => {
			const { economy, parameters, accounts, fork, network = "main" } = options;
			if (fork) writeForkState(state, { accounts, parameters, producer: producer.witness, network });
			else writeDevelopmentState(state, economy, parameters, network);
		},
	};
}

/**
 * Changes a fork makes to its initial state (protocol/development-chain §7.4): funded accounts with known
 * keys, and its own witness. All else stays: the network's witnesses, schedule, version votes, prices.
 */
interface ForkPeople {
	readonly accounts: readonly DevelopmentAccount[];
	/** Address of the witness that produces. */
	readonly producer: Uint8Array;
	readonly parameters: readonly ParameterSetting[];
	readonly network: NetworkName;
}

/** @throws {ParameterSettingError} */
function writeForkState(state: StateView, { accounts, producer, parameters, network }: ForkPeople): void {
	for (const { address, balanceSun } of accounts) fund(state, address, balanceSun);
	fund(state, producer, PRODUCER_BALANCE_SUN);
	const account = Account.copy(state.account.existing(producer));
	account.is_witness = true;
	state.account.put(producer, account);
	if (!state.witness.has(producer)) {
		// Without votes it doesn't affect who is active.
		state.witness.put(producer, Witness.create({ address: producer, url: "http://localhost" }));
	}
	for (const setting of parameters) applySetting(state, setting, network);
}

/** Tops up an account and gives it to the holder of its key: anyone may know the keys of these accounts. */
function fund(state: StateView, address: Uint8Array, sun: bigint): void {
	const fresh = newAccount(state, address, AccountType.Normal);
	const stored = state.account.get(address);
	const account = stored ? Account.copy(stored) : fresh;
	if (account.balance < sun) account.balance = sun;
	account.owner_permission = fresh.owner_permission;
	account.active_permission = fresh.active_permission;
	account.witness_permission = undefined;
	state.account.put(address, account);
}
