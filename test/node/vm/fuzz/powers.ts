/** Compares the modexp contract with the rule read plainly: bit by bit, byte by byte (protocol/precompiles §2). */

import type { Machine } from "../../../../src/node/vm/machine.js";
import { modexp } from "../../../../src/node/vm/precompiles/modexp.js";
import { wordToBytes } from "../../../../src/node/vm/word.js";
import { toHex } from "../../../../src/protocol/bytes.js";
import { CALLER, latestGates } from "../machine-fixture.js";
import type { Chance } from "./chance.js";

export interface Power {
	readonly input: Uint8Array;
	readonly osaka: boolean;
	/** Success, output and energy. */
	readonly expected: string;
	readonly found: string;
}

/** An input of three lengths and operands, some of it cut off, asked of the contract and of the rule. */
export function randomPower(chance: Chance): Power {
	const length = (): number =>
		chance.one(
			() => chance.below(4),
			() => chance.below(40),
			() => chance.below(200),
			() => chance.of([31, 32, 33, 64, 65, 255, 256, 1023, 1024, 1025]),
		);
	const lengths = [length(), length(), length()] as const;
	const bytes = Buffer.concat([
		...lengths.map((each) => wordToBytes(each)),
		...lengths.map((each) => operand(chance, each)),
	]);
	const input = chance.happens(0.2) ? bytes.subarray(0, chance.below(bytes.length + 1)) : bytes;
	const osaka = chance.happens(0.5);
	const gates = { ...latestGates, osaka };
	const machine = { gates, options: { deadlineMs: Number.POSITIVE_INFINITY } } as Machine;
	const { success, output } = modexp.run(input, { machine, caller: CALLER });
	return {
		input,
		osaka,
		found: `${success} ${toHex(output)} ${modexp.energy(input, gates)}`,
		expected: plainly(input, osaka),
	};
}

/** Often with zeros in front, or mostly zeros. */
function operand(chance: Chance, length: number): Uint8Array {
	const bytes = chance.bytes(length);
	if (chance.happens(0.3)) bytes.fill(0, 0, chance.below(length + 1));
	if (chance.happens(0.1)) bytes.fill(0);
	return bytes;
}

function plainly(input: Uint8Array, osaka: boolean): string {
	const byteAt = (at: number): number => input[at] ?? 0;
	const numberAt = (from: number, length: number): bigint => {
		let number = 0n;
		for (let i = 0; i < length; i++) number = number * 256n + BigInt(byteAt(from + i));
		return number;
	};
	const [b, e, m] = [0, 32, 64].map((at) => Number(numberAt(at, 32))) as [number, number, number];
	const head = numberAt(96 + b, Math.min(e, 32));
	const highest = head === 0n ? 0 : head.toString(2).length - 1;
	const energy = osaka ? osakaPrice(b, e, m, highest) : oldPrice(b, e, m, highest);
	if (osaka && (b > 1024 || e > 1024 || m > 1024)) return `false  ${energy}`;
	const modulus = numberAt(96 + b + e, m);
	if (modulus === 0n) return `true ${osaka ? "00".repeat(m) : ""} ${energy}`;
	const base = numberAt(96, b) % modulus;
	let result = 1n % modulus;
	for (let i = 0; i < e; i++) {
		for (let bit = 7; bit >= 0; bit--) {
			result = (result * result) % modulus;
			if ((byteAt(96 + b + i) >> bit) % 2 === 1) result = (result * base) % modulus;
		}
	}
	return `true ${result.toString(16).padStart(2 * m, "0")} ${energy}`;
}

function osakaPrice(b: number, e: number, m: number, highest: number): number {
	const words = Math.ceil(Math.max(b, m) / 8);
	const complexity = Math.max(b, m) <= 32 ? 16 : 2 * words * words;
	const count = e <= 32 ? highest : 16 * (e - 32) + highest;
	return Math.max(500, complexity * Math.max(1, count));
}

function oldPrice(b: number, e: number, m: number, highest: number): number {
	const x = Math.max(b, m);
	let complexity = x * x;
	if (x > 64) complexity = Math.floor(complexity / 4) + 96 * x - 3072;
	if (x > 1024) complexity = Math.floor((x * x) / 16) + 480 * x - 199_680;
	const count = e <= 32 ? highest : 8 * (e - 32) + highest;
	return Math.floor((complexity * Math.max(1, count)) / 20);
}
