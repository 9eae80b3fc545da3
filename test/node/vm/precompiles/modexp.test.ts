import { describe, expect, it } from "vitest";
import type { Gates } from "../../../../src/node/vm/gates.js";
import type { Machine } from "../../../../src/node/vm/machine.js";
import { modexp } from "../../../../src/node/vm/precompiles/modexp.js";
import { wordToBytes } from "../../../../src/node/vm/word.js";
import { fromHex, toHex } from "../../../../src/protocol/bytes.js";
import { TransactionResultContractResult as Result } from "../../../../src/protocol/messages.js";
import { CALLER, latestGates } from "../machine-fixture.js";

const osaka: Gates = { ...latestGates, osaka: true };
const version35: Gates = { ...latestGates, endsEndlessWork: true };

/** The three lengths, and what follows them. */
function input(base: number, exponent: number, modulus: number, rest = ""): Uint8Array {
	return Buffer.concat([...[base, exponent, modulus].map((length) => wordToBytes(length)), fromHex(rest)]);
}

function run(gates: Gates, bytes: Uint8Array): { readonly success: boolean; readonly output: string } {
	const machine = { gates, options: { deadlineMs: Number.POSITIVE_INFINITY } } as Machine;
	const { success, output } = modexp.run(bytes, { machine, caller: CALLER });
	return { success, output: toHex(output) };
}

describe("the price of modexp", () => {
	it.each([
		[0, 0, 0, "", 0n, 500n],
		[1, 1, 1, "03", 0n, 500n],
		[32, 32, 32, "ff".repeat(32), 13_056n, 4_080n],
		[64, 1, 64, "02", 204n, 500n],
		[64, 3, 64, "010001", 3_276n, 2_048n],
		[128, 1, 128, "02", 665n, 512n],
		[256, 3, 256, "010001", 30_310n, 32_768n],
		[256, 256, 256, "ff".repeat(32), 3_877_836n, 7_862_272n],
		[1024, 1024, 1024, `80${"00".repeat(31)}`, 146_363_340n, 528_449_536n],
		[33, 33, 33, "00".repeat(32), 435n, 800n],
	])("of lengths %i, %i and %i with an exponent of %s…", (base, exponent, modulus, head, before, since) => {
		const bytes = input(base, exponent, modulus, "01".repeat(base) + head);
		expect(modexp.energy(bytes, latestGates)).toBe(before);
		expect(modexp.energy(bytes, osaka)).toBe(since);
	});

	it("has a least and a greatest", () => {
		expect(modexp.energy(new Uint8Array(0), osaka)).toBe(500n);
		const huge = Buffer.from("ff".repeat(96), "hex");
		for (const gates of [latestGates, osaka]) expect(modexp.energy(huge, gates)).toBe(2n ** 63n - 1n);
	});
});

describe("the operands of modexp", () => {
	it.each([
		[1025, 1, 1],
		[1, 1025, 1],
		[1, 1, 1025],
	])("of %i, %i and %i bytes are too long since #96", (base, exponent, modulus) => {
		expect(run(osaka, input(base, exponent, modulus))).toEqual({ success: false, output: "" });
		expect(run(latestGates, input(base, exponent, modulus))).toMatchObject({ success: true });
	});

	it("may have 1024 bytes", () => {
		const bytes = input(1024, 1024, 1024, `${"00".repeat(1023)}02${"00".repeat(1023)}03${"ff".repeat(1024)}`);
		expect(run(osaka, bytes)).toEqual({ success: true, output: "08".padStart(2048, "0") });
	});

	it("of which the modulus is zero give zeros since #96, nothing before", () => {
		const zero = input(1, 1, 3, "0203000000");
		expect(run(latestGates, zero)).toEqual({ success: true, output: "" });
		expect(run(osaka, zero)).toEqual({ success: true, output: "000000" });
	});

	it("that are missing count as zeros; without a length of the modulus nothing comes out", () => {
		expect(run(osaka, input(1, 1, 2))).toEqual({ success: true, output: "0000" });
		expect(run(osaka, input(1, 1, 2).subarray(0, 64))).toEqual({ success: true, output: "" });
		expect(run(osaka, new Uint8Array(0))).toEqual({ success: true, output: "" });
	});

	it("that nobody pays for end the transaction from block version 35 on", () => {
		expect(run(version35, input(0, 1024, 0))).toEqual({ success: true, output: "" });
		expect(run(latestGates, input(0, 1025, 0))).toEqual({ success: true, output: "" });
		expect(() => run(version35, input(0, 1025, 0))).toThrow(
			expect.objectContaining({
				result: Result.OUT_OF_TIME,
				message: "CPU timeout for modExp executing",
				name: "VmAbort",
			}),
		);
		expect(run(version35, input(1, 1025, 0))).toMatchObject({ success: true });
		expect(run({ ...version35, osaka: true }, input(0, 1025, 0))).toEqual({ success: false, output: "" });
	});
});
