/** Following a chain block by block: gaps are filled, and blocks that another branch replaced are taken back. */

import { setTimeout } from "node:timers/promises";
import { equalBytes } from "../../protocol/bytes.js";
import { type BlockReference, fetchBlockByNumber, fetchHead } from "./chain-query.js";
import type { NodeClient, NodeView } from "./node-client.js";

const POLL_MS = 1000;

/** Branches are shorter than this; older blocks are forgotten. */
const REMEMBERED = 1000;

interface FollowedBlock {
	readonly block: BlockReference;
	/** The block was printed before and is no longer part of the chain. */
	readonly removed: boolean;
}

/**
 * Every block from a number on, as it comes; ends only with the program.
 * @param from first number; undefined: the next block
 * @param pause between two questions for the head
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
		// A head that went back, or another one at the same height, shows as a parent that isn't the last one seen.
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

/** Whether the newest block seen is not a block of the head's chain, as far as the head itself tells. */
function isReplaced(seen: readonly BlockReference[], head: BlockReference): boolean {
	const last = seen.at(-1);
	if (!last) return false;
	return last.number > head.number || (last.number === head.number && !equalBytes(last.id, head.id));
}
