/** What happens on the chain, as filters are given it (protocol/json-rpc §9.4). */

import type { SignedBlock } from "../../../protocol/block.js";
import { blockByNumber, transactionInfosOfBlock } from "../../chain/block-store.js";
import { type ChainObserver, eachBlock } from "../../chain/observers.js";
import type { StateView } from "../../state/view.js";
import type { FilterRegistry } from "./filter-registry.js";

/**
 * Notifies the filters of what happens on the chain (protocol/json-rpc §9.4). After a reorg the logs of the reverted
 * blocks are sent again, as removed, newest block first, then the blocks and logs of the new branch.
 *
 * @param head the state with the newest block
 * @param full filters over it; undefined: none are fed
 * @param solidity filters over solidified blocks
 */
export function feedFilters(
	head: StateView,
	full: FilterRegistry | undefined,
	solidity: FilterRegistry | undefined,
): ChainObserver {
	let lastSolid: bigint | undefined;
	const infosOf = (block: SignedBlock) => transactionInfosOfBlock(head, block.number);
	const solidify = (filters: FilterRegistry): void => {
		const solid = head.properties.get("LATEST_SOLIDIFIED_BLOCK_NUM");
		let number = lastSolid === undefined ? solid : lastSolid + 1n;
		lastSolid = solid;
		if (filters.size === 0) return;
		for (; number <= solid; number++) {
			const block = blockByNumber(head, number);
			if (block) filters.blockApplied(block, infosOf(block));
		}
	};
	return eachBlock({
		committed: ({ block, infos }) => {
			full?.blockApplied(block, infos);
			if (solidity) solidify(solidity);
		},
		reverted: ({ block, infos }) => full?.blockReverted(block, infos),
	});
}
