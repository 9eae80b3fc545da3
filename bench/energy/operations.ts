/** Operations on words, memory, code and logs, with the slowest operands. */

import { opcodes } from "../../src/node/vm/opcodes.js";
import type { Shape } from "./host.js";

const word = (byte: string): string => `0x${byte.repeat(32)}`;

/** Operands of several kinds; the second is on top of the stack. */
const PAIRS: readonly (readonly [kind: string, below: string, top: string])[] = [
	["small", "0x07", "0x05"],
	["of 53 bits", "0x1fffffffffffff", "0x1fffffffffffff"],
	["wide", word("f1"), word("e3")],
	["wide by half as wide", `0x${"c7".repeat(16)}`, word("f5")],
	["small by wide", "0x03", word("ff")],
	["wide by small", word("e7"), "0x09"],
];

const BINARY = ["ADD", "MUL", "SUB", "DIV", "SDIV", "MOD", "SMOD", "SIGNEXTEND", "LT", "GT", "SLT", "SGT"];
const BITS = ["EQ", "AND", "OR", "XOR", "BYTE", "SHL", "SHR", "SAR"];

const binary: readonly Shape[] = [...BINARY, ...BITS].flatMap((name) =>
	PAIRS.map(([kind, below, top]) => ({
		name: `${name}, ${kind}`,
		covers: [name],
		before: `${below} ${top}`,
		body: `DUP2 DUP2 ${name} POP`,
	})),
);

const ternary: readonly Shape[] = ["ADDMOD", "MULMOD"].flatMap((name) =>
	(
		[
			["wide", word("f1"), word("e3"), word("d7")],
			["small", "0x11", "0x07", "0x05"],
			["of 53 bits", "0x1fffffffffffff", "0x1ffffffffffffe", "0x1ffffffffffffd"],
			["wide by small", "0x07", word("e3"), word("d7")],
		] as const
	).map(([kind, third, second, first]) => ({
		name: `${name}, ${kind}`,
		covers: [name],
		before: `${third} ${second} ${first}`,
		body: `DUP3 DUP3 DUP3 ${name} POP`,
	})),
);

const unary: readonly Shape[] = ["ISZERO", "NOT"].flatMap((name) =>
	[
		["small", "0x07"],
		["wide", word("f1")],
	].map(([kind, operand]) => ({
		name: `${name}, ${kind}`,
		covers: [name],
		before: operand as string,
		body: `DUP1 ${name} POP`,
	})),
);

const zeros: readonly Shape[] = [
	"00",
	"07",
	"ff".repeat(6),
	"f1".repeat(9),
	"f1".repeat(15),
	"f1".repeat(32),
].map((operand) => ({
	name: `CLZ, ${operand.length / 2} bytes`,
	gates: { osaka: true },
	covers: ["CLZ"],
	before: `0x${operand}`,
	body: "DUP1 CLZ POP",
}));

const powers: readonly Shape[] = (
	[
		["a wide base, all bits of 32 bytes", word("ff"), word("f1")],
		["an even base, all bits of 32 bytes", word("ff"), `0x${"f1".repeat(31)}f0`],
		["a base of 2, all bits of 32 bytes", word("ff"), "0x02"],
		["a base of 3, alternate bits of 32 bytes", word("aa"), "0x03"],
		["a wide base, all bits of 17 bytes", `0x${"ff".repeat(17)}`, word("f1")],
		["a wide base, one byte", "0xff", word("f1")],
		["small", "0x05", "0x07"],
	] as const
).map(([kind, exponent, base]) => ({
	name: `EXP, ${kind}`,
	covers: ["EXP"],
	before: `${exponent} ${base}`,
	body: "DUP2 DUP2 EXP POP",
}));

