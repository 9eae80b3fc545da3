/**
 * 256-bit arithmetic on words (protocol/machine §9.1): results are modulo 2^256, and division by zero gives
 * zero. Arguments are in stack order, top first.
 */

import { MAX_SMALL, narrow, TWO_32, toSigned, toWord, type Word } from "./word.js";

const WORD_MASK = (1n << 256n) - 1n;
const SIGN_BIT = 1n << 255n;

const [TWO_64, TWO_96, TWO_128, TWO_160, TWO_192, TWO_224] = [64n, 96n, 128n, 160n, 192n, 224n].map(
	(bits) => 1n << bits,
) as [bigint, bigint, bigint, bigint, bigint, bigint];

export function add(a: Word, b: Word): Word {
	if (typeof a === "number" && typeof b === "number") {
		const sum = a + b;
		if (sum <= MAX_SMALL) return sum;
	}
	return narrow(BigInt.asUintN(256, BigInt(a) + BigInt(b)));
}

export function sub(a: Word, b: Word): Word {
	if (typeof a === "number" && typeof b === "number" && a >= b) return a - b;
	return narrow(BigInt.asUintN(256, BigInt(a) - BigInt(b)));
}

export function mul(a: Word, b: Word): Word {
	if (typeof a === "number" && typeof b === "number") {
		const product = a * b;
		if (product <= MAX_SMALL) return product;
	}
	return narrow(BigInt.asUintN(256, BigInt(a) * BigInt(b)));
}

export function div(a: Word, b: Word): Word {
	if (b === 0) return 0;
	if (typeof a === "number") return typeof b === "number" ? (a - (a % b)) / b : 0;
	return narrow(a / BigInt(b));
}

export function mod(a: Word, b: Word): Word {
	if (b === 0) return 0;
	if (typeof a === "number") return typeof b === "number" ? a % b : a;
	return narrow(a % BigInt(b));
}

export function sdiv(a: Word, b: Word): Word {
	if (typeof a === "number" && typeof b === "number") return div(a, b);
	if (b === 0) return 0;
	return toWord(toSigned(a) / toSigned(b));
}

export function smod(a: Word, b: Word): Word {
	if (typeof a === "number" && typeof b === "number") return mod(a, b);
	if (b === 0) return 0;
	return toWord(toSigned(a) % toSigned(b));
}

export function addmod(a: Word, b: Word, modulus: Word): Word {
	if (modulus === 0) return 0;
	return narrow((BigInt(a) + BigInt(b)) % BigInt(modulus));
}

export function mulmod(a: Word, b: Word, modulus: Word): Word {
	if (modulus === 0) return 0;
	return narrow((BigInt(a) * BigInt(b)) % BigInt(modulus));
}

const product = (a: bigint, b: bigint): bigint => BigInt.asUintN(256, a * b);

/**
 * base^exponent. An exponent e = n·2^64 + l takes at most 64 squarings: for odd b, b^(2^64) is 1 + u with u a
 * multiple of 2^66, so only the terms of (1 + u)^n up to u^3 remain modulo 2^256; for even b, b^256 is 0.
 */
export function wordPower(base: Word, exponent: Word): Word {
	const b = BigInt(base);
	if ((b & 1n) === 0n && (typeof exponent === "bigint" || exponent >= 256)) return 0;
	const e = BigInt(exponent);
	const { power, square } = smallPower(b, e);
	const n = e >> 64n;
	if (n === 0n) return narrow(power);
	const u = square - 1n;
	const u2 = product(u, u);
	const pairs = n * (n - 1n);
	const rest = n * u + (pairs >> 1n) * u2 + ((pairs * (n - 2n)) / 6n) * product(u2, u);
	return narrow(product(power, BigInt.asUintN(256, 1n + rest)));
}

/** b to the power of the low 64 bits of e, in base-4 digits; also b^(2^64) if e has more bits. */
function smallPower(b: bigint, e: bigint): { readonly power: bigint; readonly square: bigint } {
	const low = [Number(BigInt.asUintN(32, e)), Number(BigInt.asUintN(32, e >> 32n))] as const;
	const isLong = e >> 64n > 0n;
	// Products of the squares whose digit is 1, 2 and 3.
	let [one, two, three] = [1n, 1n, 1n];
	let square = b;
	for (let i = 0; i < 64; i += 2) {
		const half = (i < 32 ? low[0] : low[1]) >>> (i & 31);
		switch (half & 3) {
			case 1:
				one = product(one, square);
				break;
			case 2:
				two = product(two, square);
				break;
			case 3:
				three = product(three, square);
		}
		if (!isLong && half < 4 && (i >= 32 || low[1] === 0)) break;
		square = product(square, square);
		square = product(square, square);
	}
	const twice = product(two, three);
	return { power: product(product(one, three), product(twice, twice)), square };
}

