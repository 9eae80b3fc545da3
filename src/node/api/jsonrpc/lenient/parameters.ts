/** Parameters as Ethereum libraries send them, converted to what the network's methods accept. */

import { toHex } from "../../../../protocol/bytes.js";
import type { StateView } from "../../../state/view.js";
import { isRawArray, isRawObject, JsonNumber, type RawObject, type RawValue } from "../json-reader.js";
import type { RpcContext } from "../method.js";
import { invalidParams } from "../rpc-error.js";
import { contextOfBlock } from "../state-block.js";
import { isTag } from "../values.js";

const HEAD = "latest";

/** Call members that have a meaning here; transaction types, access lists and gas bids have none. */
const CALL_MEMBERS = ["from", "to", "gas", "gasPrice", "value", "data", "nonce"];
const FILTER_MEMBERS = ["fromBlock", "toBlock", "address", "topics", "blockHash"];

const textOf = (value: RawValue | undefined): string | undefined =>
	typeof value === "string" ? value : undefined;

/** A block number or tag; `pending` maps to the head, `safe` to the finalized block. */
export function blockTag(value: RawValue | undefined): RawValue {
	const tag = textOf(value)?.toLowerCase();
	if (value === undefined || value === null || tag === "" || tag === "pending") return HEAD;
	return tag === "safe" ? "finalized" : value;
}

/**
 * The context for reading a block's state: the head or the finalized block; any block if the node keeps past states.
 * @throws {RpcError}
 */
export function stateAt(context: RpcContext, value: RawValue | undefined): RpcContext {
	const block = blockTag(value);
	if (isHead(context.state, block)) return context;
	if (context.node.past) return contextOfBlock(context, block instanceof JsonNumber ? block.text : block);
	const text = textOf(block) ?? null;
	if (isTag(text, "finalized")) {
		if (context.server !== "full") return context;
		return { ...context, server: "solidity", state: context.node.view("solidity") };
	}
	throw invalidParams("the state of past blocks is not kept: latest, pending, safe and finalized are");
}

/** Whether a tag, number or object refers to the head: `latest`, its number, its id. */
function isHead(state: StateView, block: RawValue): boolean {
	if (isRawObject(block)) {
		const named = block.get("blockNumber") ?? block.get("blockHash");
		return named !== undefined && isHead(state, named);
	}
	const text = block instanceof JsonNumber ? block.text : textOf(block);
	if (text === undefined) return false;
	if (isTag(text, "latest")) return true;
	const { headNumber, headId } = state.properties;
	if (/^0x[0-9a-f]{64}$/i.test(text)) return text.slice(2).toLowerCase() === toHex(headId);
	return /^(0x[0-9a-f]{1,16}|\d{1,19})$/i.test(text) && BigInt(text) === headNumber;
}

/** Only the members of the network's call object; `input` is an alias of `data`. @throws {RpcError} */
export function callOf(value: RawValue | undefined): RawObject {
	if (!isRawObject(value)) throw invalidParams("the call is not an object");
	const call = pick(value, CALL_MEMBERS);
	const input = value.get("input");
	if (typeof input === "string" && !call.has("data")) call.set("data", input);
	return call;
}

/** Only the members of the network's filter object. @throws {RpcError} */
export function filterOf(value: RawValue | undefined): RawObject {
	if (!isRawObject(value)) throw invalidParams("the filter is not an object");
	const filter = pick(value, FILTER_MEMBERS);
	for (const bound of ["fromBlock", "toBlock"]) {
		const given = filter.get(bound);
		if (given !== undefined) filter.set(bound, blockTag(given));
	}
	const topics = filter.get("topics");
	if (topics !== undefined) filter.set("topics", lenientTopics(topics));
	return filter;
}

/** Topics where `null` among alternatives also matches anything. */
export function lenientTopics(value: RawValue): RawValue {
	if (!isRawArray(value)) return value;
	return value.map((position) => (isRawArray(position) && position.includes(null) ? null : position));
}

/** A filter id. @throws {RpcError} if there is none, where the network's node fails inside */
export function filterId(value: RawValue | undefined): RawValue {
	if (textOf(value)) return value as RawValue;
	throw invalidParams(
		"the id of a filter is missing: a text, as eth_newFilter and eth_newBlockFilter answer it",
	);
}

function pick(object: RawObject, names: readonly string[]): Map<string, RawValue> {
	const picked = new Map<string, RawValue>();
	for (const name of names) {
		const value = object.get(name);
		if (value !== undefined && value !== null) picked.set(name, value);
	}
	return picked;
}
