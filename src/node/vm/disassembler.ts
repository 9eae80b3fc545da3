/** Disassembles contract code for people. */

import { toHex } from "../../protocol/bytes.js";
import { opcodes } from "./opcodes.js";

const byByte = new Map(opcodes.map((row) => [row.byte, row]));
const PUSH0 = 0x5f;

interface DisassembledOperation {
	/** Offset in the code. */
	readonly pc: number;
	/** Name in the opcode table, or `INVALID` for bytes that are not an opcode under any rules. */
	readonly name: string;
	readonly byte: number;
	/** Hexadecimal operand of a push, without prefix; truncated at the end of the code. */
	readonly operand?: string;
}

/** Lists every operation of a contract's code, regardless of active rules. Trailing data is listed as if it were code. */
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
