/**
 * Modular exponentiation with the prices of EIP-198, and since #96 with those of EIP-7883 and the bounds of EIP-7823
 * (protocol/precompiles §2).
 */

import { EMPTY, toHex } from "../../../protocol/bytes.js";
import { MAX_INT64, maxInt, minInt } from "../../../protocol/int64.js";
import type { Machine } from "../machine.js";
import { MEMORY_CEILING } from "../memory.js";
import { hostFailed, outOfTime } from "../vm-error.js";
import { sat32 } from "../word.js";
import { checkTime, failed, type Precompile, paddedSlice, succeed, wordAt } from "./precompile.js";

const HEADER = 96;

/** The least price since #96, and the longest operand. */
const MIN_ENERGY = 500n;
const MAX_OPERAND_BYTES = 1024;

/** Bytes of the exponent between two checks of the clock; above a size of the modulus it is checked before each. */
const BYTES_BETWEEN_LOOKS = 16;
const LARGE = 1n << 65_536n;

/** Below this, the product of two numbers and a remainder fit a number. */
const SMALL = 2n ** 26n;

/** Exponents from this length on are made shorter where the modulus is small, and sooner where it is tiny. */
const LONG_EXPONENT = 256;
const LONG_FOR_TINY = 16;
const TINY = 2 ** 16;

/** Up to this length of the exponent a table of powers isn't worth its making. */
const FEW_BYTES = 8;

/** Longer integers don't fit the runtime, ours or the network's. */
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

/** What an exponent's length and highest bit cost. @param each for a byte beyond the first 32 */
function exponentCost(input: Uint8Array, baseLength: number, exponentLength: number, each: bigint): bigint {
	const head = paddedHead(input, HEADER + baseLength, Math.min(exponentLength, 32));
	const highestBit = head === 0n ? 0 : head.toString(2).length - 1;
	const further = each * BigInt(Math.max(0, exponentLength - 32));
	return maxInt(1n, further + BigInt(highestBit));
}

/** The price since #96. */
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
		// Of these the price says nothing, and the network's runtime made room for the exponent.
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

/** The bytes of an operand that the input holds; zeros follow. */
function presentBytes(input: Uint8Array, offset: number, length: number): Uint8Array {
	const present = offset < input.length ? input.subarray(offset, offset + length) : EMPTY;
	// The network allocates the whole length of what is there in part, before it looks at the modulus.
	if (present.length > 0 && length > MEMORY_CEILING) throw hostFailed();
	return present;
}

/** A big-endian integer of the input, zeros where the input ends. */
function integerAt(input: Uint8Array, offset: number, length: number): bigint {
	const present = presentBytes(input, offset, length);
	if (present.length === 0) return 0n;
	if (length > MAX_INTEGER_BYTES) throw hostFailed();
	return BigInt(`0x${toHex(present)}`) << BigInt(8 * (length - present.length));
}

/** @param exponent its first bytes; those missing up to the length are zeros */
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
		// Nothing changes a zero or a one but the base.
		if (byte === 0 && result <= 1n) continue;
		for (let shift = 8 - width; shift >= 0; shift -= width) {
			if (result !== 1n) for (let bit = 0; bit < width; bit++) result = (result * result) % modulus;
			const digit = (byte >> shift) & (digits.length - 1);
			if (digit > 0) result = (result * (digits[digit] as bigint)) % modulus;
		}
	}
	return result;
}

/** The powers of a base by one digit of the exponent: of one bit for a short exponent, of four for others. */
function firstPowers(base: bigint, modulus: bigint, exponentLength: number): bigint[] {
	const powers = [1n, base];
	if (exponentLength <= FEW_BYTES) return powers;
	while (powers.length < 16) powers.push(((powers.at(-1) as bigint) * base) % modulus);
	return powers;
}

/** Below {@link SMALL}: numbers hold the products. */
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
 * A shorter exponent that gives the same power: e of at least `bits of the modulus` may be replaced by any other such
 * number that is equal modulo Euler's function of the modulus. The price of a long exponent and a short modulus is low.
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
	// An exponent whose first bytes are all zeros may be a small number.
	const isSmall = exponent.findIndex((byte) => byte !== 0) >= exponentLength - 8;
	if (isSmall) return [exponent.subarray(exponentLength - 8), 8];
	const bytes = new Uint8Array(8);
	new DataView(bytes.buffer).setBigUint64(
		0,
		BigInt(rest) + BigInt(order) * BigInt(Math.ceil(64 / order) + 1),
	);
	return [bytes, 8];
}

/** How many numbers below n are prime to it. @param n below {@link SMALL} */
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
