/** Calls, contract creation, and operations that end a frame. */

import { toHex } from "../../src/protocol/bytes.js";
import { CALLEE, type Shape } from "./host.js";

const callee = `0x${toHex(CALLEE.subarray(1))}`;
/** An account that doesn't exist. */
const ABSENT = "0x1234567890";

/** Call operations, with the operands pushed between input range and target: token id, value. */
const CALLS: readonly (readonly [name: string, before: string])[] = [
	["CALL", "PUSH0"],
	["CALLCODE", "PUSH0"],
	["DELEGATECALL", ""],
	["STATICCALL", ""],
	["CALLTOKEN", "0x0f4241 PUSH0"],
];

const call = (name: string, target: string, inSize = "PUSH0", outSize = "PUSH0", energy = "GAS"): string => {
	const value = CALLS.find(([each]) => each === name)?.[1] ?? "";
	return `${outSize} PUSH0 ${inSize} PUSH0 ${value} ${target} ${energy} ${name} POP`;
};

/** Grows memory without charge: the identity contract writes its output there. */
const freeMemory = "PUSH0 0x2fffe0 0x20 PUSH0 0x04 GAS STATICCALL POP";

const plain: readonly Shape[] = CALLS.flatMap(([name]) => [
	{ name: `${name}, an account that isn't there`, covers: [name], body: call(name, ABSENT) },
	{ name: `${name}, other accounts that aren't there`, covers: [name], body: call(name, "GAS") },
	{
		name: `${name}, a contract that stops`,
		covers: [name, "STOP"],
		body: call(name, callee),
		callee: "STOP",
	},
	{
		name: `${name}, a contract that fails`,
		covers: [name],
		body: call(name, callee, "PUSH0", "PUSH0", "0x03"),
		callee: "POP",
	},
	{
		name: `${name}, a contract that reverts`,
		covers: [name, "REVERT"],
		body: call(name, callee),
		callee: "PUSH0 PUSH0 REVERT",
	},
	{
		name: `${name}, a contract that returns a word`,
		covers: [name, "RETURN"],
		body: call(name, callee, "0x20", "0x20"),
		callee: "0x20 PUSH0 RETURN",
	},
]);

const large = { before: "0x01 0x2fffe0 MSTORE", energy: 22_000_000, reserve: 2_000_000 };

/** Calls with large memory ranges at low cost. */
const wide: readonly Shape[] = [
	{
		name: "CALL, 3 MiB of input, no account there",
		covers: ["CALL"],
		body: call("CALL", ABSENT, "0x300000"),
		...large,
	},
	{
		name: "CALL, 3 MiB of input, a contract",
		covers: ["CALL"],
		body: call("CALL", callee, "0x300000"),
		...large,
	},
	{
		name: "CALL, 3 MiB of input, a precompiled contract without energy",
		covers: ["CALL"],
		body: call("CALL", "0x04", "0x300000", "PUSH0", "PUSH0"),
		...large,
	},
	{
		name: "CALL, 3 MiB of input, alt_bn128",
		covers: ["CALL"],
		body: call("CALL", "0x06", "0x300000"),
		...large,
	},
	{
		name: "CALL, a contract that returns 3 MiB that it didn't pay for",
		covers: ["CALL"],
		body: call("CALL", callee),
		callee: `${freeMemory} 0x300000 PUSH0 RETURN`,
	},
	{
		name: "CALL, 3 MiB copied from a contract that didn't pay for them",
		covers: ["CALL"],
		body: call("CALL", callee, "PUSH0", "0x300000"),
		callee: `${freeMemory} 0x300000 PUSH0 RETURN`,
		...large,
	},
	{
		name: "CALL, a contract that reads 3 MiB of memory that it didn't pay for",
		covers: ["CALL"],
		body: call("CALL", callee),
		callee: `${freeMemory} 0x2fffe0 MLOAD STOP`,
	},
	{
		name: "CALL, output far beyond memory",
		covers: ["CALL"],
		before: "0x20000000",
		body: "0x1000 ADD PUSH0 DUP2 0x20 PUSH0 0x04 GAS STATICCALL POP",
		unroll: 8,
	},
];

