/** Blocks as clients ask for them: by a text, the newest, ranges with limits (protocol/blocks §6.3). */

import type { SignedBlock } from "../../../protocol/block.js";
import { fromHex, readBe64 } from "../../../protocol/bytes.js";
import { parseInt64, wrap } from "../../../protocol/int64.js";
import type { BlockReq } from "../../../protocol/messages.js";
import { blockById, blockByNumber, blocksFrom, headBlock, type LiveView } from "../../chain/block-store.js";
import type { StateView } from "../../state/view.js";
import type { ApiContext } from "../context.js";

/** Fewer blocks than this can be asked for by {@link latestBlocks}. */
const LATEST_LIMIT = 100n;
/** Most blocks of one {@link blocksBetween}. */
const RANGE_LIMIT = 100n;

/** A text that names no block by id or number. */
export class BlockIdError extends Error {
	override readonly name = "IllegalArgumentException";
}

/**
 * The block that a text names: a number, or an id of 64 hexadecimal digits; empty: the newest. Undefined if this view
 * has no such block.
 * @throws {BlockIdError}
 */
export function blockByIdOrNumber(state: StateView, text: string): SignedBlock | undefined {
	if (text === "") return headBlock(state);
	const head = state.properties.headNumber;
	const number = parseInt64(text);
	if (number !== undefined) {
		if (number < 0n) throw new BlockIdError("num must be non-positive number.");
		return number > head ? undefined : blockByNumber(state, number);
	}
	const id = /^[0-9a-fA-F]{64}$/.test(text) ? fromHex(text) : undefined;
	const named = id ? readBe64(id) : -1n;
	if (!id || named < 0n || named > head) throw new BlockIdError("id must be legal block hash.");
	return blockById(state, id);
}

/** Half of what clients give a transaction to live when they build it on the newest header by themselves. */
const OLDEST_REFERENCE_MS = 30_000n;

/**
 * What `getblock` is asked for. The newest header alone is what client libraries build transactions on, counting their
 * life from its time: a development chain makes a new block first where its head is old (protocol/development-chain §3).
 * @throws {BlockIdError}
 */
export function requestedBlock(
	{ node, server, state }: Pick<ApiContext, "node" | "server" | "state">,
	{ id_or_num, detail }: Pick<BlockReq, "id_or_num" | "detail">,
): SignedBlock | undefined {
	if (id_or_num === "" && !detail && server === "full") node.catchUp(OLDEST_REFERENCE_MS);
	return blockByIdOrNumber(state, id_or_num);
}

/** The newest blocks, ascending; undefined unless 1 to 99 are asked for. Each is read when it is its turn. */
export function latestBlocks(view: LiveView, count: bigint): Iterable<SignedBlock> | undefined {
	if (count <= 0n || count >= LATEST_LIMIT) return undefined;
	const first = view().properties.headNumber - count + 1n;
	return blocksFrom(view, first < 0n ? 0n : first, count);
}

/**
 * Blocks from `start` up to, but not including, `end`; undefined unless 1 to 100 are asked for, counted in 64 bits: from a number far
 * below zero there are none. Each is read when it is its turn.
 */
export function blocksBetween(view: LiveView, start: bigint, end: bigint): Iterable<SignedBlock> | undefined {
	const count = wrap(end - start);
	if (end <= 0n || end <= start || count > RANGE_LIMIT) return undefined;
	return blocksFrom(view, start, count);
}
