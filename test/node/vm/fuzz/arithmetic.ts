/** Compares the interpreter's arithmetic with the reference. */

import { opcodes } from "../../../../src/node/vm/opcodes.js";
import { reference } from "../reference-arithmetic.js";
import type { Chance } from "./chance.js";

/** Calculations of one program. */
const CALCULATIONS = 24;

const bytes = new Map(opcodes.map((row) => [row.name, row.byte]));
const operations = Object.entries(reference).map(([name, rule]) => {
	const row = opcodes.find((each) => each.name === name);
	if (!row) throw new Error(`there is no operation ${name}`);
	return { name, rule, takes: row.takes };
});

interface Calculation {
	readonly text: string;
	readonly expected: bigint;
}

/** A program that returns the results of its calculations, one a word, and what they must be. */
export function arithmeticProgram(chance: Chance): {
	readonly code: Uint8Array;
	readonly calculations: readonly Calculation[];
} {
	const code: number[] = [];
	const calculations: Calculation[] = [];
	for (let i = 0; i < CALCULATIONS; i++) {
		const { name, rule, takes } = chance.of(operations);
		const operands = Array.from({ length: takes }, () => chance.word());
		// Equal operands meet rarely by themselves.
		if (takes > 1 && chance.happens(0.1)) operands[1] = operands[0] as bigint;
		let expected = rule(...operands);
		let text = `${name}(${operands.map((each) => `0x${each.toString(16)}`).join(", ")})`;
		for (const operand of [...operands].reverse()) code.push(...pushOf(chance, operand));
		code.push(...blockEnd(chance), bytes.get(name) as number);
		// What one calculation gives is the next one's operand.
		while (chance.happens(0.3)) {
			const next = chance.of(operations);
			const others = Array.from({ length: next.takes - 1 }, () => chance.word());
			for (const operand of [...others].reverse()) code.push(...pushOf(chance, operand));
			if (next.takes === 2) code.push(0x90);
			if (next.takes === 3) code.push(0x91, 0x90);
			const order = next.takes === 3 ? [others[1], expected, others[0]] : [expected, ...others];
			text = `${next.name}(${text}; ${order.map((each) => `0x${(each as bigint).toString(16)}`).join(", ")})`;
			expected = next.rule(...(order as bigint[]));
			code.push(...blockEnd(chance), bytes.get(next.name) as number);
		}
		code.push(0x61, (32 * i) >> 8, (32 * i) & 0xff, 0x52);
		calculations.push({ text, expected });
	}
	code.push(0x61, (32 * CALCULATIONS) >> 8, (32 * CALCULATIONS) & 0xff, 0x60, 0x00, 0xf3);
	return { code: Uint8Array.from(code), calculations };
}

/** Often a JUMPDEST: a compiled program knows nothing of operands that were pushed before it. */
function blockEnd(chance: Chance): readonly number[] {
	return chance.happens(0.6) ? [0x5b] : [];
}

/** A push of an operand, as short as it can be or longer. */
function pushOf(chance: Chance, operand: bigint): readonly number[] {
	const digits = operand.toString(16);
	const least = Math.ceil(digits.length / 2);
	const length = chance.happens(0.7) ? least : least + chance.below(33 - least);
	return [0x5f + length, ...Buffer.from(digits.padStart(2 * length, "0"), "hex")];
}
