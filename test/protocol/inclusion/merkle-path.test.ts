import { expect, it } from "vitest";
import { merkleRoot } from "../../../src/protocol/block.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { sha256 } from "../../../src/protocol/hash.js";
import { merklePath, rootOfPath } from "../../../src/protocol/inclusion/merkle-path.js";
import { inclusionFacts } from "./real-proof.js";

it("every leaf of trees of every shape leads to the root", () => {
	for (let count = 1; count <= 33; count++) {
		const leaves = Array.from({ length: count }, (_, index) => sha256(Uint8Array.of(index)));
		const root = toHex(merkleRoot(leaves));
		for (const [index, leaf] of leaves.entries())
			expect(toHex(rootOfPath(leaf, merklePath(leaves, index)))).toBe(root);
	}
});

it("is the path that was recorded of the main network", () => {
	const known = inclusionFacts.filter(({ leaves }) => leaves);
	expect(known.length).toBe(1);
	for (const { leaves = [], index, proof } of known) {
		const path = merklePath(leaves.map(fromHex), index);
		expect(path.map(({ side, hash }) => [side, toHex(hash)])).toEqual(proof);
	}
});