/** Operations without operands. */
const ENVIRONMENT = [
	"ADDRESS ORIGIN CALLER CALLVALUE CALLDATASIZE CODESIZE GASPRICE RETURNDATASIZE COINBASE TIMESTAMP NUMBER DIFFICULTY",
	"GASLIMIT CHAINID SELFBALANCE BASEFEE BLOBBASEFEE PC MSIZE GAS CALLTOKENVALUE CALLTOKENID PUSH0",
].flatMap((names) => names.split(" "));

const nullary: readonly Shape[] = ENVIRONMENT.map((name) => ({
	name,
	covers: [name],
	body: `${name} POP`,
	unroll: 100,
}));

const pushes: readonly Shape[] = Array.from({ length: 32 }, (_, i) => ({
	name: `PUSH${i + 1}`,
	covers: [`PUSH${i + 1}`],
	body: `0x${"f1".repeat(i + 1)} POP`,
	unroll: 200,
}));

const stack: readonly Shape[] = [
	{ name: "POP after PUSH0", covers: ["POP", "PUSH0"], body: "PUSH0 POP", unroll: 200 },
	...Array.from({ length: 16 }, (_, i) => ({
		name: `DUP${i + 1}`,
		covers: [`DUP${i + 1}`],
		before: `${word("f1")} `.repeat(i + 1),
		body: `DUP${i + 1} POP`,
		unroll: 200,
	})),
	...Array.from({ length: 16 }, (_, i) => ({
		name: `SWAP${i + 1}`,
		covers: [`SWAP${i + 1}`],
		before: `${word("f1")} `.repeat(i + 2),
		body: `SWAP${i + 1}`,
		unroll: 200,
	})),
	{ name: "JUMPDEST", covers: ["JUMPDEST"], body: "JUMPDEST", unroll: 2000 },
	{ name: "JUMP", covers: ["JUMP"], body: "", unroll: 1 },
	{ name: "JUMPI, not taken", covers: ["JUMPI"], body: "PUSH0 PUSH0 JUMPI", unroll: 100 },
];

const MEMORY = "0x300000";
/** Energy reserve for 3 MiB of memory, whose expansion costs 19 M. */
const LARGE = 30_000_000;

/** With memory already expanded to its maximum. */
const ofAllMemory = (name: string, covers: string, body: string, unroll = 1): Shape => ({
	name,
	covers: [covers],
	before: "0x01 0x2fffe0 MSTORE",
	body,
	unroll,
	energy: LARGE,
	reserve: 2_000_000,
});

