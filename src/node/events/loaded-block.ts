/** A block with its receipts and the state that has the contracts' ABIs: the input of event building. */

import type { SignedBlock } from "../../protocol/block.js";
import type { Dialect } from "../../protocol/dialect.js";
import type { TransactionInfo } from "../../protocol/messages.js";
import type { StateView } from "../state/view.js";

export interface LoadedBlock {
	readonly block: SignedBlock;
	/** One per transaction, in order; ignored if the lengths differ. */
	readonly infos: readonly Readonly<TransactionInfo>[];
	/** Must not be kept across an await. */
	readonly state: StateView;
	/** Published as `latestSolidifiedBlockNumber`. */
	readonly solidNumber: bigint;
	/** Spelling of the network's own words. */
	readonly dialect: Dialect;
}

/** The chain as the event services see it. */
export interface EventChain {
	/** The head state. */
	readonly state: StateView;
	readonly headNumber: number;
	readonly solidNumber: number;
	readonly dialect: Dialect;
	/** A block of the chain by height; undefined if it isn't stored. */
	block(number: number): SignedBlock | undefined;
}

/** A block for time-sliced work: `state` is read on each access. */
export function loadedBlock(
	chain: EventChain,
	{ block, infos }: Pick<LoadedBlock, "block" | "infos">,
	solidNumber: bigint,
): LoadedBlock {
	return {
		block,
		infos,
		get state() {
			return chain.state;
		},
		solidNumber,
		dialect: chain.dialect,
	};
}
