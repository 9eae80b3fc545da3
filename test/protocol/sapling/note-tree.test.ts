import { jubjub } from "@noble/curves/misc.js";
import { expect, test } from "vitest";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { emptyNoteRoot, noteTreeHash } from "../../../src/protocol/sapling/incremental-tree.js";
import { multiplyPublic, type Point, segmentGenerator } from "../../../src/protocol/sapling/jubjub.js";
import { pedersenPoint } from "../../../src/protocol/sapling/pedersen.js";
import { EMPTY_ROOTS } from "./vectors.js";

test("two nodes hash to the node of the network's library", () => {
	const left = fromHex("05655316a07e6ec8c9769af54ef98b30667bfb6302b32987d552227dae86a087");
	const right = fromHex("06041357de59ba64959d1b60f93de24dfe5ea1e26ed9e8a73d35b225a1845ba7");
	expect(toHex(noteTreeHash(25, left, right))).toBe(
		"61a50a5540b4944da27cbd9b3d6ec39234ba229d2c461f4d719bc136573bf45b",
	);
});

test("the highest bit of a node doesn't count, and a number above the field is not reduced", () => {
	const all = new Uint8Array(32).fill(0xff);
	const without = Uint8Array.from(all);
	without[31] = 0x7f;
	const expected = "f360a93cb9f2c4481c73501006f2e4995915ad9ffd42d29e1603ae3b4de01d24";
	expect(toHex(noteTreeHash(0, all, without))).toBe(expected);
	expect(toHex(noteTreeHash(0, without, all))).toBe(expected);
});

test("the roots of empty trees are those of the network", () => {
	expect(EMPTY_ROOTS.map((_, level) => toHex(emptyNoteRoot(level)))).toEqual(EMPTY_ROOTS);
});

test.each([1, 2, 3, 4, 6, 7, 188, 189, 190, 192, 195, 378, 381, 582])(
	"a message of %d bits hashes to the sum that the definition has",
	(length) => {
		const bits = Uint8Array.from({ length }, (_, i) => ((i * i * 7 + i * 3 + length) % 5) & 1);
		let expected: Point = jubjub.Point.ZERO;
		for (let segment = 0; segment * 189 < length; segment++) {
			let factor = 0n;
			const chunks = Math.min(63, Math.ceil((length - segment * 189) / 3));
			for (let j = 0; j < chunks; j++) {
				const [a, b, c] = [0, 1, 2].map((k) => bits[segment * 189 + 3 * j + k] ?? 0);
				factor += BigInt((c ? -1 : 1) * (1 + (a as number) + 2 * (b as number))) * 16n ** BigInt(j);
			}
			const { n } = jubjub.Point.CURVE();
			expected = expected.add(multiplyPublic(segmentGenerator(segment), ((factor % n) + n) % n));
		}
		expect(pedersenPoint(bits).equals(expected)).toBe(true);
	},
);
