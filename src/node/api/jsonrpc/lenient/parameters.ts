/** Parameters as Ethereum's libraries send them, made such as the network's methods take. */

import { toHex } from "../../../../protocol/bytes.js";
import type { StateView } from "../../../state/view.js";
import { isRawArray, isRawObject, JsonNumber, type RawObject, type RawValue } from "../json-reader.js";
import type { RpcContext } from "../method.js";
import { invalidParams } from "../rpc-error.js";
import { contextOfBlock } from "../state-block.js";
import { isTag } from "../values.js";

const HEAD = "latest";

/** Members of a call that say something here; types, lists of accesses and bids for gas don't. */
const CALL_MEMBERS = ["from", "to", "gas", "gasPrice", "value", "data", "nonce"];
const FILTER_MEMBERS = ["fromBlock", "toBlock", "address", "topics", "blockHash"];

const textOf = (value: RawValue | undefined): string | undefined =>
	typeof value === "string" ? value : undefined;

/** A block's number or tag: the next block is the head, and a safe block is an irreversible one. */
export function blockTag(value: RawValue | undefined): RawValue {
	const tag = textOf(value)?.toLowerCase();
	if (value === undefined || value === null || tag === "" || tag === "pending") return HEAD;
	return tag === "safe" ? "finalized" : value;
}

/**
 * The context in which the state of a block is read: the head's, or the irreversible one; any, where the node keeps past
 * states.
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

/** Whether a tag, number or object names the head: `latest`, its number, its id. */
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

/** Only what the network's call object has; `input` is another name of `data`. @throws {RpcError} */
export function callOf(value: RawValue | undefined): RawObject {
	if (!isRawObject(value)) throw invalidParams("the call is not an object");
	const call = pick(value, CALL_MEMBERS);
	const input = value.get("input");
	if (typeof input === "string" && !call.has("data")) call.set("data", input);
	return call;
}

/** Only what the network's filter has. @throws {RpcError} */
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

/** Topics in which `null` means any also where it stands among alternatives. */
export function lenientTopics(value: RawValue): RawValue {
	if (!isRawArray(value)) return value;
	return value.map((position) => (isRawArray(position) && position.includes(null) ? null : position));
}

/** The id of a filter. @throws {RpcError} if there is none, where the network's node fails inside */
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
