/** Shared by all note scans: block ranges, time-sliced (protocol/shielded §5.3). */

import type { SignedBlock } from "../../../protocol/block.js";
import { NamedError } from "../../../protocol/json/exceptions.js";
import { blockByNumber } from "../../chain/block-store.js";
import { SLICE_MS, TimeSlice } from "../../scheduling/time-slice.js";
import type { ApiContext } from "../context.js";

const LONGEST = 1_000n;

/** @throws {NamedError} unless the range has 1 to 1000 blocks */
export function checkRange(start: bigint, end: bigint): void {
	if (start >= 0n && end > start && end - start <= LONGEST) return;
	throw new NamedError(
		"BadItemException",
		"request requires start_block_index >= 0 && end_block_index > start_block_index && end_block_index - start_block_index <= 1000",
	);
}

/** Time-slices a request's long work, and ends it once the client has gone. */
export class RequestTurns {
	private readonly turns = new TimeSlice(SLICE_MS);

	constructor(private readonly context: ApiContext) {}

	/** To be called between two steps. @throws {NamedError} if the client has left */
	async step(): Promise<void> {
		if (!this.turns.over) return;
		await this.turns.yield();
		if (this.context.isAbandoned?.()) throw new NamedError("CancellationException", "the client has left");
	}
}

/** The existing blocks of a range, ascending. */
export async function* blocksOf(
	context: ApiContext,
	start: bigint,
	end: bigint,
	turns: RequestTurns,
): AsyncGenerator<SignedBlock> {
	const { node, server } = context;
	for (let number = start; number < end; number++) {
		await turns.step();
		const state = node.view(server);
		if (number > state.properties.headNumber) return;
		const block = blockByNumber(state, number);
		if (block) yield block;
	}
}
