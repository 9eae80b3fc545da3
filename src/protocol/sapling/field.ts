/**
 * The field of Jubjub's coordinates, which is that of BLS12-381's scalars, and square roots in it. Its order is 1 + 2^32 t with
 * t odd: the method of Tonelli and Shanks, with the logarithm in the group of order 2^32 taken eight bits at a time.
 *
 * PERF: a general method looks for that logarithm bit by bit, with up to five hundred squarings; decoding a point took four times as long.
 * The time depends on the number, so it is for what is public.
 */

export const FIELD_ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;
const Q = FIELD_ORDER;

const TWO_ADICITY = 32n;
const T = (Q - 1n) >> TWO_ADICITY;
/** 7 is not a square. */
const GENERATOR = power(7n, T);

const WINDOW = 8;
const WINDOWS = Number(TWO_ADICITY) / WINDOW;
const WINDOW_SIZE = 1 << WINDOW;

interface Tables {
	/** By window and digit: the generator to the power of -digit 2^(8 window). */
	readonly inverses: readonly (readonly bigint[])[];
	/** Digits by the powers that stand for them in the highest window. */
	readonly digits: ReadonlyMap<bigint, number>;
}

let tables: Tables | undefined;

function makeTables(): Tables {
	const inverses: bigint[][] = [];
	let base = power(GENERATOR, (1n << TWO_ADICITY) - 1n);
	for (let window = 0; window < WINDOWS; window++) {
		const row = [1n];
		while (row.length < WINDOW_SIZE) row.push(((row.at(-1) as bigint) * base) % Q);
		inverses.push(row);
		base = ((row.at(-1) as bigint) * base) % Q;
	}
	const highest = inverses[WINDOWS - 1] as bigint[];
	// What is looked up stands for the digit itself, not for its negative.
	const digits = new Map(highest.map((value, i) => [value, (WINDOW_SIZE - i) % WINDOW_SIZE] as const));
	return { inverses, digits };
}

function power(base: bigint, exponent: bigint): bigint {
	let result = 1n;
	let square = base;
	for (let rest = exponent; rest > 0n; rest >>= 1n) {
		if (rest & 1n) result = (result * square) % Q;
		square = (square * square) % Q;
	}
	return result;
}

const NIBBLE = 4;
/** Hexadecimal digits of (t - 1) / 2, highest first. */
const HALF_T = [...((T - 1n) / 2n).toString(16)].map((digit) => Number.parseInt(digit, 16));

/** A number to the power of (t - 1) / 2. */
function powerOfHalfT(base: bigint): bigint {
	const powers = [1n];
	while (powers.length < 1 << NIBBLE) powers.push(((powers.at(-1) as bigint) * base) % Q);
	let result = 1n;
	for (const digit of HALF_T) {
		for (let i = 0; i < NIBBLE; i++) result = (result * result) % Q;
		if (digit > 0) result = (result * (powers[digit] as bigint)) % Q;
	}
	return result;
}

/**
 * A square root of u / v; which of the two is not said.
 * @param u below q, as v
 * @param v not 0
 * @returns undefined if there is none
 */
export function rootOfRatio(u: bigint, v: bigint): bigint | undefined {
	const product = (u * v) % Q;
	if (product === 0n) return 0n;
	tables ??= makeTables();
	const half = powerOfHalfT(product);
	const log = logarithm((((half * half) % Q) * product) % Q, tables);
	if (log % 2 === 1) return undefined;
	// 1 / √(uv) is half, times the generator to the power of -log / 2.
	return (u * ((half * inversePower(log / 2, tables.inverses)) % Q)) % Q;
}

/** The power of the generator that a number is. @param value of an order that divides 2^32 */
function logarithm(value: bigint, { inverses, digits }: Tables): number {
	// value, and what it is to the power of 2^8, 2^16 and 2^24.
	const powers = [value];
	while (powers.length < WINDOWS) {
		let next = powers.at(-1) as bigint;
		for (let i = 0; i < WINDOW; i++) next = (next * next) % Q;
		powers.push(next);
	}
	let log = 0;
	for (let known = 0; known < WINDOWS; known++) {
		// The digits that are known are taken out; the next one is then all that is left.
		let rest = powers[WINDOWS - 1 - known] as bigint;
		for (let i = 0; i < known; i++) {
			const digit = digitOf(log, i);
			rest = (rest * ((inverses[WINDOWS - 1 - known + i] as readonly bigint[])[digit] as bigint)) % Q;
		}
		const digit = digits.get(rest);
		if (digit === undefined) throw new RangeError("not in the group of order 2^32");
		log += digit * WINDOW_SIZE ** known;
	}
	return log;
}

const digitOf = (log: number, window: number): number =>
	Math.floor(log / WINDOW_SIZE ** window) % WINDOW_SIZE;

/** The generator to the power of -log. */
function inversePower(log: number, inverses: Tables["inverses"]): bigint {
	let result = 1n;
	for (const [window, row] of inverses.entries())
		result = (result * (row[digitOf(log, window)] as bigint)) % Q;
	return result;
}
