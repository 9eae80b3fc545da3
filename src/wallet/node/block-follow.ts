/** Follows a chain block by block: fills gaps, and reports the blocks that a reorg removed. */

import { setTimeout } from "node:timers/promises";
import { equalBytes } from "../../protocol/bytes.js";
import { type BlockReference, fetchBlockByNumber, fetchHead } from "./chain-query.js";
import type { NodeClient, NodeView } from "./node-client.js";

const POLL_MS = 1000;

/** Reorgs are shorter than this; older blocks are forgotten. */
const REMEMBERED = 1000;

interface FollowedBlock {
	readonly block: BlockReference;
	/** The block was reported before and is no longer part of the chain. */
	readonly removed: boolean;
}

/**
 * Yields every block from a number on, as it arrives; never ends by itself.
 * @param from number of the first block; undefined for the next block
 * @param pause between two requests for the head
 */
export async function* followBlocks(
	client: NodeClient,
	view: NodeView,
	from: bigint | undefined,
	pause: () => Promise<unknown> = () => setTimeout(POLL_MS),
): AsyncGenerator<FollowedBlock> {
	const seen: BlockReference[] = [];
	let next = from ?? (await fetchHead(client, view)).number + 1n;
	for (;;) {
		const head = await fetchHead(client, view);
		// After a reorg to a lower or equal height, the head's parent isn't the last block seen.
		while (next <= head.number || isReplaced(seen, head)) {
			const last = seen.at(-1);
			if (last && isReplaced(seen, head)) {
				yield { block: last, removed: true };
				seen.pop();
				next = last.number;
				continue;
			}
			const block = next === head.number ? head : await fetchBlockByNumber(client, next, view);
			if (!block) break;
			const parent = block.header.raw_data?.parentHash;
			if (last && parent && !equalBytes(parent, last.id)) {
				yield { block: last, removed: true };
				seen.pop();
				next = last.number;
				continue;
			}
			yield { block, removed: false };
			seen.push(block);
			if (seen.length > REMEMBERED) seen.shift();
			next = block.number + 1n;
		}
		await pause();
	}
}

/** Whether the newest block seen is not on the head's chain, as far as the head's own header shows. */
function isReplaced(seen: readonly BlockReference[], head: BlockReference): boolean {
	const last = seen.at(-1);
	if (!last) return false;
	return last.number > head.number || (last.number === head.number && !equalBytes(last.id, head.id));
}
