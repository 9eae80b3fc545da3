/** Steps that ask for as much as they can: arrays of overlapping pointers, lengths beyond everything, memory for free. */

import type { Chance } from "./chance.js";

const hex = (value: bigint | number): string => {
	const digits = value.toString(16);
	return `0x${digits.length % 2 === 0 ? digits : `0${digits}`}`;
};

const LARGE = [0x1000, 0x1_0000, 0x10_0000, 0x2f_ffe0, 0x30_0000] as const;

const store = (word: bigint | number, at: number): string => `${hex(word)} ${hex(at)} MSTORE`;

/** A static call of a precompiled contract with the first bytes of memory. */
const ask = (word: number, size: number, out: number): string =>
	`0x00 ${hex(out)} ${hex(size)} 0x00 ${hex(word)} GAS STATICCALL`;

/** Arrays of signatures for 0x09 and 0x0a: counts, offsets and lengths that lie, and share what they point to. */
function signatureArrays(chance: Chance): string {
	const size = chance.of([224, 320, 1024, 4096, ...LARGE]);
	const heads = chance.one(
		() => [128, 128],
		() => [96, 96 + 32 * chance.below(8)],
		() => [chance.below(400), chance.below(400)],
	);
	const at = Math.floor((heads[0] as number) / 32);
	const count = chance.of([0, 1, 2, 5, 6, 16, 17, 1000, 32_768, 98_000, 2 ** 31 - 1]);
	const lines = [
		store(chance.word(), 0),
		store(heads[0] as number, chance.of([32, 96])),
		store(heads[1] as number, 64),
		store(count, 32 * at),
	];
	for (let i = 1; i <= chance.below(8); i++) {
		const word = chance.one<bigint | number>(
			() => 32 * chance.below(12),
			() => chance.below(400),
			() => 65,
			() => chance.of(LARGE),
			() => chance.word(),
		);
		lines.push(store(word, 32 * (at + i)));
	}
	return `${lines.join(" ")} ${ask(chance.of([0x09, 0x0a]), size, size)}`;
}

/** Powers whose lengths are more than the input holds, or just large. */
function powers(chance: Chance): string {
	const length = (): number =>
		chance.of([0, 1, 2, 4, 31, 32, 33, 64, 255, 1024, 4096, 0x1_0000, 2 ** 31 - 1]);
	const words = [length(), length(), length(), chance.word(), chance.word(), chance.word(), chance.word()];
	const size = chance.of([96, 128, 200, 224, 1024]);
	return `${words.map((word, i) => store(word, 32 * i)).join(" ")} ${ask(0x05, size, chance.of([0, 0x400]))}`;
}

/** Memory that is not charged, and what can be done with it. */
function freeMemory(chance: Chance): string {
	const at = chance.of([...LARGE, 0x40_0000, 0x1000_0000, 0x3fff_ff00, 0x7fff_fff0]);
	const use = chance.one(
		() => "MSIZE",
		() => `${hex(Math.min(at, 0x2f_ffc0))} MLOAD`,
		() => `0x07 ${hex(Math.min(at, 0x2f_ffc0))} MSTORE MSIZE`,
		() => `MSIZE 0x00 0x00 CREATE`,
		() => `0x01 MSIZE 0x00 0x00 CREATE2`,
		() => "0x00 0x00 MSIZE 0x00 0x00 ADDRESS 0x64 CALL",
		() => "0x00 0x00 MSIZE 0x00 0x04 0x64 STATICCALL",
		() => "0x30 MSIZE SUB MSIZE SHA3",
		() => `${hex(at)} 0x00 ${hex(at)} 0x00 VOTEWITNESS`,
		() => "MSIZE 0x00 RETURN 0x00",
	);
	return `${ask(0x04, 32, at)} POP ${use}`;
}

/** Votes by the thousand. */
function votes(chance: Chance): string {
	const count = chance.of([29, 30, 31, 200, 5000, 98_000]);
	const grown = chance.happens(0.5) ? `${ask(0x04, 32, 0x2f_ffe0)} POP` : "";
	return `${grown} ${store(count, 0)} 0x00 ${hex(count)} 0x00 ${hex(count)} VOTEWITNESS`;
}

/** A step that leaves one word. */
export function hostileStep(chance: Chance): string {
	return chance.one(
		() => signatureArrays(chance),
		() => signatureArrays(chance),
		() => powers(chance),
		() => freeMemory(chance),
		() => votes(chance),
	);
}
