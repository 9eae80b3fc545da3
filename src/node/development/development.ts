/** A development chain as the node starts it: options in, configuration and rules out. */

import type { Dialect } from "../../protocol/dialect.js";
import { Account, AccountType, Witness } from "../../protocol/messages.js";
import type { Producer } from "../chain/chain.js";
import type { NodeConfig } from "../config/config.js";
import type { ForkFounding } from "../fork/fork-facts.js";
import { producerWithKey } from "../production/witness-keys.js";
import { newAccount } from "../resources/new-account.js";
import type { StateView } from "../state/view.js";
import { AccountBook } from "./account-book.js";
import { DEVELOPMENT_HD_PATH, DEVELOPMENT_MNEMONIC, type DevelopmentAccount } from "./accounts.js";
import { DevelopmentConditions, type SealMode } from "./conditions.js";
import { ContractConsole } from "./contract-console.js";
import { type DevelopmentPorts, developmentConfig, PRODUCER_BALANCE_SUN } from "./development-config.js";
import { applySetting, type Economy, type ParameterSetting, writeDevelopmentState } from "./initial-state.js";

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
	/** Another node's state in the place of a genesis. */
	readonly fork?: ForkFounding | undefined;
	readonly solidLag: bigint;
	/** Undefined: the parameter's days. */
	readonly unstakeDelayMs?: bigint | undefined;
	/** Accounts that act unsigned from the start. */
	readonly unlocked?: readonly Uint8Array[];
	readonly unlockAll?: boolean;
	/** Origins of pages that may do everything through the gateway, as browsers write them; `*`: all. */
	readonly allowedOrigins?: readonly string[];
	readonly dialect: Dialect;
	/** The gateway's own; it speaks to tools that exist (protocol/development-chain §4.1). */
	readonly gatewayDialect?: Dialect;
	/** gzip, as a dump gives it: the state to begin with. */
	readonly loadState?: Uint8Array | undefined;
	/** Gets a dump at the end. */
	readonly saveState?: ((dump: Uint8Array) => Promise<void>) | undefined;
	/** Whether the log shows what contracts write to their console. Default: yes. */
	readonly consoleLog?: boolean;
	readonly ports: DevelopmentPorts;
	/** Whether calls are limited as on nodes of the network. Default: no. */
	readonly rateLimits?: boolean;
}

export interface Development {
	readonly config: NodeConfig;
	readonly options: DevelopmentOptions;
	/** What the chain's rules read, and its owner may change. */
	readonly schedule: DevelopmentConditions;
	readonly producer: Producer;
	readonly book: AccountBook;
	readonly console: ContractConsole;
	/** Writes the state that the chain starts with. */
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
			const { economy, parameters, accounts } = options;
			if (options.fork) writeForkState(state, { accounts, parameters, producer: producer.witness });
			else writeDevelopmentState(state, economy, parameters);
		},
	};
}

/**
 * What a fork changes of the state that it begins with (protocol/development-chain §7.4): accounts with keys and coins, and a
 * witness of its own. Everything else stays: the witnesses of the network, their schedule, votes for versions, prices.
 */
interface ForkPeople {
	readonly accounts: readonly DevelopmentAccount[];
	/** Address of the witness that produces. */
	readonly producer: Uint8Array;
	readonly parameters: readonly ParameterSetting[];
}

/** @throws {ParameterSettingError} */
function writeForkState(state: StateView, { accounts, producer, parameters }: ForkPeople): void {
	for (const { address, balanceSun } of accounts) fund(state, address, balanceSun);
	fund(state, producer, PRODUCER_BALANCE_SUN);
	const account = Account.copy(state.account.existing(producer));
	account.is_witness = true;
	state.account.put(producer, account);
	if (!state.witness.has(producer)) {
		// Without votes it changes nothing about who is active.
		state.witness.put(producer, Witness.create({ address: producer, url: "http://localhost" }));
	}
	for (const setting of parameters) applySetting(state, setting);
}

/** Gives an account at least so many coins, and to the holder of its key: the keys of these accounts are known to everybody. */
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
