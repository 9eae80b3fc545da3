/**
 * `x` to the power `y`, bit for bit as fdlibm's `e_pow`, for the bases and exponents of the exchange's curve
 * (protocol/exchange §8.1). `Math.pow` differs from it in the last bit of some results.
 *
 * Every operation rounds to binary64, so the expressions must not be reassociated.
 */

const view = new DataView(new ArrayBuffer(8));

/** The upper 32 bits of a double, as a signed integer. */
function high(value: number): number {
	view.setFloat64(0, value);
	return view.getInt32(0);
}

/** The double with its lower 32 bits cleared. */
function head(value: number): number {
	view.setFloat64(0, value);
	view.setInt32(4, 0);
	return view.getFloat64(0);
}

function withHigh(value: number, word: number): number {
	view.setFloat64(0, value);
	view.setInt32(0, word);
	return view.getFloat64(0);
}

/** The double with these 64 bits. */
function bits(hex: string): number {
	view.setBigUint64(0, BigInt(`0x${hex}`));
	return view.getFloat64(0);
}

/** Coefficients of the logarithm's polynomial. */
const L1 = bits("3FE3333333333303");
const L2 = bits("3FDB6DB6DB6FABFF");
const L3 = bits("3FD55555518F264D");
const L4 = bits("3FD17460A91D4101");
const L5 = bits("3FCD864A93C9DB65");
const L6 = bits("3FCA7E284A454EEF");

/** 2 / (3 ln 2), whole, and in two parts. */
const CP = bits("3FEEC709DC3A03FD");
const CP_HIGH = bits("3FEEC709E0000000");
const CP_LOW = bits("BE3E2FE0145B01F5");

/** log2 of 1.5 in two parts. */
const LOG2_1_5_HIGH = bits("3FE2B80340000000");
const LOG2_1_5_LOW = bits("3E4CFDEB43CFD006");

/** Coefficients of the exponential's polynomial. */
const P1 = bits("3FC555555555553E");
const P2 = bits("BF66C16C16BEBD93");
const P3 = bits("3F11566AAF25DE2C");
const P4 = bits("BEBBBD41C5D26BF1");
const P5 = bits("3E66376972BEA4D0");

/** ln 2, whole, and in two parts. */
const LN2 = bits("3FE62E42FEFA39EF");
const LN2_HIGH = bits("3FE62E4300000000");
const LN2_LOW = bits("BE205C610CA86C39");

const ONE_EXPONENT = 0x3ff00000;
const MANTISSA = 0xfffff;
const HIDDEN_BIT = 0x100000;

/** A base-2 logarithm as the sum of two doubles, the first with its lower half clear. */
interface Logarithm {
	readonly high: number;
	readonly low: number;
}

function log2(x: number): Logarithm {
	const word = high(x);
	const mantissa = word & MANTISSA;
	let exponent = (word >> 20) - 1023;
	let scaled = mantissa | ONE_EXPONENT;
	// The base is scaled to near 1 or near 1.5, whichever is closer.
	let near = 0;
	if (mantissa > 0x3988e) {
		if (mantissa < 0xbb67a) near = 1;
		else {
			exponent += 1;
			scaled -= HIDDEN_BIT;
		}
	}
	const a = withHigh(x, scaled);
	const center = near === 1 ? 1.5 : 1;
	const centerHigh = near === 1 ? LOG2_1_5_HIGH : 0;
	const centerLow = near === 1 ? LOG2_1_5_LOW : 0;

	const difference = a - center;
	const inverse = 1 / (a + center);
	const s = difference * inverse;
	const sHigh = head(s);
	const sumHigh = withHigh(0, ((scaled >> 1) | 0x20000000) + 0x80000 + (near << 18));
	const sumLow = a - (sumHigh - center);
	const sLow = inverse * (difference - sHigh * sumHigh - sHigh * sumLow);

	const q = s * s;
	let r = q * q * (L1 + q * (L2 + q * (L3 + q * (L4 + q * (L5 + q * L6)))));
	r = r + sLow * (sHigh + s);
	const square = sHigh * sHigh;
	const tHigh = head(3 + square + r);
	const tLow = r - (tHigh - 3 - square);

	const u = sHigh * tHigh;
	const v = sLow * tHigh + tLow * s;
	const pHigh = head(u + v);
	const pLow = v - (pHigh - u);
	const zHigh = CP_HIGH * pHigh;
	const zLow = CP_LOW * pHigh + pLow * CP + centerLow;
	const sum = head(zHigh + zLow + centerHigh + exponent);
	return { high: sum, low: zLow - (sum - exponent - centerHigh - zHigh) };
}

/** 2 to the power of `high + low`. */
function exp2(productHigh: number, productLow: number): number {
	const z = productLow + productHigh;
	if (z >= 1024) return Number.POSITIVE_INFINITY;
	const word = high(z);
	let rest = productHigh;
	let whole = 0;
	// Above one half the nearest integer goes into the exponent.
	if ((word & 0x7fffffff) > 0x3fe00000) {
		const exponent = ((word & 0x7fffffff) >> 20) - 1023;
		const rounded = word + (HIDDEN_BIT >> (exponent + 1));
		const roundedExponent = ((rounded & 0x7fffffff) >> 20) - 1023;
		rest = productHigh - withHigh(0, rounded & ~(MANTISSA >> roundedExponent));
		whole = ((rounded & MANTISSA) | HIDDEN_BIT) >> (20 - roundedExponent);
		if (word < 0) whole = -whole;
	}
	const t = head(productLow + rest);
	const u = t * LN2_HIGH;
	const v = (productLow - (t - rest)) * LN2 + t * LN2_LOW;
	const e = u + v;
	const w = v - (e - u);
	const square = e * e;
	const c = e - square * (P1 + square * (P2 + square * (P3 + square * (P4 + square * P5))));
	const r = (e * c) / (c - 2) - (w + e * w);
	const result = 1 - (r - e);
	return withHigh(result, high(result) + (whole << 20));
}

/**
 * fdlibm's power.
 * @param x any double but a subnormal one; a negative balance leads to values that aren't positive
 * @param y above 0 and up to 2^31; if `x` is negative, not a whole number
 * @returns a normal double, 0, Infinity on overflow, or NaN; subnormal results are outside the domain
 */
export function strictPow(x: number, y: number): number {
	if (x === 1 || x === 0 || x === Number.POSITIVE_INFINITY || Number.isNaN(x)) return x;
	if (x < 0) return Number.NaN;
	const logarithm = log2(x);
	const yHigh = head(y);
	return exp2(yHigh * logarithm.high, (y - yHigh) * logarithm.high + y * logarithm.low);
}
