/** Primitive values of JSON-RPC: writing results, and block tags in parameters (protocol/json-rpc §3). */

import { ADDRESS_LENGTH, addressPrefix } from "../../../protocol/address.js";
import { toHex } from "../../../protocol/bytes.js";
import { type RecordOf, record, since, text } from "./declared-types.js";

/** Length of an address without its network prefix, in bytes. */
export const BARE_ADDRESS_LENGTH = ADDRESS_LENGTH - 1;

/** QUANTITY: a 64-bit value, negative ones in two's complement. */
export function quantity(value: bigint | number): string {
	return `0x${(typeof value === "number" ? value : BigInt.asUintN(64, value)).toString(16)}`;
}

/** A timestamp in seconds, truncated. */
export function seconds(timestampMs: bigint): string {
	return quantity(timestampMs / 1000n);
}

/** DATA. */
export function data(bytes: Uint8Array): string {
	return `0x${toHex(bytes)}`;
}

/** An address without its network prefix; null if there is none. */
export function addressData(address: Uint8Array): string | null {
	if (address.length === 0) return null;
	return data(address[0] === addressPrefix() ? address.subarray(1) : address);
}

export const ZERO_ADDRESS = `0x${"00".repeat(BARE_ADDRESS_LENGTH)}`;
export const ZERO_HASH_TEXT = `0x${"00".repeat(32)}`;
/** Blooms are never computed. */
export const ZERO_BLOOM = `0x${"00".repeat(256)}`;
/** For blocks, and for transactions up to release 4.8.1: 8 bytes of DATA, not a QUANTITY. */
export const ZERO_NONCE = `0x${"00".repeat(8)}`;

/** Block tags. */
export type BlockTag = "latest" | "earliest" | "pending" | "finalized" | "safe";

/** Whether a text is this block tag. */
export function isTag(text: string | null, tag: BlockTag): boolean {
	return text?.toLowerCase() === tag;
}

/** Whether a call member is blank: no receiver, no data. */
export function isEmptyHex(text: string | null): boolean {
	return text === null || text === "" || text === "0x";
}

// The call object (protocol/json-rpc §10). Gas, gas price and nonce are accepted but ignored.

/** Members of all objects that describe a call or a transaction. */
export const callObjectMembers = {
	from: text,
	to: text,
	gas: text,
	gasPrice: text,
	value: text,
	data: text,
	nonce: text,
	input: since("4.8.2", text),
};

export const callObject = record(callObjectMembers);
export type CallObject = RecordOf<typeof callObjectMembers>;
