import { describe, expect, it } from "vitest";
import { disassemble } from "../../../src/node/vm/disassembler.js";
import { opcodes } from "../../../src/node/vm/opcodes.js";
import { fromHex } from "../../../src/protocol/bytes.js";

describe("disassembling", () => {
	it("names operations, and takes pushed bytes for data", () => {
		expect(disassemble(fromHex("605b5f62aabbccd020d0fe"))).toEqual([
			{ pc: 0, name: "PUSH1", byte: 0x60, operand: "5b" },
			{ pc: 2, name: "PUSH0", byte: 0x5f },
			{ pc: 3, name: "PUSH3", byte: 0x62, operand: "aabbcc" },
			{ pc: 7, name: "CALLTOKEN", byte: 0xd0 },
			{ pc: 8, name: "SHA3", byte: 0x20 },
			{ pc: 9, name: "CALLTOKEN", byte: 0xd0 },
			{ pc: 10, name: "INVALID", byte: 0xfe },
		]);
	});

	it("keeps what there is of an operand that the code cuts off", () => {
		expect(disassemble(fromHex("61aa"))).toEqual([{ pc: 0, name: "PUSH2", byte: 0x61, operand: "aa" }]);
	});
});

describe("the opcode table", () => {
	it("has one row a byte, and one byte a name", () => {
		expect(new Set(opcodes.map((row) => row.byte)).size).toBe(opcodes.length);
		expect(new Set(opcodes.map((row) => row.name)).size).toBe(opcodes.length);
	});

	it("lists nothing where the network has nothing", () => {
		const bytes = new Set(opcodes.map((row) => row.byte));
		const missing = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !bytes.has(byte));
		const expected = [
			[0x0c, 0x0f],
			[0x1f, 0x1f],
			[0x21, 0x2f],
			[0x4b, 0x4f],
			[0xa5, 0xcf],
			[0xe0, 0xef],
			[0xf6, 0xf9],
			[0xfb, 0xfc],
			[0xfe, 0xfe],
		].flatMap(([from = 0, to = 0]) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
		expect(missing).toEqual(expected);
	});
});
