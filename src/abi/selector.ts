/** The hashes that identify functions, errors and events (the contract ABI specification). */

import { utf8 } from "../protocol/bytes.js";
import { keccak256 } from "../protocol/hash.js";
import { type AbiItem, hashedSignature } from "./parameter.js";

export const SELECTOR_BYTES = 4;

/** The first four bytes of call data or of a custom error. */
export function selectorOf(item: AbiItem): Uint8Array {
	return hashOf(item).subarray(0, SELECTOR_BYTES);
}

/** The first topic of an event's logs. */
export function topicOf(event: AbiItem): Uint8Array {
	return hashOf(event);
}

/** Cached, since interfaces are searched item by item for every call and log. */
const hashes = new WeakMap<AbiItem, Uint8Array>();

function hashOf(item: AbiItem): Uint8Array {
	const known = hashes.get(item);
	if (known) return known;
	const hash = keccak256(utf8(hashedSignature(item)));
	hashes.set(item, hash);
	return hash;
}
