/** The BLAKE2b compression function precompile (EIP-152). */

import { compiledCompression } from "./blake2f-compiled.js";
import { portableCompression } from "./blake2f-portable.js";
import { checkTime, type Precompile, succeed, ZERO_WORD } from "./precompile.js";

const INPUT_LENGTH = 213;

/** Rounds between two checks of the clock; a multiple of ten, since the message word order repeats after ten. */
const ROUND_TICKS = 16_380;

/** A compression in three steps; only one runs at a time. */
export interface Compression {
	/** @param operands state, message and counter of 64, 128 and 16 bytes */
	begin(operands: Uint8Array, final: boolean): void;
	/** Runs a number of rounds; more may follow after a multiple of ten. @param rounds from 1 to 2^31 - 1 */
	mix(rounds: number): void;
	/** @returns the new state of 64 bytes */
	end(): Uint8Array;
}

let present: Compression | undefined;

/** The compiled version, created on first use, or else the portable one. */
const compression = (): Compression => {
	present ??= compiledCompression() ?? portableCompression;
	return present;
};

function isWellFormed(input: Uint8Array): boolean {
	return input.length === INPUT_LENGTH && ((input[212] as number) & 0xfe) === 0;
}

const roundsOf = (input: Uint8Array): number => new DataView(input.buffer, input.byteOffset, 4).getUint32(0);

export const blake2f: Precompile = {
	name: "blake2F",
	word: 0x20009,
	gate: "compatible",
	energy: (input) => (isWellFormed(input) ? BigInt(roundsOf(input)) : 0n),
	run(input, { machine }) {
		if (!isWellFormed(input)) return { success: false, output: ZERO_WORD };
		const { begin, mix, end } = compression();
		begin(input.subarray(4, 212), input[212] === 1);
		for (let left = roundsOf(input); left > 0; left -= ROUND_TICKS) {
			checkTime(machine, "blake2F");
			mix(Math.min(left, ROUND_TICKS));
		}
		return succeed(end());
	},
};
