import { describe, expect, it } from "vitest";
import { arenaMemory } from "../../../../src/node/vm/compiled/arena.js";
import { arithmeticModule } from "../../../../src/node/vm/compiled/arithmetic-module.js";
import { engine } from "../../../../src/node/vm/compiled/engine.js";
import { CALCULATIONS } from "../../../../src/node/vm/compiled/imports.js";
import { opcodes } from "../../../../src/node/vm/opcodes.js";
import { Chance } from "../fuzz/chance.js";
import { reference } from "../reference-arithmetic.js";

type Calculation = (...limbs: readonly bigint[]) => readonly bigint[];

const { Instance, Module } = engine as NonNullable<typeof engine>;
const calculations = new Instance(new Module(arithmeticModule()), {
	host: { memory: arenaMemory, widen: () => 0 },
}).exports as Readonly<Record<string, Calculation>>;

const limbsOf = (word: bigint): bigint[] => [0n, 64n, 128n, 192n].map((by) => BigInt.asUintN(64, word >> by));

/** @param words two, and for some calculations a third one */
function calculate(name: string, ...words: readonly bigint[]): bigint {
	const limbs = (calculations[name] as Calculation)(...words.flatMap(limbsOf));
	return limbs.reduce((sum, limb, i) => sum + (BigInt.asUintN(64, limb) << BigInt(64 * i)), 0n);
}

const EDGES = [
	...[0n, 1n, 2n, 7n, 30n, 31n, 32n, 63n, 64n, 65n, 127n, 128n, 129n, 191n, 192n, 255n, 256n, 257n],
	...[32n, 53n, 63n, 64n, 65n, 127n, 128n, 192n, 224n, 255n].flatMap((bits) => [
		(1n << bits) - 1n,
		1n << bits,
		(1n << bits) + 1n,
	]),
	(1n << 256n) - 1n,
	(1n << 256n) - (1n << 128n),
	// Where the first guess of a quotient's digit is too large.
	0x7fff_ffff_8000_0000_0000_0000_0000_0000n,
	0x8000_0000_0000_0000_0000_0001n,
	0x8000_0000_ffff_fffe_0000_0000_ffff_ffffn,
];

describe.each(CALCULATIONS)("%s in the arithmetic module", (name) => {
	const expected = reference[name] as (...operands: readonly bigint[]) => bigint;

	const takes = opcodes.find((row) => row.name === name)?.takes;

	it("is the rule's on words at the edges", () => {
		for (const a of EDGES) {
			for (const [i, b] of EDGES.entries()) {
				const words = [a, b, EDGES[(7 * i) % EDGES.length] as bigint].slice(0, takes);
				expect(calculate(name, ...words), words.join()).toBe(expected(...words));
			}
		}
	});

	it("is the rule's on random words", () => {
		const chance = new Chance(31, CALCULATIONS.indexOf(name));
		for (let i = 0; i < 2000; i++) {
			const words = [chance.word(), chance.word(), chance.word()].slice(0, takes);
			expect(calculate(name, ...words), words.join()).toBe(expected(...words));
		}
	});
});
