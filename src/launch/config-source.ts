/** Where a chain's configuration comes from: the user's file, a named public network, or the file on top of the network's. */

import { existsSync } from "node:fs";
import { loadConfig, type NodeConfig, presetConfig } from "../node/config/config.js";
import { networkPreset } from "../node/config/networks/networks.js";
import type { SettingPath } from "../node/config/settings-table.js";
import { type FlagValues, merged, type StartOptions } from "../node/config/start-options.js";
import type { PublicNetwork } from "../protocol/public-networks.js";

/** The configuration file that is read if none is named. */
export const DEFAULT_CONFIG = "config.conf";

export interface ConfigSource {
	/** {@link DEFAULT_CONFIG} may be missing if a network is named. */
	readonly file: string;
	readonly network: PublicNetwork | undefined;
	/** Directory of the parameters for verifying shielded proofs, or {@link NO_PARAMETERS}. */
	readonly shieldedParams?: string | undefined;
}

/** Given instead of a directory if proofs aren't to be verified. */
const NO_PARAMETERS = "none";

/** The source given by a command's flags. */
export const configSource = (flags: {
	readonly config: string;
	readonly network?: PublicNetwork | undefined;
	readonly "shielded-params"?: string | undefined;
}): ConfigSource => ({
	file: flags.config,
	network: flags.network,
	shieldedParams: flags["shielded-params"],
});

/** Whether there is a configuration to read: the file, or a network. */
export const hasConfig = ({ file, network }: ConfigSource): boolean =>
	network !== undefined || existsSync(file);

/** @throws {ConfigError} */
export async function readConfig(
	{ file, network, shieldedParams }: ConfigSource,
	given: StartOptions = {},
): Promise<NodeConfig> {
	const options = { ...given, over: merged(given.over, proofChoice(shieldedParams)) };
	const preset = network && (await networkPreset(network));
	if (preset && file === DEFAULT_CONFIG && !existsSync(file)) return presetConfig(preset, options);
	return loadConfig(file, { ...options, preset });
}

function proofChoice(choice: string | undefined): FlagValues | undefined {
	if (choice === undefined) return undefined;
	if (choice !== NO_PARAMETERS) return new Map([["node.shielded.params", choice]]);
	return new Map<SettingPath, unknown>([
		["node.shielded.params", ""],
		["node.shielded.allowUnverified", true],
	]);
}
