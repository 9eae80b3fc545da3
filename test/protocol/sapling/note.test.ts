import { expect, test } from "vitest";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { encodePoint, GROUP_ORDER, INFINITY, littleBytes } from "../../../src/protocol/sapling/jubjub.js";
import { noteCommitment, nullifier } from "../../../src/protocol/sapling/note.js";
import { diversifiedBase } from "../../../src/protocol/sapling/shielded-keys.js";
import { KEYS } from "./vectors.js";

const first = {
	diversifier: fromHex("fc6eb90855700861de6639"),
	transmissionKey: fromHex("1abfbf64bc4934aaf7f29b9fea995e5a16e654e63dbe07db0ef035499d216e19"),
	value: 9_990_000_000n,
	randomness: fromHex("08e3a2ff1101b628147125b786c757b483f1cf7c309f8a647055bfb1ca819c02"),
};
const second = {
	diversifier: fromHex("f19d9b797e39f337445839"),
	transmissionKey: fromHex("db4cd2b0aac4f7eb8ca131f16567c445a9555126d3c29f14e3d776e841ae7415"),
	value: 0n,
	randomness: fromHex("39176dac39ace4980ecc8d778e89860255ec3615060000000000000000000000"),
};

const text = (bytes: Uint8Array | undefined) => bytes && toHex(bytes);

test("commitments and a nullifier are those of the network's library", () => {
	expect(text(noteCommitment(first))).toBe(
		"0481f3949ddcd8e3d5e8018893dbad3df2f6fd09b406acdf32a68a3032f37920",
	);
	expect(text(noteCommitment(second))).toBe(
		"cb3cf9153270d57eb914c6c2bcc01850c9fed44fce0806278f083ef2dd076439",
	);
	const [{ ak, nk }] = KEYS;
	expect(text(nullifier(second, fromHex(ak), fromHex(nk), 0n))).toBe(
		"b7560da1a2913fb2d873bb3c596a891a4e2e3abd83a852bcdfc9d410e7834117",
	);
});

test("a note whose parts are not valid has no commitment", () => {
	const outside = encodePoint(INFINITY).map((byte, i) => (i === 0 ? byte - 1 : byte));
	expect(noteCommitment({ ...first, transmissionKey: outside })).toBeUndefined();
	expect(noteCommitment({ ...first, transmissionKey: new Uint8Array(32).fill(0xff) })).toBeUndefined();
	expect(noteCommitment({ ...first, randomness: littleBytes(GROUP_ORDER) })).toBeUndefined();
	const invalid = [...Array(20).keys()]
		.map((i) => new Uint8Array(11).fill(i))
		.find((diversifier) => !diversifiedBase(diversifier));
	expect(noteCommitment({ ...first, diversifier: invalid as Uint8Array })).toBeUndefined();
});

test("keys that are not points have no nullifier, and a position changes it", () => {
	const [{ ak, nk }] = KEYS;
	const bad = new Uint8Array(32).fill(0xff);
	expect(nullifier(second, bad, fromHex(nk), 0n)).toBeUndefined();
	expect(nullifier(second, fromHex(ak), bad, 0n)).toBeUndefined();
	const later = nullifier(second, fromHex(ak), fromHex(nk), 2n ** 63n - 1n);
	expect(text(later)).not.toBe(text(nullifier(second, fromHex(ak), fromHex(nk), 0n)));
});
