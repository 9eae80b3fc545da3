/** EIP-55 checksums, encoded in the letter case of `0x` addresses with 40 digits. */

import { keccak_256 } from "@noble/hashes/sha3.js";

/** Whether the case of 40 digits matches the checksum; single-case digits carry none and pass. */
export function hasRightCase(digits: string): boolean {
	const small = digits.toLowerCase();
	if (digits === small || digits === digits.toUpperCase()) return true;
	const hash = keccak_256(new TextEncoder().encode(small));
	const isCapital = (at: number): boolean => (((hash[at >> 1] ?? 0) >> (at % 2 === 0 ? 4 : 0)) & 15) >= 8;
	return [...digits].every((digit, at) => /\d/.test(digit) || /[A-F]/.test(digit) === isCapital(at));
}
