/** Parameters of development methods, in the forms that deployed tools send (protocol/development-chain §4.4). */

import {
	ADDRESS_LENGTH,
	addressPrefix,
	Base58Error,
	fromBase58Check,
	isAddress,
} from "../../../protocol/address.js";
import { concatBytes, fromHex } from "../../../protocol/bytes.js";
import {
	isJsonObject,
	type JsonArray,
	JsonNumber,
	type JsonObject,
	type JsonValue,
} from "../jsonrpc/json-reader.js";
import { INVALID_PARAMS, RpcError } from "../jsonrpc/rpc-error.js";

export function invalid(message = "method parameters invalid"): RpcError {
	return new RpcError(INVALID_PARAMS, message);
}

/** Checks how many parameters there are. @throws {RpcError} */
export function checkCount(params: JsonArray, least: number, most = least): void {
	if (params.length < least || params.length > most) throw invalid();
}

/** An account: Base58, or hexadecimal of 20 or 21 bytes with or without `0x`. @throws {RpcError} */
export function readAccount(value: JsonValue | undefined): Uint8Array {
	if (typeof value !== "string") throw invalid();
	const digits = value.replace(/^0x/i, "");
	if (/^([0-9a-f]{40}|[0-9a-f]{42})$/i.test(digits)) {
		const bytes = fromHex(digits);
		if (bytes.length === ADDRESS_LENGTH) {
			if (!isAddress(bytes)) throw invalid("invalid address");
			return bytes;
		}
		return concatBytes(Uint8Array.of(addressPrefix()), bytes);
	}
	if (/^0x/i.test(value) || /^[0-9a-f]*$/i.test(value)) throw invalid("invalid address");
	let bytes: Uint8Array | undefined;
	try {
		bytes = fromBase58Check(value);
	} catch (error) {
		if (!(error instanceof Base58Error)) throw error;
	}
	if (!bytes || !isAddress(bytes)) throw invalid("base58 address decode error");
	return bytes;
}

/** Longest text of a number, zeros in front and all. */
const MAX_DIGITS = 100;

/** A whole number: a JSON number, decimal text, or `0x` text. @throws {RpcError} */
export function readQuantity(value: JsonValue | undefined): bigint {
	const text = value instanceof JsonNumber ? value.text : value;
	if (typeof text !== "string") throw invalid();
	if (text.length > MAX_DIGITS || !/^(-?\d+|0x[0-9a-f]+)$/i.test(text)) {
		throw invalid("integer decode error");
	}
	const number = BigInt(text);
	if (number > 2n ** 63n - 1n || number < -(2n ** 63n)) throw invalid("integer decode error");
	return number;
}

/** The same where it may be missing. */
export function optionalQuantity(value: JsonValue | undefined): bigint | undefined {
	return value === undefined || value === null ? undefined : readQuantity(value);
}

/** An amount that can't be negative. @throws {RpcError} */
export function readBalance(value: JsonValue | undefined): bigint {
	const amount = readQuantity(value);
	if (amount < 0n) throw invalid("balance can not be less than 0");
	return amount;
}

/** Bytes as `0x…`. @throws {RpcError} */
export function readBytes(value: JsonValue | undefined): Uint8Array {
	if (typeof value !== "string") throw invalid();
	if (!/^0x/i.test(value)) throw invalid("hex must begin with 0x");
	if (!/^0x([0-9a-f]{2})*$/i.test(value)) throw invalid("hex decode error");
	return fromHex(value.slice(2));
}

/** A word of 32 bytes: a number, or `0x…` of up to 32 bytes, filled up at the left. @throws {RpcError} */
export function readWord(value: JsonValue | undefined): Uint8Array {
	const isNumber = value instanceof JsonNumber || (typeof value === "string" && /^\d{1,100}$/.test(value));
	const text = isNumber ? BigInt(value instanceof JsonNumber ? value.text : value).toString(16) : value;
	if (typeof text !== "string") throw invalid();
	if (!isNumber && !/^0x/i.test(text)) throw invalid("hex must begin with 0x");
	const digits = text.replace(/^0x/i, "");
	if (!/^[0-9a-f]*$/i.test(digits)) throw invalid("hex decode error");
	if (digits.length > 64) throw invalid("data word should not longer than 32 bytes");
	return fromHex(digits.padStart(64, "0"));
}

export function readBoolean(value: JsonValue | undefined): boolean {
	if (typeof value !== "boolean") throw invalid();
	return value;
}

export function readText(value: JsonValue | undefined): string {
	if (value instanceof JsonNumber) return value.text;
	if (typeof value !== "string") throw invalid();
	return value;
}

/** An object that may be missing: then one without members. @throws {RpcError} */
export function readObject(value: JsonValue | undefined): JsonObject {
	if (value === undefined || value === null) return new Map();
	if (!isJsonObject(value)) throw invalid();
	return value;
}

/** A number that JavaScript holds exactly. */
export function readSafeInteger(
	value: JsonValue | undefined,
	least: number,
	most: number,
	message: string,
): number {
	const number = Number(readQuantity(value));
	if (number < least || number > most) throw invalid(message);
	return number;
}
