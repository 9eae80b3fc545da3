import { describe, expect, it } from "vitest";
import type { Gates } from "../../../src/node/vm/gates.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { assemble } from "./assembler.js";
import { CONTRACT, emptyState, putTestContract, runContract } from "./machine-fixture.js";

const SHA256 = "0x02";
/** SHA-256 of nothing. */
const HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const FILL = "ff".repeat(32);
/** Memory of 64 bytes of ff. */
const FILLED = `0x${FILL} PUSH0 MSTORE 0x${FILL} 0x20 MSTORE`;

/** Calls a precompile without input, then returns the first 64 bytes of memory, its size and the size of the return data. */
async function callPrecompile(
	word: string,
	outOffset: string,
	outSize: string,
	gates: Partial<Gates>,
	energy = "GAS",
): Promise<{
	readonly memory: string;
	readonly size: number;
	readonly returned: number;
	readonly result: number;
}> {
	const state = await emptyState();
	const text = `${FILLED} ${outSize} ${outOffset} PUSH0 PUSH0 ${word} ${energy} STATICCALL
		MSIZE 0x00 SSTORE 0x01 SSTORE RETURNDATASIZE 0x02 SSTORE 0x40 PUSH0 RETURN`;
	putTestContract(state, CONTRACT, toHex(assemble(text)));
	const frame = runContract(state, { gates });
	if (frame.failure) throw frame.failure;
	const at = (slot: number): number => Number(frame.storage.load(slot) ?? 0);
	return { memory: toHex(frame.output), size: at(0), returned: at(2), result: at(1) };
}

describe("the output of a precompile", () => {
	it.each([0, 1, 31, 32, 33])(
		"is written to memory up to the %i bytes that were asked for, since #94",
		async (size) => {
			const {
				memory,
				size: end,
				returned,
				result,
			} = await callPrecompile(SHA256, "PUSH0", `0x${size.toString(16)}`, {
				restrictedSelfDestruct: true,
			});
			const written = HASH.slice(0, 2 * size);
			expect(memory).toBe(written + (FILL + FILL).slice(written.length));
			expect([end, returned, result]).toEqual([64, 32, 1]);
		},
	);

	it.each([0, 1, 31, 32, 33])("is written whole before #94, if %i bytes were asked for", async (size) => {
		const { memory } = await callPrecompile(SHA256, "PUSH0", `0x${size.toString(16)}`, {});
		expect(memory).toBe(HASH + FILL);
	});

	it("makes memory larger than was paid for only before #94", async () => {
		const far = "0x0400";
		expect((await callPrecompile(SHA256, far, "PUSH0", {})).size).toBe(0x420);
		expect((await callPrecompile(SHA256, far, "PUSH0", { restrictedSelfDestruct: true })).size).toBe(64);
	});

	it("is not written at an offset beyond 31 bits that nothing was asked for at, since #94", async () => {
		const beyond = `0x${FILL}`;
		await expect(callPrecompile(SHA256, beyond, "PUSH0", {})).rejects.toThrow("out of bounds");
		const { result, memory } = await callPrecompile(SHA256, beyond, "PUSH0", {
			restrictedSelfDestruct: true,
		});
		expect([result, memory]).toEqual([1, FILL + FILL]);
	});

	it("is not written if the price isn't covered", async () => {
		for (const restrictedSelfDestruct of [false, true]) {
			const call = await callPrecompile(SHA256, "PUSH0", "0x20", { restrictedSelfDestruct }, "0x3b");
			expect(call).toMatchObject({ memory: FILL + FILL, returned: 0, result: 0 });
		}
	});

	it("is written even of a failure: 32 zero bytes of blake2f, as far as they were asked for", async () => {
		const gates = { compatible: true, restrictedSelfDestruct: true };
		const { memory, returned, result } = await callPrecompile("0x020009", "PUSH0", "0x04", gates, "0x64");
		expect([memory, returned, result]).toEqual([`00000000${FILL}${FILL}`.slice(0, 128), 0, 0]);
	});
});

it("since #96, inputs of wrong shape make the calls of signature checks fail, with all that was given", async () => {
	for (const [word, each] of [
		["0x09", 192],
		["0x0a", 160],
	] as const) {
		for (const [length, result] of [
			[0, 0],
			[31, 0],
			[160, 0],
			[160 + each - 32, 0],
			[160 + each - 1, 0],
			[160 + each, 1],
			[160 + 2 * each, 1],
		] as const) {
			const state = await emptyState();
			// The array of signatures begins at the first word after the header, and is empty.
			const text = `0x80 0x20 MSTORE 0x80 0x40 MSTORE 0x80 0x60 MSTORE
				0x20 0x0400 0x${length.toString(16).padStart(4, "0")} PUSH0 ${word} 0x7530 STATICCALL PUSH0 MSTORE 0x20 PUSH0 RETURN`;
			putTestContract(state, CONTRACT, toHex(assemble(text)));
			const frame = runContract(state, { gates: { osaka: true, restrictedSelfDestruct: true } });
			expect([word, length, Number(frame.output[31])]).toEqual([word, length, result]);
			if (result === 0) expect(Number(frame.used)).toBeGreaterThan(30_000);
		}
	}
});

it("since #94, an array of 0x0a outside the input fails the caller", async () => {
	const state = await emptyState();
	const text = `0x${"ff".repeat(32)} 0x60 MSTORE PUSH0 PUSH0 0x0140 PUSH0 0x0a 0x7530 STATICCALL STOP`;
	putTestContract(state, CONTRACT, toHex(assemble(text)));
	expect(runContract(state).failure).toBeUndefined();
	for (const osaka of [false, true]) {
		const { failure } = runContract(state, { gates: { restrictedSelfDestruct: true, osaka } });
		expect(failure?.className).toBe("java.lang.ArrayIndexOutOfBoundsException");
	}
});
