/**
 * Requests for the state after a past block (protocol/http §5.4), on nodes with `node.history.state`.
 * Handlers need no changes: the node they see is at that block, including its parameters, time and forks.
 */

import { equalBytes, fromHex, readBe64 } from "../../protocol/bytes.js";
import { NamedError } from "../../protocol/json/exceptions.js";
import { blockIdAt } from "../chain/block-store.js";
import type { StateView } from "../state/view.js";
import type { ApiContext, ApiNode, PastStates } from "./context.js";

/** A block of the chain. */
export interface PastBlock {
	readonly number: bigint;
	readonly id: Uint8Array;
}

/** No block number has more digits. */
const NUMBER = /^(?:\d{1,18}|0x[0-9a-f]{1,15})$/i;
const ID = /^(?:0x)?[0-9a-f]{64}$/i;

/** The state of a block isn't available; the message goes to the client. */
export class PastBlockError extends NamedError {
	constructor(message: string) {
		super("IllegalArgumentException", message);
	}
}

/**
 * Resolves a block tag: a number (decimal, or hex with 0x), an id, `earliest`, `finalized` or `latest`.
 * @returns undefined for `latest`: the request's own state serves it
 * @throws {PastBlockError}
 */
export function blockNamed({ state }: ApiContext, text: string): PastBlock | undefined {
	const { properties } = state;
	switch (text.toLowerCase()) {
		case "latest":
			return undefined;
		case "earliest":
			return blockAt(state, 0n);
		case "finalized":
			return blockAt(state, properties.get("LATEST_SOLIDIFIED_BLOCK_NUM"));
	}
	if (ID.test(text)) return blockOfId(state, fromHex(text.slice(-64)));
	if (!NUMBER.test(text)) {
		throw new PastBlockError(
			"block is neither a number nor an id of 64 digits, latest, earliest or finalized",
		);
	}
	return blockAt(state, BigInt(text));
}

/** The block at a height. @throws {PastBlockError} */
export function blockAt(state: StateView, number: bigint): PastBlock {
	const id = blockIdAt(state, number);
	if (!id || number > state.properties.headNumber) throw new PastBlockError(`there is no block ${number}`);
	return { number, id };
}

/** The block with an id, if it is on the main chain. @throws {PastBlockError} */
export function blockOfId(state: StateView, id: Uint8Array): PastBlock {
	const number = readBe64(id);
	const own = blockIdAt(state, number);
	if (!own || !equalBytes(own, id)) throw new PastBlockError("the chain has no block of this id");
	return { number, id };
}

/** The same request against the state after a block. @throws {PastBlockError} if the node doesn't have it */
export function atBlock<C extends ApiContext>(context: C, block: PastBlock): C {
	const { past } = context.node;
	if (!past) throw new PastBlockError("this node keeps no state of past blocks: node.history.state is off");
	const view = (): StateView => stateOf(past, block);
	const node = Object.create(context.node, {
		view: { value: view },
		forks: { value: (state: StateView) => past.forks(state) },
	}) as ApiNode;
	return { ...context, node, state: view() };
}

/**
 * The state after a block. Call it again after an await, since the chain may have moved on.
 * @throws {PastBlockError} if it isn't known, or no more
 */
export function stateOf(past: PastStates, { number, id }: PastBlock): StateView {
	const state = past.at(number);
	if (!state) {
		throw new PastBlockError(
			number < past.first
				? `the history of the state begins with block ${past.first}`
				: `the state of block ${number} is not known`,
		);
	}
	if (!equalBytes(state.properties.headId, id)) {
		throw new PastBlockError(`block ${number} is on another branch by now`);
	}
	return state;
}
