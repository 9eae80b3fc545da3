/** Numbers of public chains: powers of exchanges, recovery of energy, a tree of notes, a proof. */

import { describe, expect, it } from "vitest";
import { historicalPow } from "../../src/node/exchange/historical-pow.js";
import { increase } from "../../src/node/resources/window.js";
import { compiledGroth16 } from "../../src/node/shielded/groth16-compiled.js";
import { readVerifyingKey } from "../../src/node/shielded/verifying-key.js";
import { fromHex, toHex } from "../../src/protocol/bytes.js";
import {
	appendLeaf,
	EMPTY_NOTE_TREE,
	type NoteTree,
	treeRoot,
} from "../../src/protocol/sapling/incremental-tree.js";
import { decodePoint, readField } from "../../src/protocol/sapling/jubjub.js";
import { emptyState } from "../node/vm/machine-fixture.js";
import { facts } from "./facts.js";

function double(bits: string): number {
	return Buffer.from(bits.padStart(16, "0"), "hex").readDoubleBE();
}

describe("numbers of public chains", () => {
	it("powers that exchanges used before the strict ones", () => {
		const { exponent, rows } = facts<{ exponent: number; rows: [x: string, result: string][] }>(
			"numeric/exchange-power.json",
		);
		expect(rows.length).toBeGreaterThan(30);
		for (const [x, result] of rows) expect(historicalPow(double(x), exponent)).toBe(double(result));
	});

	it("usage after slots of a window", async () => {
		type Row = Readonly<Record<"used" | "add" | "from" | "to" | "window" | "result", number>>;
		const { properties } = await emptyState();
		const { recovery } = facts<{ recovery: Row[] }>("numeric/energy.json");
		for (const row of recovery) {
			const [used, add, from, to, window] = [row.used, row.add, row.from, row.to, row.window].map(BigInt);
			const args = [used, add, from, to, window] as [bigint, bigint, bigint, bigint, bigint];
			expect(increase(properties, ...args)).toBe(BigInt(row.result));
		}
	});

	it("the root of a shielded contract's tree", () => {
		const { depth, commitments, root } = facts<{ depth: number; commitments: string[]; root: string }>(
			"numeric/note-tree.json",
		);
		const tree = commitments.reduce<NoteTree>(
			(grown, leaf) => appendLeaf(grown, fromHex(leaf)),
			EMPTY_NOTE_TREE,
		);
		expect(toHex(treeRoot(tree, depth))).toBe(root);
	});

	it("an output proof under the network's own key", async () => {
		const given =
			facts<
				Readonly<
					Record<"verifyingKey" | "noteCommitment" | "valueCommitment" | "ephemeralKey" | "proof", string>
				>
			>("numeric/output-proof.json");
		const check = (await compiledGroth16()).prepare(readVerifyingKey(fromHex(given.verifyingKey), 5));
		const [cv, epk] = [given.valueCommitment, given.ephemeralKey].map((hex) =>
			decodePoint(fromHex(hex))?.toAffine(),
		);
		if (!cv || !epk) throw new Error("not points");
		const inputs = [cv.x, cv.y, epk.x, epk.y, readField(fromHex(given.noteCommitment)) ?? 0n];
		const proof = fromHex(given.proof);
		expect(check(proof, inputs)).toBe(true);
		expect(check(proof, [...inputs.slice(0, 4), (inputs[4] as bigint) + 1n])).toBe(false);
	});
});
