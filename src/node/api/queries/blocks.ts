/** Block queries: by text, the newest, bounded ranges (protocol/blocks §6.3). */

import type { SignedBlock } from "../../../protocol/block.js";
import { fromHex, readBe64 } from "../../../protocol/bytes.js";
import { parseInt64, wrap } from "../../../protocol/int64.js";
import type { BlockReq } from "../../../protocol/messages.js";
import { blockById, blockByNumber, blocksFrom, headBlock, type LiveView } from "../../chain/block-store.js";
import type { StateView } from "../../state/view.js";
import type { ApiContext } from "../context.js";

/** {@link latestBlocks} serves fewer blocks than this. */
const LATEST_LIMIT = 100n;
/** Maximum blocks of one {@link blocksBetween}. */
const RANGE_LIMIT = 100n;

/** A text that is neither a block id nor a number. */
export class BlockIdError extends Error {
	override readonly name = "IllegalArgumentException";
}

/**
 * The block for a number or an id of 64 hex digits; the newest for an empty text. Undefined if this view has no such block.
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

/** Half the lifetime that clients give a transaction they build on the newest header themselves. */
const OLDEST_REFERENCE_MS = 30_000n;

/**
 * The block for a `getblock` request. Client libraries build transactions on the newest header alone, with lifetimes counted
 * from its timestamp: a development chain with an old head makes a new block first (protocol/development-chain §3).
 * @throws {BlockIdError}
 */
export function requestedBlock(
	{ node, server, state }: Pick<ApiContext, "node" | "server" | "state">,
	{ id_or_num, detail }: Pick<BlockReq, "id_or_num" | "detail">,
): SignedBlock | undefined {
	if (id_or_num === "" && !detail && server === "full") node.catchUp(OLDEST_REFERENCE_MS);
	return blockByIdOrNumber(state, id_or_num);
}

/** The newest blocks, ascending; undefined unless the count is 1 to 99. Read lazily. */
export function latestBlocks(view: LiveView, count: bigint): Iterable<SignedBlock> | undefined {
	if (count <= 0n || count >= LATEST_LIMIT) return undefined;
	const first = view().properties.headNumber - count + 1n;
	return blocksFrom(view, first < 0n ? 0n : first, count);
}

/**
 * Blocks from `start` up to but excluding `end`; undefined unless the count is 1 to 100, computed in 64 bits,
 * so that it overflows for a `start` far below zero. Read lazily.
 */
export function blocksBetween(view: LiveView, start: bigint, end: bigint): Iterable<SignedBlock> | undefined {
	const count = wrap(end - start);
	if (end <= 0n || end <= start || count > RANGE_LIMIT) return undefined;
	return blocksFrom(view, start, count);
}
