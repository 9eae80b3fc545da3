/** A development chain as the node starts it: options in, configuration and rules out. */

import type { Dialect } from "../../protocol/dialect.js";
import type { Producer } from "../chain/chain.js";
import type { NodeConfig } from "../config/config.js";
import type { ForkFounding } from "../fork/fork-facts.js";
import { producerWithKey } from "../production/witness-keys.js";
import type { StateView } from "../state/view.js";
import { AccountBook } from "./account-book.js";
import { DEVELOPMENT_HD_PATH, DEVELOPMENT_MNEMONIC, type DevelopmentAccount } from "./accounts.js";
import { DevelopmentConditions, type SealMode } from "./conditions.js";
import { ContractConsole } from "./contract-console.js";
import { type DevelopmentPorts, developmentConfig } from "./development-config.js";
import { writeForkState } from "./fork-state.js";
import { type Economy, type ParameterSetting, writeDevelopmentState } from "./initial-state.js";

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
