/** Parameters of a URL query or form body, and their parsing (protocol/http §3.5). */

import { fromUtf8 } from "../../protocol/bytes.js";
import { toNeutral } from "../../protocol/dialect.js";
import { MAX_INT64, MIN_INT64, parseInt64 } from "../../protocol/int64.js";
import { NamedError, numberFormat } from "../../protocol/json/exceptions.js";
import { decodeHexText } from "../../protocol/json/hex-text.js";
import type { JsonLibrary } from "../../protocol/json/json-library.js";

/** Decoded parameters, in order. */
export class Parameters {
	private constructor(
		private readonly values: ReadonlyMap<string, readonly string[]>,
		/** What couldn't be read, in the network's words. */
		private readonly malformed: string | undefined,
	) {}

	private static readonly none = new Parameters(new Map(), undefined);

	/** Reads the parameters of a query, followed by those of a form body. */
	static parse(query: string, form = ""): Parameters {
		if (query === "" && form === "") return Parameters.none;
		const values = new Map<string, string[]>();
		let malformed: string | undefined;
		for (const [text, name] of [
			[query, "URI query"],
			[form, "form content"],
		] as const) {
			try {
				addParameters(values, text);
			} catch (error) {
				if (!(error instanceof NamedError)) throw error;
				malformed ??= name;
			}
		}
		return new Parameters(values, malformed);
	}

	get isMalformed(): boolean {
		return this.malformed !== undefined;
	}

	/** The first value of a parameter; null if absent or if the text was malformed. */
	find(name: string): string | null {
		return this.malformed ? null : this.get(name);
	}

	/** The first value of a parameter; null if absent. @throws {NamedError} if the text was malformed */
	get(name: string): string | null {
		if (this.malformed) throw new NamedError("BadMessageException", `400: Unable to parse ${this.malformed}`);
		return this.values.get(name)?.[0] ?? null;
	}
}

/** The members of a form with all their values. @throws {NamedError} if an escape can't be read */
export function readForm(text: string): ReadonlyMap<string, readonly string[]> {
	const values = new Map<string, string[]>();
	addParameters(values, text);
	return values;
}

/**
 * Parses `a=1&b=2`: plus signs are spaces, escapes are UTF-8, names may have either spelling.
 * @throws {NamedError}
 */
function addParameters(values: Map<string, string[]>, text: string): void {
	for (const pair of text.split("&")) {
		if (pair === "") continue;
		const equals = pair.indexOf("=");
		const name = toNeutral(decode(equals < 0 ? pair : pair.slice(0, equals)));
		const value = decode(equals < 0 ? "" : pair.slice(equals + 1));
		const known = values.get(name);
		if (known) known.push(value);
		else values.set(name, [value]);
	}
}

/** @throws {NamedError} for an escape without two digits, or with others than hexadecimal ones */
function decode(text: string): string {
	if (!/[%+]/.test(text)) return text;
	const wrong = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(text)?.[0].replaceAll("+", " ");
	if (wrong !== undefined && wrong.length < 3)
		throw new NamedError("Utf8Appendable$NotUtf8Exception", "Not valid UTF8! Incomplete % encoding");
	if (wrong !== undefined) throw new NamedError("IllegalArgumentException", `Not valid encoding '${wrong}'`);
	// In place, byte by byte, since a client may send a million escapes.
	const bytes = Buffer.from(text, "utf8");
	let length = 0;
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes[at] as number;
		if (byte === PERCENT) {
			bytes[length++] = (digitOf(bytes[at + 1] as number) << 4) | digitOf(bytes[at + 2] as number);
			at += 2;
		} else bytes[length++] = byte === PLUS ? BLANK : byte;
	}
	return fromUtf8(bytes.subarray(0, length));
}

const PERCENT = 0x25;
const PLUS = 0x2b;
const BLANK = 0x20;

/** The value of a hex digit. */
const digitOf = (byte: number): number => (byte & 0x0f) + (byte >= 0x41 ? 9 : 0);

/** A signed 64-bit decimal. @throws {NamedError} NumberFormatException, also for an absent one */
export function parseLong(text: string | null): bigint {
	if (text === null) throw new NamedError("NumberFormatException", null);
	return parseInteger(text, MIN_INT64, MAX_INT64);
}

/** A signed 32-bit decimal. @throws {NamedError} NumberFormatException, also for an absent one */
export function parseInt32(text: string | null): number {
	if (text === null) throw new NamedError("NumberFormatException", null);
	return Number(parseInteger(text, -0x80000000n, 0x7fffffffn));
}

function parseInteger(text: string, least: bigint, most: bigint): bigint {
	const value = parseInt64(text);
	if (value === undefined || value < least || value > most) throw numberFormat(text);
	return value;
}

/**
 * Address bytes from text: Base58Check if visible, otherwise hex. A visible text that isn't an address gives no bytes.
 * @throws {Base58Error | NamedError} for an illegal character; from release 4.8.2 on in hexadecimal alone
 */
export function parseAddressText(text: string | null, visible: boolean, library: JsonLibrary): Uint8Array {
	if (!visible) return decodeHexText(text);
	return library.address(text ?? "") ?? new Uint8Array(0);
}
