/** Hex text as clients may write it (protocol/http §3.3, §3.5). */

import { NamedError } from "./exceptions.js";

const BAD = "invalid characters encountered in Hex string";

function isIgnored(ch: string): boolean {
	return ch === "\n" || ch === "\r" || ch === "\t" || ch === " ";
}

function hexError(reason: string): NamedError {
	return new NamedError("DecoderException", `exception decoding Hex string: ${reason}`);
}

/**
 * Any case, optional `0x`, odd lengths zero-padded on the left, blanks between digits ignored. Null and empty
 * text give no bytes.
 * @throws {NamedError} DecoderException
 */
export function decodeHexText(text: string | null): Uint8Array {
	if (!text) return new Uint8Array(0);
	let digits = text.startsWith("0x") ? text.slice(2) : text;
	if (digits.length % 2 !== 0) digits = `0${digits}`;
	return decodePlainHex(digits);
}

/** Pairs of digits, no prefix; ignores blanks, rejects odd lengths. @throws {NamedError} DecoderException */
export function decodePlainHex(digits: string): Uint8Array {
	if (/^(?:[0-9a-fA-F]{2})*$/.test(digits)) return Buffer.from(digits, "hex");
	const solid = digits.replace(/[ \t\r\n]+/g, "");
	if (solid.length < digits.length && /^(?:[0-9a-fA-F]{2})+$/.test(solid)) return Buffer.from(solid, "hex");
	return decodeOddHex(digits);
}

/** Slow path: text without digits, or with an error to report. */
function decodeOddHex(digits: string): Uint8Array {
	let end = digits.length;
	while (end > 0 && isIgnored(digits.charAt(end - 1))) end--;
	const compact: string[] = [];
	for (let i = 0; i < end; i++) {
		const ch = digits.charAt(i);
		if (isIgnored(ch)) continue;
		if (ch > "\u007f") throw hexError(`Index ${ch.charCodeAt(0)} out of bounds for length 128`);
		const isSecond = compact.push(ch) % 2 === 0;
		if (isSecond && !/^[0-9a-fA-F]{2}$/.test(`${compact.at(-2)}${ch}`)) throw hexError(BAD);
	}
	if (compact.length % 2 !== 0) {
		throw hexError(end < digits.length ? BAD : `String index out of range: ${digits.length}`);
	}
	return Buffer.from(compact.join(""), "hex");
}
