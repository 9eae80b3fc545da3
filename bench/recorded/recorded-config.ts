import { basename, join } from "node:path";
import { loadConfig, type NodeConfig } from "../../src/node/config/config.js";

/** A recording's configuration. Proofs aren't checked, as that needs the network's large parameters. */
export function recordedConfig(folder: string): NodeConfig {
	const config = loadConfig(join(folder, `${basename(folder)}.conf`));
	const { node } = config;
	return { ...config, node: { ...node, shielded: { ...node.shielded, allowsUnverified: true } } };
}