/** Sign-extends the lowest `index + 1` bytes. */
export function signextend(index: Word, value: Word): Word {
	if (typeof index !== "number" || index >= 31) return value;
	return toWord(BigInt.asIntN(8 * (index + 1), BigInt(value)));
}

export function lt(a: Word, b: Word): Word {
	if (typeof a === "number") return typeof b === "number" && a >= b ? 0 : 1;
	return typeof b === "bigint" && a < b ? 1 : 0;
}

export function gt(a: Word, b: Word): Word {
	return lt(b, a);
}

export function slt(a: Word, b: Word): Word {
	if (typeof a === "number" && typeof b === "number") return a < b ? 1 : 0;
	return toSigned(a) < toSigned(b) ? 1 : 0;
}

export function sgt(a: Word, b: Word): Word {
	return slt(b, a);
}

export function eq(a: Word, b: Word): Word {
	if (typeof a === "number") return a === b ? 1 : 0;
	return typeof b === "bigint" && a === b ? 1 : 0;
}

export function iszero(a: Word): Word {
	return a === 0 ? 1 : 0;
}

export function and(a: Word, b: Word): Word {
	if (typeof a === "number") {
		const other = typeof b === "number" ? b : Number(BigInt.asUintN(53, b));
		return ((a / TWO_32) & (other / TWO_32)) * TWO_32 + ((a & other) >>> 0);
	}
	if (typeof b === "number") return and(b, a);
	return narrow(a & b);
}

export function or(a: Word, b: Word): Word {
	if (typeof a === "number" && typeof b === "number") {
		return ((a / TWO_32) | (b / TWO_32)) * TWO_32 + ((a | b) >>> 0);
	}
	return BigInt(a) | BigInt(b);
}

export function xor(a: Word, b: Word): Word {
	if (typeof a === "number" && typeof b === "number") {
		return ((a / TWO_32) ^ (b / TWO_32)) * TWO_32 + ((a ^ b) >>> 0);
	}
	return narrow(BigInt(a) ^ BigInt(b));
}

export function not(a: Word): Word {
	return narrow(BigInt(a) ^ WORD_MASK);
}

/** Byte `index` of a word, counted from the most significant one. */
export function byte(index: Word, word: Word): Word {
	if (typeof index !== "number" || index >= 32) return 0;
	if (typeof word === "number") return index < 25 ? 0 : Math.floor(word / 2 ** (8 * (31 - index))) & 0xff;
	return Number((word >> BigInt(8 * (31 - index))) & 0xffn);
}

export function shl(shift: Word, value: Word): Word {
	if (typeof shift !== "number" || shift >= 256) return 0;
	if (typeof value === "number" && shift < 53) {
		const shifted = value * 2 ** shift;
		if (shifted <= MAX_SMALL) return shifted;
	}
	return narrow(BigInt.asUintN(256, BigInt(value) << BigInt(shift)));
}

export function shr(shift: Word, value: Word): Word {
	if (typeof shift !== "number" || shift >= 256) return 0;
	if (typeof value === "number") return shift < 53 ? Math.floor(value / 2 ** shift) : 0;
	return narrow(value >> BigInt(shift));
}

export function sar(shift: Word, value: Word): Word {
	if (typeof value === "number" || value < SIGN_BIT) return shr(shift, value);
	if (typeof shift !== "number" || shift >= 256) return WORD_MASK;
	return toWord(toSigned(value) >> BigInt(shift));
}

/** Number of leading zero bits; 256 for zero. */
export function clz(a: Word): Word {
	if (typeof a === "number") return a < TWO_32 ? 224 + Math.clz32(a) : 192 + Math.clz32(a / TWO_32);
	const below = lowestBitOfTop(a);
	return 224 - below + Math.clz32(Number(a >> BigInt(below)));
}

/** Bit position, a multiple of 32, of the highest 32-bit limb that isn't zero. */
function lowestBitOfTop(a: bigint): number {
	if (a >= TWO_128) {
		if (a >= TWO_192) return a >= TWO_224 ? 224 : 192;
		return a >= TWO_160 ? 160 : 128;
	}
	if (a >= TWO_64) return a >= TWO_96 ? 96 : 64;
	return 32;
}
