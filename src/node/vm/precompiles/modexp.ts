/**
 * Modular exponentiation with the prices of EIP-198; since #96, the prices of EIP-7883 and the bounds of
 * EIP-7823 (protocol/precompiles §2).
 */

import { EMPTY, toHex } from "../../../protocol/bytes.js";
import { MAX_INT64, maxInt, minInt } from "../../../protocol/int64.js";
import type { Machine } from "../machine.js";
import { MEMORY_CEILING } from "../memory.js";
import { hostFailed, outOfTime } from "../vm-error.js";
import { sat32 } from "../word.js";
import { checkTime, failed, type Precompile, paddedSlice, succeed, wordAt } from "./precompile.js";

const HEADER = 96;

/** Since #96: minimum price, and maximum operand length. */
const MIN_ENERGY = 500n;
const MAX_OPERAND_BYTES = 1024;

/** Exponent bytes between two checks of the clock; for a modulus above `LARGE` it is checked at every byte. */
const BYTES_BETWEEN_LOOKS = 16;
const LARGE = 1n << 65_536n;

/** Below this, the product of two numbers fits a double exactly. */
const SMALL = 2n ** 26n;

/** Exponent lengths from which the exponent is reduced if the modulus is small; the lower one applies if it is tiny. */
const LONG_EXPONENT = 256;
const LONG_FOR_TINY = 16;
const TINY = 2 ** 16;

/** Up to this exponent length, a table of powers doesn't pay off. */
const FEW_BYTES = 8;

/** Longer integers exceed what the runtime supports, ours or the network's. */
const MAX_INTEGER_BYTES = 2 ** 26;

function lengths(input: Uint8Array): readonly [base: number, exponent: number, modulus: number] {
	return [sat32(wordAt(input, 0)), sat32(wordAt(input, 1)), sat32(wordAt(input, 2))];
}

function multiplicationComplexity(length: number): bigint {
	const x = BigInt(length);
	if (x <= 64n) return x * x;
	if (x <= 1024n) return (x * x) / 4n + 96n * x - 3072n;
	return (x * x) / 16n + 480n * x - 199_680n;
}

/** Price factor of an exponent's length and highest bit. @param each for a byte beyond the first 32 */
function exponentCost(input: Uint8Array, baseLength: number, exponentLength: number, each: bigint): bigint {
	const head = paddedHead(input, HEADER + baseLength, Math.min(exponentLength, 32));
	const highestBit = head === 0n ? 0 : head.toString(2).length - 1;
	const further = each * BigInt(Math.max(0, exponentLength - 32));
	return maxInt(1n, further + BigInt(highestBit));
}

/** Price since #96. */
function osakaEnergy(input: Uint8Array): bigint {
	const [base, exponent, modulus] = lengths(input);
	const longest = Math.max(base, modulus);
	const complexity = longest <= 32 ? 16n : 2n * BigInt(Math.ceil(longest / 8)) ** 2n;
	return maxInt(MIN_ENERGY, complexity * exponentCost(input, base, exponent, 16n));
}

function paddedHead(input: Uint8Array, offset: number, length: number): bigint {
	if (length === 0 || offset >= input.length) return 0n;
	return BigInt(`0x${toHex(paddedSlice(input, offset, length))}`);
}

export const modexp: Precompile = {
	name: "modexp",
	word: 0x05,
	energy(input, gates) {
		if (gates.osaka) return minInt(osakaEnergy(input), MAX_INT64);
		const [base, exponent, modulus] = lengths(input);
		const steps = exponentCost(input, base, exponent, 8n);
		const complexity = multiplicationComplexity(Math.max(base, modulus));
		return minInt((complexity * steps) / 20n, MAX_INT64);
	},
	run(input, { machine }) {
		const [baseLength, exponentLength, modulusLength] = lengths(input);
		const { osaka, endsEndlessWork } = machine.gates;
		if (osaka && Math.max(baseLength, exponentLength, modulusLength) > MAX_OPERAND_BYTES) return failed;
		// The price doesn't cover these, yet the network's runtime allocated the whole exponent.
		if (endsEndlessWork && baseLength === 0 && modulusLength === 0 && exponentLength > MAX_OPERAND_BYTES) {
			throw outOfTime("CPU timeout for modExp executing");
		}
		const base = integerAt(input, HEADER, baseLength);
		const exponent = presentBytes(input, HEADER + baseLength, exponentLength);
		const modulus = integerAt(input, HEADER + baseLength + exponentLength, modulusLength);
		if (modulus === 0n) return succeed(osaka ? new Uint8Array(modulusLength) : EMPTY);
		const result = power(machine, base % modulus, exponent, exponentLength, modulus);
		return succeed(Buffer.from(result.toString(16).padStart(2 * modulusLength, "0"), "hex"));
	},
};

