/** Members of the objects describing a simulation: each value in all the forms clients use. */

import { visibleAddress } from "../../../../protocol/address.js";
import { fromHex } from "../../../../protocol/bytes.js";
import { MAX_INT64 } from "../../../../protocol/int64.js";
import {
	isRawArray,
	isRawObject,
	JsonNumber,
	type RawArray,
	type RawObject,
	type RawValue,
} from "../json-reader.js";
import { asWord, fullAddress } from "../readings.js";
import { invalidParams } from "../rpc-error.js";

/** An object and its path, so that errors can say where. */
export class Members {
	constructor(
		private readonly object: RawObject,
		/** Empty for the root. */
		readonly path: string,
	) {}

	/** @throws {RpcError} unless it is an object */
	static of(value: RawValue | undefined, path: string): Members {
		if (!isRawObject(value)) return wrong(path, "an object");
		return new Members(value, path);
	}

	/** Rejects unknown members, which would be ignored. @throws {RpcError} */
	only(...names: readonly string[]): this {
		for (const name of this.object.keys()) {
			if (!names.includes(name)) throw invalidParams(`unknown member ${quoted(this.pathOf(name))}`);
		}
		return this;
	}

	/** Undefined if absent or null. */
	get(name: string): RawValue | undefined {
		return this.object.get(name) ?? undefined;
	}

	has(name: string): boolean {
		return this.get(name) !== undefined;
	}

	pathOf(name: string): string {
		return this.path === "" ? name : `${this.path}.${name}`;
	}

	flag(name: string, absent = false): boolean {
		const value = this.get(name);
		if (value === undefined) return absent;
		return typeof value === "boolean" ? value : wrong(this.pathOf(name), "true or false");
	}

	/** A non-negative integer: `0x…`, decimal digits, or a JSON number. */
	amount(name: string, most = MAX_INT64): bigint | undefined {
		const value = this.get(name);
		return value === undefined ? undefined : amountMember(value, this.pathOf(name), most);
	}

	/** 21 bytes. */
	address(name: string): Uint8Array | undefined {
		const value = this.get(name);
		return value === undefined ? undefined : addressMember(value, this.pathOf(name));
	}

	bytes(name: string): Uint8Array | undefined {
		const value = this.get(name);
		return value === undefined ? undefined : bytesMember(value, this.pathOf(name));
	}

	child(name: string): Members | undefined {
		const value = this.get(name);
		return value === undefined ? undefined : Members.of(value, this.pathOf(name));
	}

	list(name: string): RawArray {
		const value = this.get(name);
		if (value === undefined) return [];
		return isRawArray(value) ? value : wrong(this.pathOf(name), "a list");
	}

	/** The members with their names. */
	entries(): readonly (readonly [name: string, value: RawValue])[] {
		return [...this.object];
	}
}

/** Truncates quotes from a request. */
const quoted = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)}…` : text);

function wrong(path: string, what: string): never {
	throw invalidParams(`${quoted(path) || "the parameter"} must be ${what}`);
}

/** The largest 256-bit number. */
export const MAX_WORD = (1n << 256n) - 1n;

const NUMBER = /^(?:0x[0-9a-f]{1,64}|\d{1,78})$/i;

export function amountMember(value: RawValue, path: string, most = MAX_INT64): bigint {
	const text = value instanceof JsonNumber ? value.text : value;
	const amount = typeof text === "string" && NUMBER.test(text) ? BigInt(text) : undefined;
	return amount !== undefined && amount <= most ? amount : wrong(path, `a whole number from 0 to ${most}`);
}

/** 20 or 21 bytes in hex, or Base58Check. */
export function addressMember(value: RawValue, path: string): Uint8Array {
	if (typeof value !== "string" || value.length > 44) return wrong(path, "an address");
	const visible = visibleAddress(value);
	if (visible) return visible;
	const digits = value.replace(/^0x/i, "");
	const address = /^(?:[0-9a-f]{2}){20,21}$/i.test(digits) ? fullAddress(fromHex(digits)) : undefined;
	return address ?? wrong(path, "an address");
}

export function bytesMember(value: RawValue, path: string): Uint8Array {
	const digits = typeof value === "string" ? value.replace(/^0x/i, "") : undefined;
	if (digits === undefined || !/^(?:[0-9a-f]{2})*$/i.test(digits)) return wrong(path, "bytes in hexadecimal");
	return fromHex(digits);
}

/** A 32-byte word, left-padded with zeros. */
export function wordMember(value: RawValue, path: string): Uint8Array {
	const digits = typeof value === "string" ? value.replace(/^0x/i, "") : undefined;
	if (digits === undefined || !/^[0-9a-f]{0,64}$/i.test(digits))
		return wrong(path, "up to 32 bytes in hexadecimal");
	return asWord(fromHex(digits.padStart(64, "0")));
}

/** A request's value converted back to JSON text, for readers of text. */
export function membersText(value: RawValue | Members): string {
	if (value instanceof Members)
		return objectText(value.entries().map(([name, each]) => [name, membersText(each)]));
	if (value instanceof JsonNumber) return value.text;
	if (isRawArray(value)) return `[${value.map((each) => membersText(each)).join(",")}]`;
	if (isRawObject(value)) return objectText([...value].map(([name, each]) => [name, membersText(each)]));
	return JSON.stringify(value);
}

/** An object whose member values are already JSON text. */
export function objectText(members: readonly (readonly [name: string, text: string])[]): string {
	return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}
