import { describe, expect, it } from "vitest";
import { Productions } from "./productions.js";

/** A block of a branch; `witness` is its index in the branch's list. */
const blockOf = (branch: string, number: number, witness: number) => ({
	id: new TextEncoder().encode(`${branch}${number}`),
	number: BigInt(number),
	witness: Uint8Array.of(witness),
});

function chainOf(branch: string, witnesses: readonly number[]) {
	const blocks = witnesses.map((witness, i) => blockOf(branch, i + 1, witness));
	const [first] = blocks;
	const head = blocks.at(-1) ?? blockOf(branch, 1, 0);
	return { blocks, head, idAt: (number: bigint) => (blocks[Number(number) - 1] ?? first)?.id };
}

describe("what witnesses of a simulated network build", () => {
	it("is enough for a final block once five of seven have built on it, whoever built twice", () => {
		const productions = new Productions(7);
		const chain = chainOf("x", [1, 2, 3, 2, 4, 5]);
		for (const block of chain.blocks) expect(productions.isRepeated(block)).toBe(false);
		expect(productions.areEnough(chain, 1n)).toBe(true);
		expect(productions.areEnough(chain, 2n)).toBe(false);
		// Moving to a longer branch can make another block final without building a height twice.
		const other = chainOf("y", [6, 7, 6, 7, 6, 7, 1, 2, 3]);
		for (const block of other.blocks) expect(productions.isRepeated(block)).toBe(false);
		expect(productions.areEnough(other, 1n)).toBe(true);
	});

	it("is a fault where a witness builds a height twice, but not where a block comes again", () => {
		const productions = new Productions(7);
		expect(productions.isRepeated(blockOf("x", 3, 1))).toBe(false);
		expect(productions.isRepeated(blockOf("x", 3, 1))).toBe(false);
		expect(productions.isRepeated(blockOf("y", 3, 1))).toBe(true);
		expect(productions.isRepeated(blockOf("y", 2, 1))).toBe(true);
		expect(productions.isRepeated(blockOf("y", 3, 2))).toBe(false);
	});
});