const memory: readonly Shape[] = [
	{
		name: "MLOAD, small",
		covers: ["MLOAD"],
		before: "0x01 PUSH0 MSTORE",
		body: "PUSH0 MLOAD POP",
		unroll: 100,
	},
	{
		name: "MLOAD, wide",
		covers: ["MLOAD"],
		before: `${word("f1")} PUSH0 MSTORE`,
		body: "PUSH0 MLOAD POP",
		unroll: 100,
	},
	{
		name: "MLOAD, unaligned",
		covers: ["MLOAD"],
		before: `${word("f1")} PUSH0 MSTORE 0x3f`,
		body: "0x01 MLOAD POP",
		unroll: 100,
	},
	{ name: "MSTORE, small", covers: ["MSTORE"], body: "0x07 PUSH0 MSTORE", unroll: 100 },
	{ name: "MSTORE, wide", covers: ["MSTORE"], before: word("f1"), body: "DUP1 0x01 MSTORE", unroll: 100 },
	{ name: "MSTORE, growing", covers: ["MSTORE"], body: "GAS MSIZE MSTORE", unroll: 100, energy: 3_000_000 },
	{ name: "MSTORE8", covers: ["MSTORE8"], before: word("f1"), body: "DUP1 0x01 MSTORE8", unroll: 100 },
	{ name: "MCOPY, nothing", covers: ["MCOPY"], body: "PUSH0 PUSH0 PUSH0 MCOPY", unroll: 100 },
	{
		name: "MCOPY, a word",
		covers: ["MCOPY"],
		before: "0x01 0x40 MSTORE",
		body: "0x20 0x01 PUSH0 MCOPY",
		unroll: 100,
	},
	ofAllMemory("MCOPY, all memory", "MCOPY", "0x2fffff PUSH0 0x01 MCOPY"),
	...["CALLDATACOPY", "CODECOPY"].flatMap((name) => [
		{ name: `${name}, nothing`, covers: [name], body: `PUSH0 PUSH0 PUSH0 ${name}`, unroll: 100 },
		{ name: `${name}, a word`, covers: [name], body: `0x20 0x01 PUSH0 ${name}`, unroll: 100 },
		{ name: `${name}, beyond the end`, covers: [name], body: `0x20 0xffffff PUSH0 ${name}`, unroll: 100 },
		ofAllMemory(`${name}, all memory`, name, `${MEMORY} 0x20 PUSH0 ${name}`),
	]),
	{
		name: "RETURNDATACOPY, nothing",
		covers: ["RETURNDATACOPY"],
		body: "PUSH0 PUSH0 PUSH0 RETURNDATACOPY",
		unroll: 100,
	},
	{
		name: "RETURNDATACOPY, a word",
		covers: ["RETURNDATACOPY"],
		before: "PUSH0 PUSH0 0x40 PUSH0 0x04 GAS STATICCALL POP",
		body: "0x20 0x01 PUSH0 RETURNDATACOPY",
		unroll: 100,
	},
	{
		name: "CALLDATALOAD",
		covers: ["CALLDATALOAD"],
		body: "0x01 CALLDATALOAD POP",
		unroll: 100,
		input: Buffer.alloc(64, 0xf1),
	},
	{
		name: "CALLDATALOAD, across the end",
		covers: ["CALLDATALOAD"],
		body: "0x21 CALLDATALOAD POP",
		unroll: 100,
		input: Buffer.alloc(64, 0xf1),
	},
	...[0, 32, 136, 1024].map((size) => ({
		name: `SHA3, ${size} bytes`,
		covers: ["SHA3"],
		before: `${word("f1")} 0x3e0 MSTORE`,
		body: `0x${size.toString(16)} PUSH0 SHA3 POP`,
		unroll: 50,
	})),
	ofAllMemory("SHA3, all memory", "SHA3", `${MEMORY} PUSH0 SHA3 POP`),
];

const logs: readonly Shape[] = [0, 1, 2, 3, 4].flatMap((topics) => [
	{
		name: `LOG${topics}, no data`,
		covers: [`LOG${topics}`],
		before: word("f1"),
		body: `${"DUP1 ".repeat(topics)}PUSH0 PUSH0 LOG${topics}`,
	},
	{
		name: `LOG${topics}, 1 KiB`,
		covers: [`LOG${topics}`],
		before: `0x01 0x03e0 MSTORE ${word("f1")}`,
		body: `${"DUP1 ".repeat(topics)}0x400 PUSH0 LOG${topics}`,
		unroll: 4,
	},
]);

const transient: readonly Shape[] = [
	{ name: "TLOAD, missing", covers: ["TLOAD"], body: "GAS TLOAD POP" },
	{ name: "TSTORE, new slots", covers: ["TSTORE"], body: "GAS GAS TSTORE" },
	{ name: "TSTORE, one slot", covers: ["TSTORE"], body: "GAS PUSH0 TSTORE" },
];

const inert: readonly Shape[] = ["BLOBHASH"].map((name) => ({
	name,
	covers: [name],
	body: `PUSH0 ${name} POP`,
}));

export const operationShapes: readonly Shape[] = [
	...binary,
	...ternary,
	...unary,
	...zeros,
	...powers,
	...nullary,
	...pushes,
	...stack,
	...memory,
	...logs,
	...transient,
	...inert,
];

/** All operation names, to check that none is missing. */
export const operationNames: readonly string[] = opcodes.map((row) => row.name);
