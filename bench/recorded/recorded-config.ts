import { basename, join } from "node:path";
import { loadConfig, type NodeConfig } from "../../src/node/config/config.js";

/** The configuration of a recorded set, whose proofs aren't checked: their parameters are large files of the network. */
export function recordedConfig(folder: string): NodeConfig {
	const config = loadConfig(join(folder, `${basename(folder)}.conf`));
	const { node } = config;
	return { ...config, node: { ...node, shielded: { ...node.shielded, allowsUnverified: true } } };
}
