/** Generates docs/opcodes.md from the opcode table. */

import type { Gates } from "../src/node/vm/gates.js";
import type { Instruction } from "../src/node/vm/instruction.js";
import { opcodes } from "../src/node/vm/opcodes.js";

/** Chain parameters by the gate that they open. */
const PARAMETERS: Partial<Record<keyof Gates, string>> = {
	tokens: "#18",
	constantinople: "#26",
	solidity059: "#32",
	istanbul: "#41",
	freeze: "#52",
	vote: "#59",
	london: "#63",
	freezeV2: "#70",
	shanghai: "#76",
	cancun: "#83",
	blob: "#89",
	osaka: "#96",
};

const COPY = "memory + 3 a word";
const CALL = "40 + memory, 9,000 with value, what it passes on";

/** Energy of operations whose cost isn't constant. */
const RULES: Readonly<Record<string, string>> = {
	EXP: "10 + 10 a byte of the exponent",
	SHA3: "30 + memory + 6 a word",
	CALLDATACOPY: COPY,
	CODECOPY: COPY,
	EXTCODECOPY: `20 + ${COPY}`,
	RETURNDATACOPY: COPY,
	MLOAD: "memory, + 1 since #65",
	MSTORE: "memory, + 1 since #65",
	MSTORE8: "memory, + 1 since #65",
	SSTORE: "20,000 for a value in an absent slot, else 5,000",
	MCOPY: `3 + ${COPY}`,
	...Object.fromEntries([0, 1, 2, 3, 4].map((n) => [`LOG${n}`, `${375 * (n + 1)} + 8 a byte + memory`])),
	CALLTOKEN: `${CALL}; 25,000 for a new account with value`,
	FREEZE: "20,000; 25,000 more for a new account",
	VOTEWITNESS: "30,000 + memory of both lists",
	CREATE: "32,000 + memory; 200 a byte of the contract",
	CALL: `${CALL}; 25,000 for a new account with value`,
	CALLCODE: CALL,
	RETURN: "memory",
	DELEGATECALL: "40 + memory, what it passes on",
	CREATE2: "32,000 + memory + 6 a word; 200 a byte of the contract",
	STATICCALL: "40 + memory, what it passes on",
	REVERT: "memory",
	SUICIDE: "0; since #81 25,000 for a new account; since #94 5,000 more",
};

/** @throws if the opcode table and RULES disagree on whether the energy is constant */
function energyOf({ name, cost, action, isCall }: Instruction): string {
	const depends = typeof cost !== "number" || isCall || action.kind === "mload" || action.kind === "mstore";
	const rule = RULES[name];
	if (depends !== (rule !== undefined)) throw new Error(`the energy of ${name} is told wrongly`);
	return rule ?? (cost as number).toLocaleString("en");
}

function gateOf({ name, gate }: Instruction): string {
	if (!gate) return "";
	const parameter = PARAMETERS[gate];
	if (!parameter) throw new Error(`the gate of ${name} has no parameter`);
	return parameter;
}

/** The text of docs/opcodes.md. */
export function opcodePage(): string {
	const rows = [...opcodes].sort((a, b) => a.byte - b.byte);
	return [
		"# Operations of the contract machine",
		"",
		"Written by `npm run document` from the opcode table (`src/node/vm/opcodes.ts`), which the interpreter, the",
		"disassembler and the texts of failures are made of. Bytes that are missing here are not operations, nor are those",
		"whose parameter is off. `coin chain params` lists the parameters.",
		"",
		"*Memory* is the price of making memory larger: 3 a word of 32 bytes, and a 512th of the square of the words. Under",
		"dynamic energy (#72) a much used contract pays its factor on all of this but what a call passes on.",
		"",
		"| byte | operation | takes | gives | energy | since |",
		"|---|---|---|---|---|---|",
		...rows.map(
			(row) =>
				`| \`${row.byte.toString(16).padStart(2, "0")}\` | ${row.name} | ${row.takes} | ${row.gives} | ${energyOf(row)} | ${gateOf(row)} |`,
		),
		"",
	].join("\n");
}
