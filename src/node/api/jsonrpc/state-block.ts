/**
 * The block whose state a call reads (protocol/json-rpc §4). The network's node only knows the head's; with
 * `node.history.state` it can be any block of the chain.
 */

import { atBlock, blockAt, blockOfId, type PastBlock, PastBlockError } from "../at-block.js";
import { readersOf } from "./answers.js";
import { isRawObject, type RawValue } from "./json-reader.js";
import type { RpcContext } from "./method.js";
import { internal, invalidParams, invalidRequest } from "./rpc-error.js";
import { isTag } from "./values.js";

/** The call's context at the block for a tag or number. @throws {RpcError} */
export function contextOfTag(context: RpcContext, tag: string | null): RpcContext {
	if (isTag(tag, "latest")) return context;
	if (!context.node.past) return refuseTag(context, tag);
	const { state } = context;
	// Pending transactions are part of the newest state.
	if (isTag(tag, "pending")) return context;
	return past(context, () => {
		if (isTag(tag, "earliest")) return blockAt(state, 0n);
		if (isTag(tag, "finalized") || isTag(tag, "safe")) {
			return blockAt(state, state.properties.get("LATEST_SOLIDIFIED_BLOCK_NUM"));
		}
		return blockAt(state, readersOf(context).blockNumber(tag));
	});
}

/** Only the head's state is available. @throws {RpcError} */
function refuseTag(context: RpcContext, tag: string | null): never {
	const readers = readersOf(context);
	const { pastStates } = readers;
	if (pastStates.some((past) => isTag(tag, past))) {
		throw invalidParams(`TAG [${pastStates.join(" | ")}] not supported`);
	}
	readers.blockNumber(tag);
	throw invalidParams("QUANTITY not supported, just support TAG as latest");
}

/**
 * Likewise for a tag, a number, or an object with `blockNumber` or `blockHash`. Without past states, such an
 * object only has to refer to an existing block, and the call reads the head. `requireCanonical` has no
 * effect, since only canonical blocks have state.
 * @throws {RpcError}
 */
export function contextOfBlock(context: RpcContext, block: RawValue): RpcContext {
	if (typeof block === "string") return contextOfTag(context, block);
	const readers = readersOf(context);
	const { state, node } = context;
	const number = isRawObject(block) ? block.get("blockNumber") : undefined;
	const hash = isRawObject(block) ? block.get("blockHash") : undefined;
	if (number !== undefined) {
		const named = found("header not found", () => blockAt(state, readers.blockNumber(textMember(number))));
		return node.past ? past(context, () => named) : context;
	}
	if (hash !== undefined) {
		const id = readers.hash(textMember(hash));
		const named = found("header for hash not found", () => blockOfId(state, id));
		return node.past ? past(context, () => named) : context;
	}
	throw invalidRequest("invalid json request");
}

function textMember(value: RawValue): string | null {
	if (value !== null && typeof value !== "string") throw invalidParams("invalid json request");
	return value;
}

function found(refusal: string, find: () => PastBlock): PastBlock {
	try {
		return find();
	} catch (error) {
		if (error instanceof PastBlockError) throw internal(refusal);
		throw error;
	}
}

/** @throws {RpcError} with the reason why the state of the block isn't known */
function past(context: RpcContext, find: () => PastBlock): RpcContext {
	try {
		return atBlock(context, find());
	} catch (error) {
		if (error instanceof PastBlockError) throw internal(error.message);
		throw error;
	}
}
