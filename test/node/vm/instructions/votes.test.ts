import { describe, expect, it } from "vitest";
import { toHex } from "../../../../src/protocol/bytes.js";
import { TransactionResultContractResult as Result } from "../../../../src/protocol/messages.js";
import { assemble } from "../assembler.js";
import { CONTRACT, emptyState, putTestContract, runContract } from "../machine-fixture.js";

/** Runs VOTEWITNESS with these operands: length and offset of the amounts, then of the witnesses. */
async function vote(operands: readonly (bigint | number)[], gates = {}) {
	const state = await emptyState();
	const pushes = [...operands].reverse().map((operand) => `0x${operand.toString(16).padStart(2, "0")}`);
	putTestContract(state, CONTRACT, toHex(assemble(`${pushes.join(" ")} VOTEWITNESS STOP`)));
	return runContract(state, { gates });
}

/** Twelve energy for the pushes. */
const PUSHES = 12;
const words = (count: number): number => 3 * count + Math.floor((count * count) / 512);

describe("the cost of VOTEWITNESS", () => {
	it.each([
		["without #81", { energyAdjustment: false }, 0],
		["with #81", {}, 1],
		["with #96", { osaka: true }, 1],
		["with #96 and without #81", { osaka: true, energyAdjustment: false }, 1],
	])("%s counts the length words", async (_, gates, header) => {
		// Without the header a list without elements is nothing, wherever it is.
		const end = header === 0 ? 0 : 0x100 / 32 + header;
		expect((await vote([0, 0, 0, 0x100], gates)).used).toBe(30_000 + PUSHES + words(end));
	});

	it("takes sizes that wrap for small ones before #96, for too large ones since", async () => {
		const length = 1n << 251n;
		expect((await vote([length, 0, length, 0])).failure?.result).toBe(Result.UNKNOWN);
		const { failure } = await vote([length, 0, length, 0], { osaka: true });
		expect(failure?.result).toBe(Result.OUT_OF_MEMORY);
		expect(failure?.message).toBe("Out of Memory when 'VOTEWITNESS' operation executing");
	});
});
