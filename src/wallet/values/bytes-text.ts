/** Byte strings and memos as people write them (protocol/command-line §1.3). */

import { fromHex, utf8 } from "../../protocol/bytes.js";
import { Failure } from "../failure.js";

/**
 * Reads hexadecimal digits, with or without `0x`.
 * @throws {Failure} `bad_value`
 */
export function parseHexBytes(text: string): Uint8Array {
	const digits = text.trim().replace(/^0x/i, "");
	if (!/^[0-9a-fA-F]*$/.test(digits)) throw new Failure("bad_value", `"${shorten(text)}" is not hexadecimal`);
	if (digits.length % 2 !== 0) {
		throw new Failure(
			"bad_value",
			`"${shorten(text)}" has ${digits.length} hexadecimal digits, an odd number`,
		);
	}
	return fromHex(digits);
}

/** Shortens a long value for a message to its beginning. */
export function shorten(text: string): string {
	return text.length <= 48 ? text : `${text.slice(0, 45)}...`;
}

/** A memo as typed: text, or bytes as `0x…`. @throws {Failure} `bad_value` */
export function memoBytes(memo: string | undefined): Uint8Array | undefined {
	if (memo === undefined) return undefined;
	return /^0x/i.test(memo) ? parseHexBytes(memo) : utf8(memo);
}
