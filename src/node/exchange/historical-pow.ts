/**
 * The power function used by the exchange before the strict one (protocol/exchange §8.2): that of x87
 * processors, which round results first to a 64-bit significand and then to binary64, both half to even.
 */

import { strictPow } from "./strict-pow.js";

/** Fraction bits of the fixed-point numbers here: far more than needed to resolve a tie between two 64-bit significands. */
const FRACTION = 200n;
const ONE = 1n << FRACTION;

const view = new DataView(new ArrayBuffer(8));

/** A positive normal double as `mantissa * 2^exponent`. */
function parts(value: number): { readonly mantissa: bigint; readonly exponent: number } {
	view.setFloat64(0, value);
	const word = view.getBigUint64(0);
	const mantissa = (word & 0xfffffffffffffn) | 0x10000000000000n;
	return { mantissa, exponent: Number(word >> 52n) - 1075 };
}

/** `value * 2^shift`, a negative shift flooring. */
function scale(value: bigint, shift: bigint): bigint {
	return shift >= 0n ? value << shift : value >> -shift;
}

function multiply(a: bigint, b: bigint): bigint {
	return (a * b) >> FRACTION;
}

/** Natural logarithm of `numerator / denominator` between 1 and 2, by the series of the inverse hyperbolic tangent. */
function lnRatio(numerator: bigint, denominator: bigint): bigint {
	const s = ((numerator - denominator) << FRACTION) / (numerator + denominator);
	const square = multiply(s, s);
	let sum = 0n;
	for (let power = s, n = 1n; power !== 0n; power = multiply(power, square), n += 2n) sum += power / n;
	return sum << 1n;
}

const LN_2 = lnRatio(2n, 1n);

/** Natural logarithm of a positive normal double, in fixed point. */
function ln(x: number): bigint {
	const { mantissa, exponent } = parts(x);
	return lnRatio(mantissa, 1n << 52n) + LN_2 * BigInt(exponent + 52);
}

/** `e` to the power of a fixed-point number of small magnitude. */
function exp(z: bigint): bigint {
	let sum = ONE;
	for (let term = z, n = 1n; term !== 0n && term !== -1n; n += 1n, term = multiply(term, z) / n) sum += term;
	return sum;
}

/** Keeps the leading `bits` bits of a positive integer, half to even; the value keeps its magnitude. */
function roundSignificand(value: bigint, bits: number): bigint {
	const drop = BigInt(value.toString(2).length - bits);
	if (drop <= 0n) return value;
	const half = 1n << (drop - 1n);
	const kept = value >> drop;
	const rest = value & ((half << 1n) - 1n);
	const up = rest > half || (rest === half && (kept & 1n) === 1n);
	return (kept + (up ? 1n : 0n)) << drop;
}

/**
 * The historical power, with the exponents of the exchange's curve.
 *
 * Below an exponent of 1, the processor's intermediate error is far below one unit of the 64-bit significand,
 * so only the double rounding distinguishes it from the exact power. Above, the error is about one such unit,
 * and the network's history shows no difference from fdlibm.
 * @param x as for {@link strictPow}
 */
export function historicalPow(x: number, y: number): number {
	if (y >= 1 || !(x > 0) || x === Number.POSITIVE_INFINITY) return strictPow(x, y);
	const { mantissa, exponent } = parts(y);
	const power = exp(scale(ln(x) * mantissa, BigInt(exponent)));
	// Both numbers have few significant bits, so the conversion and the division by a power of two are exact.
	return Number(roundSignificand(roundSignificand(power, 64), 53)) / 2 ** Number(FRACTION);
}
