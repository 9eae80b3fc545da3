/** Code as its operations, by the opcode table. */

import { opcodes } from "./opcodes.js";

export interface Operation {
	readonly pc: number;
	/** As the network calls it; bytes that are no operation are `INVALID` with the byte. */
	readonly name: string;
	/** What a push puts on the stack; shorter than its name says at the end of the code. */
	readonly operand?: Uint8Array;
}

const byByte = new Map(opcodes.map((row) => [row.byte, row]));

const PUSH1 = 0x60;
const PUSH32 = 0x7f;

/** Reads code from its beginning; data that stands in it is read as operations too. */
export function* disassemble(code: Uint8Array): Generator<Operation> {
	for (let pc = 0; pc < code.length; pc++) {
		const byte = code[pc] as number;
		const name = byByte.get(byte)?.name ?? `INVALID(0x${byte.toString(16).padStart(2, "0")})`;
		if (byte < PUSH1 || byte > PUSH32) {
			yield { pc, name };
			continue;
		}
		const length = byte - PUSH1 + 1;
		yield { pc, name, operand: code.subarray(pc + 1, pc + 1 + length) };
		pc += length;
	}
}
