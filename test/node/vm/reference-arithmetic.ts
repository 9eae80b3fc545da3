/**
 * The machine's arithmetic, slow and obvious, from protocol/machine §9.1 and §10: what the fast paths must agree with. Operands
 * are integers from 0 to 2^256 - 1, the top of the stack first; so is every result.
 */

const MODULUS = 2n ** 256n;
const HALF = 2n ** 255n;

/** What a word means in two's complement. */
const signed = (word: bigint): bigint => (word >= HALF ? word - MODULUS : word);

/** The word of any integer: the rest of a division by 2^256, never negative. */
const word = (integer: bigint): bigint => ((integer % MODULUS) + MODULUS) % MODULUS;

const truth = (condition: boolean): bigint => (condition ? 1n : 0n);

/** The 256 bits of a word, the highest first. */
const bitsOf = (value: bigint): string => value.toString(2).padStart(256, "0");

/** Joins two words bit by bit. */
function bitwise(a: bigint, b: bigint, rule: (x: string, y: string) => boolean): bigint {
	const [left, right] = [bitsOf(a), bitsOf(b)];
	let bits = "0b";
	for (let i = 0; i < 256; i++) bits += rule(left[i] as string, right[i] as string) ? "1" : "0";
	return BigInt(bits);
}

/** The 32 bytes of a word in hexadecimal, the highest first. */
const bytesOf = (value: bigint): string[] => value.toString(16).padStart(64, "0").match(/../g) as string[];

function power(base: bigint, exponent: bigint): bigint {
	let result = 1n;
	for (const bit of exponent.toString(2)) {
		result = word(result * result);
		if (bit === "1") result = word(result * base);
	}
	return result;
}

function extendSign(index: bigint, value: bigint): bigint {
	if (index >= 31n) return value;
	const bytes = bytesOf(value);
	const first = 31 - Number(index);
	const fill = Number.parseInt(bytes[first] as string, 16) >= 0x80 ? "ff" : "00";
	return BigInt(`0x${bytes.map((byte, i) => (i < first ? fill : byte)).join("")}`);
}

function floorDivide(a: bigint, b: bigint): bigint {
	const quotient = a / b;
	return a < 0n && quotient * b !== a ? quotient - 1n : quotient;
}

/** By name of the operation. */
export const reference: Readonly<Record<string, (...operands: readonly bigint[]) => bigint>> = {
	ADD: (a = 0n, b = 0n) => word(a + b),
	MUL: (a = 0n, b = 0n) => word(a * b),
	SUB: (a = 0n, b = 0n) => word(a - b),
	DIV: (a = 0n, b = 0n) => (b === 0n ? 0n : a / b),
	SDIV: (a = 0n, b = 0n) => (b === 0n ? 0n : word(signed(a) / signed(b))),
	MOD: (a = 0n, b = 0n) => (b === 0n ? 0n : a % b),
	SMOD: (a = 0n, b = 0n) => (b === 0n ? 0n : word(signed(a) % signed(b))),
	ADDMOD: (a = 0n, b = 0n, m = 0n) => (m === 0n ? 0n : (a + b) % m),
	MULMOD: (a = 0n, b = 0n, m = 0n) => (m === 0n ? 0n : (a * b) % m),
	EXP: (base = 0n, exponent = 0n) => power(base, exponent),
	SIGNEXTEND: (index = 0n, value = 0n) => extendSign(index, value),
	LT: (a = 0n, b = 0n) => truth(a < b),
	GT: (a = 0n, b = 0n) => truth(a > b),
	SLT: (a = 0n, b = 0n) => truth(signed(a) < signed(b)),
	SGT: (a = 0n, b = 0n) => truth(signed(a) > signed(b)),
	EQ: (a = 0n, b = 0n) => truth(a === b),
	ISZERO: (a = 0n) => truth(a === 0n),
	AND: (a = 0n, b = 0n) => bitwise(a, b, (x, y) => x === "1" && y === "1"),
	OR: (a = 0n, b = 0n) => bitwise(a, b, (x, y) => x === "1" || y === "1"),
	XOR: (a = 0n, b = 0n) => bitwise(a, b, (x, y) => x !== y),
	NOT: (a = 0n) => bitwise(a, 0n, (x) => x === "0"),
	BYTE: (index = 0n, value = 0n) =>
		index >= 32n ? 0n : BigInt(`0x${bytesOf(value)[Number(index)] as string}`),
	SHL: (shift = 0n, value = 0n) => (shift >= 256n ? 0n : word(value * 2n ** shift)),
	SHR: (shift = 0n, value = 0n) => (shift >= 256n ? 0n : value / 2n ** shift),
	CLZ: (value = 0n) => BigInt(bitsOf(value).indexOf("1") < 0 ? 256 : bitsOf(value).indexOf("1")),
	SAR: (shift = 0n, value = 0n) => {
		if (shift >= 256n) return signed(value) < 0n ? MODULUS - 1n : 0n;
		return word(floorDivide(signed(value), 2n ** shift));
	},
};
