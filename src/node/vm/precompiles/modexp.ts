/** Modular exponentiation with the prices of EIP-198 (sheet 05 §13.2). */

import { EMPTY, toHex } from "../../../protocol/bytes.js";
import type { Machine } from "../machine.js";
import { MEMORY_CEILING } from "../memory.js";
import { hostFailed } from "../vm-error.js";
import { sat32 } from "../word.js";
import { checkTime, type Precompile, paddedSlice, succeed, wordAt } from "./precompile.js";

const HEADER = 96;
const MAX_ENERGY = 0x7fffffffffffffffn;

/** Bytes of the exponent between two looks at the clock; above a size of the modulus it is looked at before each. */
const BYTES_BETWEEN_LOOKS = 16;
const LARGE = 1n << 65_536n;

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
		const exponent = presentBytes(input, HEADER + baseLength, exponentLength);
		const modulus = integerAt(input, HEADER + baseLength + exponentLength, modulusLength);
		if (modulus === 0n) return succeed(EMPTY);
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
	const bytesBetweenLooks = modulus > LARGE ? 1 : BYTES_BETWEEN_LOOKS;
	let result = 1n % modulus;
	if (!exponent.some((byte) => byte !== 0)) return result;
	for (let i = 0; i < exponentLength; i++) {
		if (i % bytesBetweenLooks === 0) checkTime(machine, "modExp");
		const byte = exponent[i] ?? 0;
		// Nothing changes a zero or a one but the base.
		if (byte === 0 && result <= 1n) continue;
		for (let bit = 0x80; bit > 0; bit >>= 1) {
			result = (result * result) % modulus;
			if ((byte & bit) !== 0) result = (result * base) % modulus;
		}
	}
	return result;
}
