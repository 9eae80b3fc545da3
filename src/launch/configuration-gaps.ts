/** What a configuration of a network can't do without, said plainly where it is missing. */

import type { ConfigError, NodeConfig } from "../node/config/config.js";
import { admissionOf } from "../node/rules/admission.js";

const GENESIS_ADVICE =
	"it names the first block, and with it the network: take the configuration file of that network's own nodes, or name a public network: --network main, --network nile";

/** What to do where the file of a configuration or a key of it is missing; undefined for every other refusal. */
export function missingPartHint({ missing: { key, file } }: ConfigError): string | undefined {
	if (file !== undefined)
		return "-c names the configuration file of the network, and --network main or nile a public one without a file; examples/network-node.conf of this package is one to begin with";
	if (key === undefined) return undefined;
	if (key === "storage")
		return `the section storage is missing: add storage { db.directory = "database" }; genesis.block belongs there too: ${GENESIS_ADVICE}; a file for a development chain says dev.enabled = true instead`;
	if (key.startsWith("genesis.block")) return `genesis.block is incomplete without it; ${GENESIS_ADVICE}`;
	return `the file lacks the line ${key} = …`;
}

/**
 * A network names the account that receives fees while burning is off.
 * @returns why a genesis without it can't be started with; undefined: it has one
 */
export function blackHoleGap({ genesis, node, dev, settings }: NodeConfig): string | undefined {
	const isWritten = settings.some(({ path, line }) => path.startsWith("genesis.block") && line !== undefined);
	if (!isWritten || dev.enabled || !admissionOf(node).needsBlackHole) return undefined;
	const isNamed = genesis.assets.some(({ accountName }) => accountName === "Blackhole");
	return isNamed ? undefined : "Account[Blackhole] is not configured.";
}

/** A warning about a network without a first block; nothing keeps a node from starting with it, alone on its chain. */
export function genesisGap(config: NodeConfig): string | undefined {
	const isWritten = config.settings.some(
		({ path, line }) => path.startsWith("genesis.block") && line !== undefined,
	);
	if (isWritten || config.dev.enabled) return undefined;
	return `genesis.block is missing: no account of the chain could act or make blocks, and no network knows it; ${GENESIS_ADVICE}`;
}
