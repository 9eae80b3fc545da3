/** Contract code as a list of operations, for people. */

import { toHex } from "../../protocol/bytes.js";
import { opcodes } from "./opcodes.js";

const byByte = new Map(opcodes.map((row) => [row.byte, row]));
const PUSH0 = 0x5f;

interface DisassembledOperation {
	/** Position in the code. */
	readonly pc: number;
	/** Name in the opcode table, or `INVALID` for bytes that stand for none under any rules. */
	readonly name: string;
	readonly byte: number;
	/** Hexadecimal operand of a push, without prefix; shorter than the push where the code ends. */
	readonly operand?: string;
}

/** Lists every operation of a contract's code, whatever rules are on. Data behind the code is listed like code. */
export function disassemble(code: Uint8Array): DisassembledOperation[] {
	const list: DisassembledOperation[] = [];
	for (let pc = 0; pc < code.length; pc++) {
		const byte = code[pc] as number;
		const row = byByte.get(byte);
		const operation = { pc, name: row?.name ?? "INVALID", byte };
		const length = row?.action.kind === "push" ? byte - PUSH0 : 0;
		if (length === 0) list.push(operation);
		else list.push({ ...operation, operand: toHex(code.subarray(pc + 1, pc + 1 + length)) });
		pc += length;
	}
	return list;
}
