/** Integers of the field decoder: decimal, `0x` hexadecimal, and octal after a leading zero (protocol/http §3.3). */

/** The text is not an integer, or out of range; the message is what clients read after `Couldn't parse integer: `. */
export class IntegerTextError extends Error {
	override readonly name = "IntegerTextError";
}

/** Longest text that is read as a machine integer; longer ones are checked group by group. */
const SHORT = 15;
/** More than a 64-bit integer has in any radix. */
const MAX_DIGITS = 25;
const BEYOND = 1n << 70n;
const GROUP: Readonly<Record<number, number>> = { 8: 10, 10: 9, 16: 7 };
const DIGITS: Readonly<Record<number, RegExp>> = { 8: /^[0-7]+$/, 10: /^[0-9]+$/, 16: /^[0-9a-fA-F]+$/ };
const PREFIX: Readonly<Record<number, string>> = { 8: "0o", 10: "", 16: "0x" };

function bad(text: string, radix: number): IntegerTextError {
	return new IntegerTextError(`For input string: "${text}"${radix === 10 ? "" : ` under radix ${radix}`}`);
}

function magnitude(digits: string, radix: number): bigint {
	return BigInt(PREFIX[radix] + digits);
}

function parseShort(text: string, radix: number): bigint {
	const signed = text.startsWith("-") || text.startsWith("+");
	const digits = signed ? text.slice(1) : text;
	if (!(DIGITS[radix] as RegExp).test(digits)) throw bad(text, radix);
	const value = magnitude(digits, radix);
	return text.startsWith("-") ? -value : value;
}

function parseLong(text: string, radix: number): bigint {
	const minus = text.lastIndexOf("-");
	const plus = text.lastIndexOf("+");
	if (minus > 0 || plus > 0 || (minus === 0 && plus === 0)) {
		throw new IntegerTextError("Illegal embedded sign character");
	}
	const digits = minus === 0 || plus === 0 ? text.slice(1) : text;
	const significant = digits.replace(/^0+/, "");
	if (significant === "") return 0n;
	const size = GROUP[radix] as number;
	let at = 0;
	let length = significant.length % size || size;
	while (at < significant.length) {
		const group = significant.slice(at, at + length);
		if (!(DIGITS[radix] as RegExp).test(group)) throw bad(group, radix);
		at += length;
		length = size;
	}
	// Beyond 64 bits whatever its digits are: the value of a long text is never worked out.
	const value = significant.length > MAX_DIGITS ? BEYOND : magnitude(significant, radix);
	return minus === 0 ? -value : value;
}

/**
 * Reads a signed integer of 32 or 64 bits.
 * @throws {IntegerTextError}
 */
export function parseIntegerText(text: string, bits: 32 | 64): bigint {
	const negative = text.startsWith("-");
	let rest = negative ? text.slice(1) : text;
	let radix = 10;
	if (rest.startsWith("0x")) {
		radix = 16;
		rest = rest.slice(2);
	} else if (rest.startsWith("0")) radix = 8;
	const unsigned = rest.length <= SHORT ? parseShort(rest, radix) : parseLong(rest, radix);
	const value = negative ? -unsigned : unsigned;
	if (value !== BigInt.asIntN(bits, value)) {
		throw new IntegerTextError(`Number out of range for ${bits}-bit signed integer: ${text}`);
	}
	return value;
}
