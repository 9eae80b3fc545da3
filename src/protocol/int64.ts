/**
 * Signed 64-bit arithmetic as the network does it: silent wrapping unless a rule says "checked", and conversions to
 * and from binary64 where a rule uses doubles (protocol/resources §1.1).
 *
 * Division of bigints already truncates toward zero.
 */

/** Smallest units of the coin. */
export const SUN_PER_COIN = 1_000_000n;

export const MAX_INT64 = 0x7fffffffffffffffn;
export const MIN_INT64 = -0x8000000000000000n;

const TWO_63 = 2 ** 63;

/** An exact operation overflowed a signed 64-bit integer. */
export class OverflowError extends Error {
	override readonly name = "ArithmeticException";
}

/** The low 64 bits as a signed integer: the result of an unchecked operation. */
export function wrap(value: bigint): bigint {
	return value >= MIN_INT64 && value <= MAX_INT64 ? value : BigInt.asIntN(64, value);
}

/** @throws {OverflowError} with `message` if the value does not fit */
export function checked(value: bigint, message = "long overflow"): bigint {
	if (value < MIN_INT64 || value > MAX_INT64) throw new OverflowError(message);
	return value;
}

export function checkedAdd(a: bigint, b: bigint): bigint {
	return checked(a + b);
}

export function checkedSub(a: bigint, b: bigint): bigint {
	return checked(a - b);
}

export function checkedMul(a: bigint, b: bigint): bigint {
	return checked(a * b);
}

/** `a / b`, plus one if the remainder is positive. */
export function ceilDiv(a: bigint, b: bigint): bigint {
	return a / b + (a % b > 0n ? 1n : 0n);
}

/** Nearest binary64, ties to even. */
export function toDouble(value: bigint): number {
	return Number(value);
}

/** Truncates toward zero; saturates at the bounds; NaN becomes 0. */
export function fromDouble(value: number): bigint {
	if (Number.isNaN(value)) return 0n;
	if (value >= TWO_63) return MAX_INT64;
	if (value <= -TWO_63) return MIN_INT64;
	return BigInt(Math.trunc(value));
}

/** Nearest integer, ties toward positive infinity; saturates; NaN becomes 0. */
export function roundDouble(value: number): bigint {
	return fromDouble(Math.round(value));
}

export function minInt(a: bigint, b: bigint): bigint {
	return a < b ? a : b;
}

export function maxInt(a: bigint, b: bigint): bigint {
	return a > b ? a : b;
}

/** Decimal digits of the largest 64-bit integer. */
const MAX_DIGITS = 19;
const LOW_64_DIGITS = 16;
/** Decimal digits processed at a time. */
const GROUP = 15;
const GROUP_SIZE = 10n ** BigInt(GROUP);

/**
 * Parses a decimal integer with an optional sign; undefined if malformed or beyond 64 bits. Linear in the
 * length of the (untrusted) text.
 */
export function parseInt64(text: string): bigint | undefined {
	if (!/^[+-]?\d+$/.test(text)) return undefined;
	const digits = significant(text);
	if (digits.length > MAX_DIGITS) return undefined;
	const value = text.startsWith("-") ? -BigInt(digits) : BigInt(digits);
	return value === wrap(value) ? value : undefined;
}

/**
 * The low 64 bits of an integer of any length, as a signed integer; undefined if malformed.
 * @param text an optional sign, then digits without a prefix
 */
export function parseWrapped(text: string, radix: 10 | 16): bigint | undefined {
	if (!(radix === 16 ? /^[+-]?[0-9a-fA-F]+$/ : /^[+-]?\d+$/).test(text)) return undefined;
	const digits = significant(text);
	let magnitude = 0n;
	if (radix === 16) magnitude = BigInt(`0x${digits.slice(-LOW_64_DIGITS)}`);
	else {
		for (let at = 0, length = digits.length % GROUP || GROUP; at < digits.length; length = GROUP) {
			magnitude = BigInt.asUintN(64, magnitude * GROUP_SIZE + BigInt(digits.slice(at, at + length)));
			at += length;
		}
	}
	return wrap(text.startsWith("-") ? -magnitude : magnitude);
}

/** Strips the sign and leading zeros, keeping one digit of zero. */
function significant(text: string): string {
	return text.replace(/^[+-]?0*(?=[0-9a-fA-F])/, "");
}
