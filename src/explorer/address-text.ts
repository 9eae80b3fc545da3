/** Addresses as nodes and users write them, without Node.js APIs (protocol/blocks §1.1). */

import { sha256 } from "@noble/hashes/sha2.js";
import { base58 } from "@scure/base";
import type { LayoutAddresses } from "../abi/storage-layout.js";

const PREFIX = 0x41;
const LENGTH = 21;
const CHECKSUM = 4;

/** The bytes of hexadecimal digits, with `0x` or without; undefined for other text. */
export function bytesOf(text: string): Uint8Array | undefined {
	const digits = text.replace(/^0x/i, "");
	if (digits.length % 2 !== 0 || !/^[\da-f]*$/i.test(digits)) return undefined;
	const pairs = digits.match(/../g) ?? [];
	return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16));
}

/** Hexadecimal digits in lower case, without `0x`. */
export function hexOf(bytes: Uint8Array): string {
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function checksum(bytes: Uint8Array): Uint8Array {
	return sha256(sha256(bytes)).subarray(0, CHECKSUM);
}

/** Base58Check of an address of 20 or 21 bytes. */
function base58Of(bytes: Uint8Array): string {
	const address = bytes.length === LENGTH ? bytes : Uint8Array.of(PREFIX, ...bytes);
	return base58.encode(Uint8Array.of(...address, ...checksum(address)));
}

/**
 * Converts an address to its usual text form.
 * @param text Base58Check, 42 hexadecimal digits, or 40, each also with `0x`
 * @returns Base58Check; undefined if it isn't an address
 */
export function addressText(text: string): string | undefined {
	if (/^[1-9A-HJ-NP-Za-km-z]{34}$/.test(text)) return hexAddress(text) === undefined ? undefined : text;
	const bytes = text.length <= 2 + 2 * LENGTH ? bytesOf(text) : undefined;
	if (bytes?.length === LENGTH - 1) return base58Of(bytes);
	return bytes?.length === LENGTH && bytes[0] === PREFIX ? base58Of(bytes) : undefined;
}

/** The 42 hexadecimal digits of an address in Base58Check; undefined if the checksum is wrong. */
export function hexAddress(text: string): string | undefined {
	if (!/^[1-9A-HJ-NP-Za-km-z]{34}$/.test(text)) return undefined;
	const bytes = base58.decode(text);
	if (bytes.length !== LENGTH + CHECKSUM || bytes[0] !== PREFIX) return undefined;
	const body = bytes.subarray(0, LENGTH);
	return hexOf(checksum(body)) === hexOf(bytes.subarray(LENGTH)) ? hexOf(body) : undefined;
}

/** How the page reads and writes addresses in the storage of contracts. */
export const ADDRESS_FORMS: LayoutAddresses = {
	read: (text) => hexAddress(addressText(text) ?? "")?.slice(2),
	write: (digits) => addressText(digits) ?? `0x${digits}`,
};
