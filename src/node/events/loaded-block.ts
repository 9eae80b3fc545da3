/** A block as events are made of it: with its receipts, and with the state that knows the interfaces of contracts. */

import type { SignedBlock } from "../../protocol/block.js";
import type { Dialect } from "../../protocol/dialect.js";
import type { TransactionInfo } from "../../protocol/messages.js";
import type { StateView } from "../state/view.js";

export interface LoadedBlock {
	readonly block: SignedBlock;
	/** One for each transaction, in order; else they count for nothing. */
	readonly infos: readonly Readonly<TransactionInfo>[];
	/** Must not be kept across an await. */
	readonly state: StateView;
	/** What `latestSolidifiedBlockNumber` says. */
	readonly solidNumber: bigint;
	/** How the network's own words are spelled. */
	readonly dialect: Dialect;
}

/** The chain as the events know it. */
export interface EventChain {
	/** The head state. */
	readonly state: StateView;
	readonly headNumber: number;
	readonly solidNumber: number;
	readonly dialect: Dialect;
	/** A block of the chain by height; undefined: it isn't stored. */
	block(number: number): SignedBlock | undefined;
}

/** A block for work in time slices: the state is the one of the moment in which it is asked. */
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
