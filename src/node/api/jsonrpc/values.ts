/** Primitive values of JSON-RPC: how results are written, and what parameters name by a word (protocol/json-rpc §3). */

import { ADDRESS_LENGTH, addressPrefix } from "../../../protocol/address.js";
import { toHex } from "../../../protocol/bytes.js";
import { type RecordOf, record, since, text } from "./declared-types.js";

/** Bytes of an address without its network prefix. */
export const BARE_ADDRESS_LENGTH = ADDRESS_LENGTH - 1;

/** QUANTITY: a 64-bit value; a negative one as its two's complement. */
export function quantity(value: bigint | number): string {
	return `0x${(typeof value === "number" ? value : BigInt.asUintN(64, value)).toString(16)}`;
}

/** A time as seconds, cut off. */
export function seconds(timestampMs: bigint): string {
	return quantity(timestampMs / 1000n);
}

/** DATA. */
export function data(bytes: Uint8Array): string {
	return `0x${toHex(bytes)}`;
}

/** An address without its network prefix; null where there is none. */
export function addressData(address: Uint8Array): string | null {
	if (address.length === 0) return null;
	return data(address[0] === addressPrefix() ? address.subarray(1) : address);
}

export const ZERO_ADDRESS = `0x${"00".repeat(BARE_ADDRESS_LENGTH)}`;
export const ZERO_HASH_TEXT = `0x${"00".repeat(32)}`;
/** Blooms are never computed. */
export const ZERO_BLOOM = `0x${"00".repeat(256)}`;
/** Of blocks, and of transactions up to release 4.8.1: 8 bytes of DATA, not a QUANTITY. */
export const ZERO_NONCE = `0x${"00".repeat(8)}`;

/** A block by a word. */
export type BlockTag = "latest" | "earliest" | "pending" | "finalized" | "safe";

/** Whether a text names a block by this tag. */
export function isTag(text: string | null, tag: BlockTag): boolean {
	return text?.toLowerCase() === tag;
}

/** Whether a member of a call says nothing: no receiver, no data. */
export function isEmptyHex(text: string | null): boolean {
	return text === null || text === "" || text === "0x";
}

// The object that describes a call (protocol/json-rpc §10). Gas, its price and the nonce are taken and not used.

/** Members of every object that describes a call or a transaction. */
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