/** Deep recursion. */
const nested: readonly Shape[] = [
	{
		name: "CALL, of itself to the deepest",
		covers: ["CALL"],
		body: call("CALL", callee),
		callee: call("CALL", callee),
		unroll: 1,
		reserve: 200_000,
	},
	{
		name: "CALL, a tree of failures",
		covers: ["CALL"],
		body: call("CALL", callee, "PUSH0", "PUSH0", "0x4000"),
		callee: `${call("CALL", callee, "PUSH0", "PUSH0", "0x1000")} ${call("CALL", callee)} POP`,
		unroll: 1,
		reserve: 200_000,
	},
];

const values: readonly Shape[] = [
	{
		name: "CALL, with a value",
		covers: ["CALL"],
		body: `PUSH0 PUSH0 PUSH0 PUSH0 0x01 ${callee} PUSH0 CALL POP`,
		energy: 3_000_000,
		reserve: 300_000,
	},
	{
		name: "CALL, more value than there is",
		covers: ["CALL"],
		before: `0x${"07".repeat(8)}`,
		body: `PUSH0 PUSH0 PUSH0 PUSH0 DUP5 ${callee} PUSH0 CALL POP`,
		energy: 3_000_000,
		reserve: 300_000,
	},
];

/** Creation code of 3 MiB that starts with STOP, or jumps to its end. */
const creations: readonly Shape[] = [
	{
		name: "CREATE, nothing",
		covers: ["CREATE"],
		body: "PUSH0 PUSH0 PUSH0 CREATE POP",
		energy: 5_000_000,
		reserve: 1_000_000,
	},
	{
		name: "CREATE2, nothing",
		covers: ["CREATE2"],
		body: "GAS PUSH0 PUSH0 PUSH0 CREATE2 POP",
		energy: 5_000_000,
		reserve: 1_000_000,
	},
	{
		name: "CREATE, code of 3 MiB",
		covers: ["CREATE"],
		body: "0x300000 PUSH0 PUSH0 CREATE POP",
		unroll: 4,
		...large,
		energy: 24_000_000,
	},
	{
		name: "CREATE, code of 3 MiB that jumps to its end",
		covers: ["CREATE"],
		...large,
		before: `0x622ffff056${"00".repeat(27)} PUSH0 MSTORE 0x5b 0x2ffff0 MSTORE8`,
		body: "0x300000 PUSH0 PUSH0 CREATE POP",
		unroll: 4,
		energy: 24_000_000,
	},
	{
		name: "CREATE2, code of 3 MiB",
		covers: ["CREATE2"],
		body: "GAS 0x300000 PUSH0 PUSH0 CREATE2 POP",
		unroll: 1,
		...large,
		energy: 32_000_000,
	},
	{
		name: "SUICIDE of new contracts",
		covers: ["SUICIDE", "CREATE"],
		before: "0x30ff PUSH0 MSTORE",
		body: "0x02 0x1e PUSH0 CREATE PUSH0 PUSH0 PUSH0 PUSH0 PUSH0 DUP6 GAS CALL POP POP",
		unroll: 4,
		energy: 5_000_000,
		reserve: 200_000,
	},
	{
		name: "SUICIDE, again and again",
		covers: ["SUICIDE"],
		body: call("CALL", callee),
		callee: "ADDRESS SUICIDE",
	},
	{
		name: "SUICIDE, of another's behalf",
		covers: ["SUICIDE"],
		body: call("CALL", callee),
		callee: "CALLER SUICIDE",
	},
	...["CALLER", "ADDRESS"].map((heir) => ({
		name: `SUICIDE since #94, leaving all to the ${heir.toLowerCase()}`,
		gates: { restrictedSelfDestruct: true },
		covers: ["SUICIDE"],
		body: call("CALL", callee),
		callee: `${heir} SUICIDE`,
	})),
];

export const callShapes: readonly Shape[] = [...plain, ...wide, ...nested, ...values, ...creations];
