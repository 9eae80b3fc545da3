/** Parameters of development methods, in the forms existing tools send (protocol/development-chain §4.4). */

import {
	ADDRESS_LENGTH,
	addressPrefix,
	Base58Error,
	fromBase58Check,
	isAddress,
} from "../../../protocol/address.js";
import { concatBytes, fromHex } from "../../../protocol/bytes.js";
import {
	isRawObject,
	JsonNumber,
	type RawArray,
	type RawObject,
	type RawValue,
} from "../jsonrpc/json-reader.js";
import { INVALID_PARAMS, RpcError } from "../jsonrpc/rpc-error.js";

export function invalidArguments(message = "method parameters invalid"): RpcError {
	return new RpcError(INVALID_PARAMS, message);
}

/** Checks the number of parameters. @throws {RpcError} */
export function checkCount(params: RawArray, least: number, most = least): void {
	if (params.length < least || params.length > most) throw invalidArguments();
}

/** An account: Base58, or 20 or 21 bytes in hex with or without `0x`. @throws {RpcError} */
export function readAccount(value: RawValue | undefined): Uint8Array {
	if (typeof value !== "string") throw invalidArguments();
	const digits = value.replace(/^0x/i, "");
	if (/^([0-9a-f]{40}|[0-9a-f]{42})$/i.test(digits)) {
		const bytes = fromHex(digits);
		if (bytes.length === ADDRESS_LENGTH) {
			if (!isAddress(bytes)) throw invalidArguments("invalid address");
			return bytes;
		}
		return concatBytes(Uint8Array.of(addressPrefix()), bytes);
	}
	if (/^0x/i.test(value) || /^[0-9a-f]*$/i.test(value)) throw invalidArguments("invalid address");
	let bytes: Uint8Array | undefined;
	try {
		bytes = fromBase58Check(value);
	} catch (error) {
		if (!(error instanceof Base58Error)) throw error;
	}
	if (!bytes || !isAddress(bytes)) throw invalidArguments("base58 address decode error");
	return bytes;
}

/** Maximum length of a number's text, including leading zeros. */
const MAX_DIGITS = 100;

/** An integer: a JSON number, decimal text, or `0x` text. @throws {RpcError} */
export function readQuantity(value: RawValue | undefined): bigint {
	const text = value instanceof JsonNumber ? value.text : value;
	if (typeof text !== "string") throw invalidArguments();
	if (text.length > MAX_DIGITS || !/^(-?\d+|0x[0-9a-f]+)$/i.test(text)) {
		throw invalidArguments("integer decode error");
	}
	const number = BigInt(text);
	if (number > 2n ** 63n - 1n || number < -(2n ** 63n)) throw invalidArguments("integer decode error");
	return number;
}

/** As above, but optional. */
export function optionalQuantity(value: RawValue | undefined): bigint | undefined {
	return value === undefined || value === null ? undefined : readQuantity(value);
}

/** A non-negative amount. @throws {RpcError} */
export function readBalance(value: RawValue | undefined): bigint {
	const amount = readQuantity(value);
	if (amount < 0n) throw invalidArguments("balance can not be less than 0");
	return amount;
}

/** Bytes as `0x…`. @throws {RpcError} */
export function readBytes(value: RawValue | undefined): Uint8Array {
	if (typeof value !== "string") throw invalidArguments();
	if (!/^0x/i.test(value)) throw invalidArguments("hex must begin with 0x");
	if (!/^0x([0-9a-f]{2})*$/i.test(value)) throw invalidArguments("hex decode error");
	return fromHex(value.slice(2));
}

/** A 32-byte word: a number, or `0x…` of up to 32 bytes, left-padded. @throws {RpcError} */
export function readWordArgument(value: RawValue | undefined): Uint8Array {
	const isNumber = value instanceof JsonNumber || (typeof value === "string" && /^\d{1,100}$/.test(value));
	const text = isNumber ? BigInt(value instanceof JsonNumber ? value.text : value).toString(16) : value;
	if (typeof text !== "string") throw invalidArguments();
	if (!isNumber && !/^0x/i.test(text)) throw invalidArguments("hex must begin with 0x");
	const digits = text.replace(/^0x/i, "");
	if (!/^[0-9a-f]*$/i.test(digits)) throw invalidArguments("hex decode error");
	if (digits.length > 64) throw invalidArguments("data word should not longer than 32 bytes");
	return fromHex(digits.padStart(64, "0"));
}

export function readBoolean(value: RawValue | undefined): boolean {
	if (typeof value !== "boolean") throw invalidArguments();
	return value;
}

export function readText(value: RawValue | undefined): string {
	if (value instanceof JsonNumber) return value.text;
	if (typeof value !== "string") throw invalidArguments();
	return value;
}

/** An optional object; empty if missing. @throws {RpcError} */
export function readObject(value: RawValue | undefined): RawObject {
	if (value === undefined || value === null) return new Map();
	if (!isRawObject(value)) throw invalidArguments();
	return value;
}

/** A number within JavaScript's safe integer range. */
export function readSafeInteger(
	value: RawValue | undefined,
	least: number,
	most: number,
	message: string,
): number {
	const number = Number(readQuantity(value));
	if (number < least || number > most) throw invalidArguments(message);
	return number;
}
