import { describe, expect, test } from "vitest";
import { rpcAnswersOf } from "../../../../src/node/api/jsonrpc/answers.js";
import { revertText } from "../../../../src/node/api/jsonrpc/revert-reason.js";
import { fromHex, toHex } from "../../../../src/protocol/bytes.js";
import { NamedError } from "../../../../src/protocol/json/exceptions.js";

const word = (n: number): string => n.toString(16).padStart(64, "0");
const padded = (text: string): string => toHex(Buffer.from(text)).padEnd(64, "0");

test.each<[string, string, string]>([
	["nothing", "", "REVERT opcode executed"],
	["another selector", `11111111${word(32)}`, "REVERT opcode executed"],
	["the selector alone", "08c379a0", "REVERT opcode executed"],
	["a reason", `08c379a0${word(32)}${word(6)}${padded("no way")}`, "REVERT opcode executed: no way"],
	["an empty reason", `08c379a0${word(32)}${word(0)}`, "REVERT opcode executed: "],
	[
		"a reason at another place",
		`08c379a0${word(64)}${word(9)}${word(2)}${padded("ab")}`,
		"REVERT opcode executed: ab",
	],
	["a reason that is cut off", `08c379a0${word(32)}${word(4)}6162`, "REVERT opcode executed: ab\0\0"],
])("the text of a revert with %s", (_name, output, expected) => {
	expect(revertText(fromHex(output))).toBe(expected);
});

test.each<[string, string]>([
	["half a word", "08c379a0ff"],
	["a place beyond the end", `08c379a0${word(4096)}`],
	["an endless length", `08c379a0${word(32)}${"f".repeat(64)}`],
])("a reason with %s can't be read", (_name, output) => {
	expect(() => revertText(fromHex(output))).toThrow(
		new NamedError("UnsupportedOperationException", "unsupported type:string"),
	);
});

describe("the error of a reverted call", () => {
	const reason = (text: string): string =>
		`08c379a0${word(32)}${word(text.length)}${toHex(Buffer.from(text)).padEnd(Math.ceil(text.length / 32) * 64, "0")}`;
	const REVERT = "REVERT opcode executed";

	test.each<[string, string, string]>([
		["nothing", "", REVERT],
		["a reason", reason("no way"), `${REVERT}: no way`],
		["an empty reason", reason(""), REVERT],
		["a reason that can't be read", `08c379a0${word(4096)}`, REVERT],
		["another selector", `4e487b71${word(18)}`, REVERT],
		["a long reason", reason("x".repeat(4096)), `${REVERT}: ${"x".repeat(4096)}`],
		["a longer reason", reason("x".repeat(4097)), REVERT],
	])("tells %s and what was returned, from release 4.8.2 on", (_name, output, message) => {
		const data = output === "" ? undefined : `0x${output}`;
		const error = rpcAnswersOf({ release: "4.8.2" }).reverted(fromHex(output));
		expect(error).toMatchObject({ code: -32000, message, data });
	});

	test("tells an empty reason in release 4.8.1, and nothing more in 4.8.0", () => {
		const output = fromHex(reason(""));
		const error = rpcAnswersOf({ release: "4.8.1" }).reverted(output);
		expect(error).toMatchObject({ message: `${REVERT}: `, data: `0x${toHex(output)}` });
		const { data } = rpcAnswersOf({ release: "4.8.0" }).reverted(output);
		expect(data).toBeUndefined();
	});
});
