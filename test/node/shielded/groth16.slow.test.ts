import { beforeAll, describe, expect, test } from "vitest";
import { type Groth16, PROOF, type ProofCheck } from "../../../src/node/shielded/groth16.js";
import { compiledGroth16 } from "../../../src/node/shielded/groth16-compiled.js";
import { loadGroth16 } from "../../../src/node/shielded/groth16-library.js";
import { portableGroth16 } from "../../../src/node/shielded/groth16-portable.js";
import { concatBytes, fromHex } from "../../../src/protocol/bytes.js";
import { decodePoint, FIELD_ORDER, readField } from "../../../src/protocol/sapling/jubjub.js";
import { outputKey, recordedCalls } from "./recorded-proofs.js";

// The first call mints: cm, cv, epk, proof.
const [{ input }] = recordedCalls as [(typeof recordedCalls)[0]];
const proof = Uint8Array.from(input.subarray(96, 96 + PROOF));
const A = 0;
const B = 48;
const C = 144;

function publicInputs(): bigint[] {
	const point = (at: number) => decodePoint(input.subarray(at, at + 32))?.toAffine() ?? { x: 0n, y: 0n };
	const [cv, epk] = [point(32), point(64)];
	return [cv.x, cv.y, epk.x, epk.y, readField(input.subarray(0, 32)) ?? 0n];
}

const inputs = publicInputs();

function replaced(at: number, bytes: Uint8Array): Uint8Array {
	const changed = Uint8Array.from(proof);
	changed.set(bytes, at);
	return changed;
}

/** A compressed point of a small coordinate: nearly none is in its group, and half are not on the curve. */
function small(size: number, x: number): Uint8Array {
	const bytes = new Uint8Array(size);
	bytes[0] = 0x80;
	bytes[size - 1] = x;
	return bytes;
}

const INFINITY_G1 = Uint8Array.from([0xc0, ...new Uint8Array(47)]);
const INFINITY_G2 = Uint8Array.from([0xc0, ...new Uint8Array(95)]);

/** The order of coordinates, with the bit of compressed points. */
const ORDER = fromHex(
	"9a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
);

const flagged = (at: number, change: (flags: number) => number) =>
	proof.map((byte, i) => (i === at ? change(byte) : byte));

const WRONG: readonly (readonly [what: string, proof: Uint8Array])[] = [
	["empty", new Uint8Array(0)],
	["a byte short", proof.subarray(0, PROOF - 1)],
	["a byte long", concatBytes(proof, Uint8Array.of(0))],
	["all zero", new Uint8Array(PROOF)],
	["all ones", new Uint8Array(PROOF).fill(0xff)],
	["A at infinity", replaced(A, INFINITY_G1)],
	["B at infinity", replaced(B, INFINITY_G2)],
	["C at infinity", replaced(C, INFINITY_G1)],
	["A and C at infinity", concatBytes(INFINITY_G1, proof.subarray(B, C), INFINITY_G1)],
	...Array.from({ length: 12 }, (_, x) => [`A with x = ${x}`, replaced(A, small(48, x))] as const),
	...Array.from({ length: 12 }, (_, x) => [`B with x = ${x}`, replaced(B, small(96, x))] as const),
	...Array.from({ length: 12 }, (_, x) => [`C with x = ${x}`, replaced(C, small(48, x))] as const),
	["A at the order of coordinates", replaced(A, ORDER)],
	["B's imaginary part at the order", replaced(B, ORDER)],
	[
		"B's real part at the order",
		replaced(
			B + 48,
			Uint8Array.from(ORDER, (b, i) => (i === 0 ? b & 0x1f : b)),
		),
	],
	["A without the bit of compression", flagged(A, (flags) => flags & 0x7f)],
	["A with the bit of infinity", flagged(A, (flags) => flags | 0x40)],
	["A negated", flagged(A, (flags) => flags ^ 0x20)],
	["B negated", flagged(B, (flags) => flags ^ 0x20)],
	["C negated", flagged(C, (flags) => flags ^ 0x20)],
	["A and C swapped", concatBytes(proof.subarray(C), proof.subarray(B, C), proof.subarray(A, B))],
];

describe.each<[string, () => Promise<Groth16>]>([
	["compiled", compiledGroth16],
	["portable", () => Promise.resolve(portableGroth16)],
])("the %s library", (name, load) => {
	let check: ProofCheck;

	beforeAll(async () => {
		const library = await load();
		expect(library.name).toBe(name);
		check = library.prepare(outputKey);
	});

	test("takes a proof of the reference node for its inputs, also with A and B both negated", () => {
		expect(check(proof, inputs)).toBe(true);
		const both = proof.map((byte, i) => (i === A || i === B ? byte ^ 0x20 : byte));
		expect(check(both, inputs)).toBe(true);
	});

	test("refuses it for any other input", () => {
		for (const i of inputs.keys()) {
			const others = inputs.map((value, at) => (at === i ? (value + 1n) % FIELD_ORDER : value));
			expect(check(proof, others)).toBe(false);
		}
		expect(check(proof, inputs.slice(1))).toBe(false);
		expect(check(proof, [...inputs, 0n])).toBe(false);
	});

	test.each(WRONG)("refuses a proof: %s", (_, wrong) => {
		expect(check(wrong, inputs)).toBe(false);
		// What was refused leaves nothing behind.
		expect(check(proof, inputs)).toBe(true);
	});
});

test("a proof with any byte changed is refused", async () => {
	const check = (await loadGroth16()).prepare(outputKey);
	const taken = [...proof.keys()].filter((i) =>
		check(replaced(i, Uint8Array.of((proof[i] as number) ^ 1)), inputs),
	);
	expect(taken).toEqual([]);
});
