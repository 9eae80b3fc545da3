/** A development chain as the node starts it: options in, configuration and rules out. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Dialect } from "../../protocol/dialect.js";
import type { Producer } from "../chain/chain.js";
import type { NodeConfig } from "../config/config.js";
import type { DevelopmentSchedule } from "../contracts/contract.js";
import type { SealMode } from "../production/sealer.js";
import { producerWithKey } from "../production/witness-keys.js";
import type { StateView } from "../state/view.js";
import type { DevelopmentAccount } from "./accounts.js";
import { type DevelopmentPorts, developmentConfig } from "./development-config.js";
import { type Economy, type ParameterSetting, writeDevelopmentState } from "./initial-state.js";

export interface DevelopmentOptions {
	readonly accounts: readonly DevelopmentAccount[];
	/** 32 bytes. */
	readonly producerKey: Uint8Array;
	readonly seal: SealMode;
	readonly economy: Economy;
	readonly parameters: readonly ParameterSetting[];
	readonly genesisTimestampMs: bigint;
	readonly maintenanceMs: number;
	readonly solidLag: bigint;
	readonly dialect: Dialect;
	readonly ports: DevelopmentPorts;
}

export interface Development {
	readonly config: NodeConfig;
	readonly schedule: DevelopmentSchedule;
	readonly producer: Producer;
	readonly seal: SealMode;
	/** Writes the state that the chain starts with. */
	initialize(state: StateView): void;
}

/** @throws {ConfigError | ParameterSettingError} */
export function prepareDevelopment(options: DevelopmentOptions): Development {
	const producer = producerWithKey(options.producerKey);
	const config = developmentConfig({ ...options, producer: producer.witness });
	return {
		config,
		schedule: {
			slotMs: typeof options.seal === "string" ? 1n : BigInt(options.seal.intervalMs),
			producers: [producer.witness],
			solidLag: options.solidLag,
		},
		producer,
		seal: options.seal,
		initialize: (state) => writeDevelopmentState(state, options.economy, options.parameters),
	};
}

/** The mark of a data directory that was created for a development chain. */
const MARK = "dev.json";

/** A data directory and the way in which it is opened don't fit. */
export class DevelopmentMarkError extends Error {
	override readonly name = "DevelopmentMarkError";
}

export function isDevelopmentDirectory(dataDirectory: string): boolean {
	return existsSync(join(dataDirectory, MARK));
}

/** @throws {DevelopmentMarkError} if a network's node is started on a development chain's directory */
export function refuseDevelopmentDirectory(dataDirectory: string): void {
	if (!isDevelopmentDirectory(dataDirectory)) return;
	throw new DevelopmentMarkError(
		`the data directory ${dataDirectory} holds a development chain; start it with --dev, or choose another directory`,
	);
}

/** Marks a new directory; what it says is for people. */
export function markDevelopmentDirectory(dataDirectory: string, genesisIdHex: string): void {
	const path = join(dataDirectory, MARK);
	if (existsSync(path)) {
		// The chain itself is compared by its genesis; the mark only has to be readable.
		JSON.parse(readFileSync(path, "utf8"));
		return;
	}
	writeFileSync(path, `${JSON.stringify({ developmentChain: genesisIdHex })}\n`);
}