/** The part of an operand that is within the input; the rest is zeros. */
function presentBytes(input: Uint8Array, offset: number, length: number): Uint8Array {
	const present = offset < input.length ? input.subarray(offset, offset + length) : EMPTY;
	// The network allocates the full length of a partly present operand before it looks at the modulus.
	if (present.length > 0 && length > MEMORY_CEILING) throw hostFailed();
	return present;
}

/** Reads a big-endian integer, zero-padded past the end of the input. */
function integerAt(input: Uint8Array, offset: number, length: number): bigint {
	const present = presentBytes(input, offset, length);
	if (present.length === 0) return 0n;
	if (length > MAX_INTEGER_BYTES) throw hostFailed();
	return BigInt(`0x${toHex(present)}`) << BigInt(8 * (length - present.length));
}

/** @param exponent its leading bytes; missing ones up to the length are zeros */
function power(
	machine: Machine,
	base: bigint,
	exponent: Uint8Array,
	exponentLength: number,
	modulus: bigint,
): bigint {
	if (modulus === 1n) return 0n;
	if (!exponent.some((byte) => byte !== 0)) return 1n;
	if (base <= 1n) return base;
	if (modulus < SMALL) return smallPower(machine, Number(base), exponent, exponentLength, Number(modulus));
	const bytesBetweenLooks = modulus > LARGE ? 1 : BYTES_BETWEEN_LOOKS;
	const digits = firstPowers(base, modulus, exponentLength);
	const width = Math.log2(digits.length);
	let result = 1n;
	for (let i = 0; i < exponentLength; i++) {
		if (i % bytesBetweenLooks === 0) checkTime(machine, "modExp");
		const byte = exponent[i] ?? 0;
		// Squaring changes neither zero nor one.
		if (byte === 0 && result <= 1n) continue;
		for (let shift = 8 - width; shift >= 0; shift -= width) {
			if (result !== 1n) for (let bit = 0; bit < width; bit++) result = (result * result) % modulus;
			const digit = (byte >> shift) & (digits.length - 1);
			if (digit > 0) result = (result * (digits[digit] as bigint)) % modulus;
		}
	}
	return result;
}

/** Powers of the base for one digit of the exponent: one bit for short exponents, four bits otherwise. */
function firstPowers(base: bigint, modulus: bigint, exponentLength: number): bigint[] {
	const powers = [1n, base];
	if (exponentLength <= FEW_BYTES) return powers;
	while (powers.length < 16) powers.push(((powers.at(-1) as bigint) * base) % modulus);
	return powers;
}

/** For a modulus below {@link SMALL}: products fit in numbers. */
function smallPower(
	machine: Machine,
	base: number,
	exponent: Uint8Array,
	exponentLength: number,
	modulus: number,
): bigint {
	const times = (a: number, b: number): number => {
		const product = a * b;
		return product - Math.floor(product / modulus) * modulus;
	};
	const [bytes, length] = reduced(machine, exponent, exponentLength, modulus);
	let result = 1;
	for (let i = 0; i < length; i++) {
		if (i % BYTES_BETWEEN_LOOKS === 0) checkTime(machine, "modExp");
		const byte = bytes[i] ?? 0;
		if (byte === 0 && result <= 1) continue;
		for (let bit = 0x80; bit > 0; bit >>= 1) {
			result = times(result, result);
			if ((byte & bit) !== 0) result = times(result, base);
		}
	}
	return BigInt(result);
}

/**
 * Replaces a long exponent by a shorter one with the same power. An exponent at least as large as the
 * modulus's bit length may be replaced by any other such number congruent modulo Euler's totient of the
 * modulus. Long exponents with a short modulus are cheap.
 */
function reduced(
	machine: Machine,
	exponent: Uint8Array,
	exponentLength: number,
	modulus: number,
): readonly [Uint8Array, number] {
	if (exponentLength < (modulus < TINY ? LONG_FOR_TINY : LONG_EXPONENT)) return [exponent, exponentLength];
	const order = eulerFunction(modulus);
	let rest = 0;
	for (let i = 0; i < exponentLength; i++) {
		if (i % LONG_EXPONENT === 0) checkTime(machine, "modExp");
		if (i >= exponent.length && rest === 0) break;
		rest = (rest * 256 + (exponent[i] ?? 0)) % order;
	}
	// If all leading bytes are zero, the exponent may be a small number.
	const isSmall = exponent.findIndex((byte) => byte !== 0) >= exponentLength - 8;
	if (isSmall) return [exponent.subarray(exponentLength - 8), 8];
	const bytes = new Uint8Array(8);
	new DataView(bytes.buffer).setBigUint64(
		0,
		BigInt(rest) + BigInt(order) * BigInt(Math.ceil(64 / order) + 1),
	);
	return [bytes, 8];
}

/** Euler's totient: how many numbers below n are coprime to it. @param n below {@link SMALL} */
function eulerFunction(n: number): number {
	let count = n;
	let rest = n;
	for (let p = 2; p * p <= rest; p++) {
		if (rest % p !== 0) continue;
		while (rest % p === 0) rest /= p;
		count -= count / p;
	}
	return rest > 1 ? count - count / rest : count;
}
