/** Primitive values of JSON-RPC: how parameters are read and results are written (protocol/json-rpc §3). */

import { ADDRESS_LENGTH, addressFromHash, addressPrefix, isAddress } from "../../../protocol/address.js";
import { toHex } from "../../../protocol/bytes.js";
import { parseWrapped, wrap } from "../../../protocol/int64.js";
import { NamedError, nullPointer, numberFormat } from "../../../protocol/json/exceptions.js";
import { decodeHexText } from "../../../protocol/json/hex-text.js";
import { invalidParams } from "./rpc-error.js";

const BARE_ADDRESS_LENGTH = ADDRESS_LENGTH - 1;
const INT64_HEX_DIGITS = 16;

/** QUANTITY: a 64-bit value; a negative one as its two's complement. */
export function quantity(value: bigint | number): string {
	return `0x${(typeof value === "number" ? value : BigInt.asUintN(64, value)).toString(16)}`;
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
export const ZERO_HASH = `0x${"00".repeat(32)}`;
/** Blooms are never computed. */
export const ZERO_BLOOM = `0x${"00".repeat(256)}`;
/** Nonces are 8 bytes of DATA, not a QUANTITY. */
export const ZERO_NONCE = `0x${"00".repeat(8)}`;

/** Bytes in hexadecimal where undecodable text is an invalid parameter. @throws {RpcError} */
function hexParameter(text: string | null): Uint8Array {
	try {
		return decodeHexText(text);
	} catch (error) {
		if (error instanceof NamedError) throw invalidParams(error.message);
		throw error;
	}
}

/** A block or transaction id. @throws {RpcError | NamedError} */
export function readHash(text: string | null): Uint8Array {
	if (text === null) throw nullPointer();
	if (!/^(?:0x)?[a-zA-Z0-9]{64}$/.test(text)) throw invalidParams("invalid hash value");
	return hexParameter(text);
}

/** An address with or without its network prefix; in Base58 it is refused. @throws {RpcError} */
export function readAddress(text: string | null): Uint8Array {
	const bytes = hexParameter(text);
	const address = bytes.length === BARE_ADDRESS_LENGTH ? addressFromHash(bytes) : bytes;
	if (!isAddress(address)) throw invalidParams("invalid address hash value");
	return address;
}

function parseHexInt64(text: string): bigint | undefined {
	const match = /^0x([+-]?)([0-9a-fA-F]+)$/.exec(text);
	const digits = match?.[2]?.replace(/^0+(?=.)/, "");
	if (digits === undefined || digits.length > INT64_HEX_DIGITS) return undefined;
	const magnitude = BigInt(`0x${digits}`);
	const value = match?.[1] === "-" ? -magnitude : magnitude;
	return value === wrap(value) ? value : undefined;
}

/** A block's number, hexadecimal or decimal; of a larger one the low 64 bits. @throws {RpcError} */
export function readBlockNumber(text: string | null): bigint {
	const value = text?.startsWith("0x") ? parseWrapped(text.slice(2), 16) : parseWrapped(text ?? "", 10);
	if (value === undefined) throw invalidParams("invalid block number");
	return value;
}

/** A bound of a log filter: hexadecimal only. @throws {RpcError | NamedError} */
export function readFilterBound(text: string): bigint {
	if (!text.startsWith("0x")) throw invalidParams("Incorrect hex syntax");
	const value = parseHexInt64(text);
	if (value === undefined) throw numberFormat(text.slice(2));
	return value;
}

/** An amount; 0 where it is missing. @throws {RpcError} */
export function readQuantity(text: string | null | undefined): bigint {
	if (!text) return 0n;
	const value = parseHexInt64(text);
	if (value === undefined) throw invalidParams("invalid param value: invalid hex number");
	return value;
}

/** A transaction's place in its block. @throws {RpcError} */
export function readIndex(text: string | null): number {
	const value = text === null ? undefined : parseHexInt64(text);
	if (value === undefined || value !== BigInt.asIntN(32, value)) throw invalidParams("invalid index value");
	return Number(value);
}

/** Whether a text names a block by this tag. */
export function isTag(text: string | null, tag: "latest" | "earliest" | "pending" | "finalized"): boolean {
	return text?.toLowerCase() === tag;
}

export function pendingRefused(): Error {
	return invalidParams("TAG pending not supported");
}

/** Whether a member of a call says nothing: no receiver, no data. */
export function isNothing(text: string | null): boolean {
	return text === null || text === "" || text === "0x";
}
