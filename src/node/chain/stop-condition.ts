/** When a node stops by itself: `node.shutdown.*` (protocol/configuration §1.6). */

import { ConfigError, type ShutdownConfig } from "../config/config.js";

/** The part of the chain this needs. */
interface ChainHead {
	readonly head: { readonly number: bigint; readonly timestampMs: bigint };
}

/** The chain is already where the node should stop: a start has nothing to do. */
export class AlreadyThereError extends Error {
	override readonly name = "AlreadyThereError";
}

/**
 * Tests whether the head is the block at which the node stops. Checked before a peer's block is applied, as
 * on the reference node; that block is dropped.
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
