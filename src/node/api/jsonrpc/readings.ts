/** Shared by the parameter readers of all releases. */

import { addressFromHash, isAddress } from "../../../protocol/address.js";
import { wrap } from "../../../protocol/int64.js";
import { NamedError } from "../../../protocol/json/exceptions.js";
import { decodeHexText } from "../../../protocol/json/hex-text.js";
import { invalidParams } from "./rpc-error.js";
import { BARE_ADDRESS_LENGTH } from "./values.js";

export const WORD_LENGTH = 32;
const INT64_HEX_DIGITS = 16;

/** Hex bytes, where undecodable text is an invalid parameter. @throws {RpcError} */
export function readHexParameter(text: string | null): Uint8Array {
	try {
		return decodeHexText(text);
	} catch (error) {
		if (error instanceof NamedError) throw invalidParams(error.message);
		throw error;
	}
}

/** Hex bytes; undefined if the text has other characters. */
export function optionalHex(text: string): Uint8Array | undefined {
	try {
		return decodeHexText(text);
	} catch (error) {
		if (error instanceof NamedError) return undefined;
		throw error;
	}
}

/** An address from 20 or 21 bytes; undefined if invalid. */
export function fullAddress(bytes: Uint8Array): Uint8Array | undefined {
	const address = bytes.length === BARE_ADDRESS_LENGTH ? addressFromHash(bytes) : bytes;
	return isAddress(address) ? address : undefined;
}

/** `0x`, optional sign, digits: a 64-bit number; undefined if invalid. */
export function parseHexInt64(text: string): bigint | undefined {
	const match = /^0x([+-]?)([0-9a-fA-F]+)$/.exec(text);
	const digits = match?.[2]?.replace(/^0+(?=.)/, "");
	if (digits === undefined || digits.length > INT64_HEX_DIGITS) return undefined;
	const magnitude = BigInt(`0x${digits}`);
	const value = match?.[1] === "-" ? -magnitude : magnitude;
	return value === wrap(value) ? value : undefined;
}

/** An amount; 0 if missing. @throws {RpcError} */
export function readAmount(text: string | null | undefined): bigint {
	if (!text) return 0n;
	const value = parseHexInt64(text);
	if (value === undefined) throw invalidParams("invalid param value: invalid hex number");
	return value;
}

/** An index as given, which may be negative. @throws {RpcError} */
export function readIndex(text: string | null): number {
	const value = text === null ? undefined : parseHexInt64(text);
	if (value === undefined || value !== BigInt.asIntN(32, value)) throw invalidParams("invalid index value");
	return Number(value);
}

/** A 32-byte word, left-padded with zeros. */
export function asWord(bytes: Uint8Array): Uint8Array {
	const word = new Uint8Array(WORD_LENGTH);
	word.set(bytes, WORD_LENGTH - bytes.length);
	return word;
}
