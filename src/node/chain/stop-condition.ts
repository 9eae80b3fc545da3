/** Where a node stops by itself: `node.shutdown.*` (protocol/configuration §1.6). */

import { ConfigError, type ShutdownConfig } from "../config/config.js";

/** What is asked of the chain. */
interface ChainHead {
	readonly head: { readonly number: bigint; readonly timestampMs: bigint };
}

/** The chain is already where the node is to stop: a start has nothing to do. */
export class AlreadyThereError extends Error {
	override readonly name = "AlreadyThereError";
}

/**
 * A test whether the head is the block at which the node stops. It is made before a block of a peer is applied, as on the
 * network's nodes; that block is dropped.
 * @throws {AlreadyThereError} if the head has the height
 * @throws {ConfigError} if it is beyond it
 */
export function stopCondition(shutdown: ShutdownConfig, chain: ChainHead): () => boolean {
	if (shutdown.at === "time") return () => shutdown.reached(Number(chain.head.timestampMs));
	const start = chain.head.number;
	const height = shutdown.at === "height" ? shutdown.height : start + shutdown.count;
	if (start > height) {
		throw new ConfigError(`node.shutdown.BlockHeight = ${height} is below the head, block ${start}`);
	}
	if (start === height)
		throw new AlreadyThereError(`the chain is at block ${height}, where the node is to stop`);
	return () => chain.head.number === height;
}
