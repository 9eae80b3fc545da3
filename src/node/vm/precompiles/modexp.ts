/** Modular exponentiation with the prices of EIP-198 (sheet 05 §13.2). */

import { EMPTY, toHex } from "../../../protocol/bytes.js";
import type { Machine } from "../machine.js";
import { MEMORY_CEILING } from "../memory.js";
import { hostFailed } from "../vm-error.js";
import { sat32 } from "../word.js";
import { checkTime, type Precompile, paddedSlice, succeed, wordAt } from "./precompile.js";

const HEADER = 96;
const MAX_ENERGY = 0x7fffffffffffffffn;

/** Steps between two looks at the clock; above a size of the modulus it is looked at before each. */
const TICKS = 64;
const LARGE = 1n << 65_536n;

function lengths(input: Uint8Array): readonly [base: number, exponent: number, modulus: number] {
	return [sat32(wordAt(input, 0)), sat32(wordAt(input, 1)), sat32(wordAt(input, 2))];
}

function multiplicationComplexity(length: number): bigint {
	const x = BigInt(length);
	if (x <= 64n) return x * x;
	if (x <= 1024n) return (x * x) / 4n + 96n * x - 3072n;
	return (x * x) / 16n + 480n * x - 199_680n;
}

/** What an exponent's length and highest bit cost. */
function exponentCost(input: Uint8Array, baseLength: number, exponentLength: number): bigint {
	const head = paddedHead(input, HEADER + baseLength, Math.min(exponentLength, 32));
	const highestBit = head === 0n ? 0 : head.toString(2).length - 1;
	if (exponentLength <= 32) return BigInt(highestBit);
	return 8n * BigInt(exponentLength - 32) + BigInt(highestBit);
}

function paddedHead(input: Uint8Array, offset: number, length: number): bigint {
	if (length === 0 || offset >= input.length) return 0n;
	return BigInt(`0x${toHex(paddedSlice(input, offset, length))}`);
}

export const modexp: Precompile = {
	name: "modexp",
	word: 0x05,
	energy(input) {
		const [base, exponent, modulus] = lengths(input);
		const steps = exponentCost(input, base, exponent);
		const complexity = multiplicationComplexity(Math.max(base, modulus));
		const energy = (complexity * (steps > 1n ? steps : 1n)) / 20n;
		return energy < MAX_ENERGY ? energy : MAX_ENERGY;
	},
	run(input, { machine }) {
		const [baseLength, exponentLength, modulusLength] = lengths(input);
		const base = integerAt(input, HEADER, baseLength);
		const exponent = integerAt(input, HEADER + baseLength, exponentLength);
		const modulus = integerAt(input, HEADER + baseLength + exponentLength, modulusLength);
		if (modulus === 0n) return succeed(EMPTY);
		const result = power(machine, base % modulus, exponent, modulus);
		return succeed(Buffer.from(result.toString(16).padStart(2 * modulusLength, "0"), "hex"));
	},
};

/** A big-endian integer of the input, zeros where the input ends. */
function integerAt(input: Uint8Array, offset: number, length: number): bigint {
	const present = offset < input.length ? input.subarray(offset, offset + length) : EMPTY;
	if (present.length === 0) return 0n;
	// The network allocates the whole length before it looks at the modulus.
	if (length > MEMORY_CEILING) throw hostFailed();
	return BigInt(`0x${toHex(present)}`) << BigInt(8 * (length - present.length));
}

function power(machine: Machine, base: bigint, exponent: bigint, modulus: bigint): bigint {
	const ticks = modulus > LARGE ? 1 : TICKS;
	const bits = exponent.toString(2);
	let result = 1n % modulus;
	for (let i = 0; exponent > 0n && i < bits.length; i++) {
		if (i % ticks === 0) checkTime(machine, "modExp");
		result = (result * result) % modulus;
		if (bits[i] === "1") result = (result * base) % modulus;
	}
	return result;
}
