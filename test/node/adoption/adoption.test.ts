import { describe, expect, test } from "vitest";
import { RootOfRows, rewardRootDifference } from "../../../src/node/adoption/adoption.js";
import { merkleRoot } from "../../../src/protocol/block.js";
import { be64, concatBytes, toHex } from "../../../src/protocol/bytes.js";
import { sha256 } from "../../../src/protocol/hash.js";

const leafOf = ([key, value]: readonly [Uint8Array, Uint8Array]): Uint8Array =>
	sha256(concatBytes(key, value));
const rows = Array.from({ length: 9 }, (_, at) => [Uint8Array.of(at + 1), be64(BigInt(at))] as const);
const marker = [Uint8Array.of(0), Uint8Array.of(1)] as const;

test.each([0, 1, 2, 3, 5, 6, 7, 8, 13, 64, 100])(
	"the root over %d leaves is that of a block's transactions",
	(count) => {
		const leaves = Array.from({ length: count }, (_, at) => sha256(be64(BigInt(at))));
		const tree = new RootOfRows();
		for (const leaf of leaves) tree.add(leaf);
		expect(toHex(tree.root())).toBe(toHex(merkleRoot(leaves)));
	},
);

describe("the table of old rewards", () => {
	const root = toHex(merkleRoot(rows.map(leafOf)));
	const rootWithMarker = toHex(merkleRoot([marker, ...rows].map(leafOf)));

	test("that is complete and has the known root, with its mark or without, is right", async () => {
		expect(await rewardRootDifference([marker, ...rows], root)).toBeUndefined();
		expect(await rewardRootDifference([marker, ...rows], rootWithMarker)).toBeUndefined();
	});

	test("says nothing before it is complete", async () => {
		expect(await rewardRootDifference(rows.slice(1), root)).toBeUndefined();
		expect(await rewardRootDifference([], root)).toBeUndefined();
	});

	test("with another row has another root", async () => {
		const changed = [...rows.slice(0, 8), [Uint8Array.of(9), be64(9n)] as const];
		const actual = toHex(merkleRoot([marker, ...changed].map(leafOf)));
		expect(await rewardRootDifference([marker, ...changed], root)).toBe(
			`the 10 rows of reward-vi have the root ${actual}, and those of the network ${root}`,
		);
	});
});
