/** What a development chain takes from a node's own configuration besides its section: whom it tells of blocks, and where its history is. */

import type { NodeConfig } from "../node/config/config.js";

/** Settings that {@link withServices} takes, and those that are read elsewhere. */
export const TAKEN_SETTINGS =
	/^(?:dev\.|log\.level|event\.subscribe\.|node\.history\.(?:index|database|passwordFile|schema|readOnly)$)/;

/** @param own the chain's configuration @param file undefined: none was named */
export function withServices(own: NodeConfig, file: NodeConfig | undefined): NodeConfig {
	if (!file) return own;
	// The state of the past is kept in memory.
	const history = { ...file.node.history, stateBlocks: own.node.history.stateBlocks };
	return { ...own, events: file.events, node: { ...own.node, history } };
}
