import { beforeAll, expect, test } from "vitest";
import type { Groth16 } from "../../../src/node/shielded/groth16.js";
import { compiledGroth16 } from "../../../src/node/shielded/groth16-compiled.js";
import { portableGroth16 } from "../../../src/node/shielded/groth16-portable.js";
import { holdsTransfer, type ShieldedProofs } from "../../../src/node/shielded/proofs.js";
import type { RecordedCall } from "./recorded-proofs.js";
import { recordedCalls, verifierOf } from "./recorded-proofs.js";

/** A part of a transfer: where it stands in the recorded call data, and its length. */
interface Part {
	readonly name: string;
	readonly at: number;
	readonly length: number;
}

/** Of a transfer: the places of its lists (protocol/shielded §3.1). */
const HEAD = { binding: 96, signHash: 160, value: 192 };
const readWord = (input: Uint8Array, at: number) => Number(Buffer.from(input).readUInt32BE(at + 28));

/** A recorded transfer of one spend and one output that the reference took. */
function transferOf(calls: readonly RecordedCall[]): Uint8Array {
	const call = calls.find(
		({ word, input, output }) => word === 0x1000002 && input.length === 2080 && output.length > 64,
	);
	if (!call) throw new Error("no transfer is recorded");
	return call.input;
}

const TRANSFER = transferOf(recordedCalls);
const [SPENDS, AUTHORIZATIONS, OUTPUTS] = [0, 32, 64].map((at) => readWord(TRANSFER, at) + 32) as [
	number,
	number,
	number,
];

const SIGNED: readonly Part[] = [
	{ name: "binding signature", at: HEAD.binding, length: 64 },
	{ name: "sign hash", at: HEAD.signHash, length: 32 },
	{ name: "authorization", at: AUTHORIZATIONS, length: 64 },
	{ name: "randomized key", at: SPENDS + 96, length: 32 },
	{ name: "value commitment of the spend", at: SPENDS + 64, length: 32 },
	{ name: "value commitment of the output", at: OUTPUTS + 32, length: 32 },
];

const PROVEN: readonly Part[] = [
	{ name: "nullifier", at: SPENDS, length: 32 },
	{ name: "anchor", at: SPENDS + 32, length: 32 },
	{ name: "proof of the spend", at: SPENDS + 128, length: 192 },
	{ name: "note commitment", at: OUTPUTS, length: 32 },
	{ name: "ephemeral key", at: OUTPUTS + 64, length: 32 },
	{ name: "proof of the output", at: OUTPUTS + 96, length: 192 },
];

function holds(proofs: ShieldedProofs, input: Uint8Array): boolean {
	const part = (at: number, length = 32) => input.subarray(at, at + length);
	const spend = {
		nullifier: part(SPENDS),
		anchor: part(SPENDS + 32),
		valueCommitment: part(SPENDS + 64),
		randomizedKey: part(SPENDS + 96),
		proof: part(SPENDS + 128, 192),
		authorization: part(AUTHORIZATIONS, 64),
	};
	const output = {
		noteCommitment: part(OUTPUTS),
		valueCommitment: part(OUTPUTS + 32),
		ephemeralKey: part(OUTPUTS + 64),
		proof: part(OUTPUTS + 96, 192),
	};
	const value = BigInt(readWord(input, HEAD.value));
	return holdsTransfer(proofs, [spend], [output], value, part(HEAD.binding, 64), part(HEAD.signHash));
}

function flipped(at: number, bit: number): Uint8Array {
	const input = Uint8Array.from(TRANSFER);
	input[at] = (input[at] as number) ^ (1 << bit);
	return input;
}

let compiled: ShieldedProofs;
const portable = verifierOf(portableGroth16 as Groth16);

beforeAll(async () => {
	compiled = verifierOf(await compiledGroth16());
});

test("the recorded transfer holds, with both libraries", () => {
	expect(holds(compiled, TRANSFER)).toBe(true);
	expect(holds(portable, TRANSFER)).toBe(true);
});

/** Those of a proof take a pairing each: a third of each run of 48 bytes, another one each time, and the last. */
const placesOf = ({ at, length }: Part): number[] =>
	Array.from({ length }, (_, i) => at + i).filter(
		(place) =>
			length < 192 || (place - at) % 3 === Math.floor((place - at) / 48) % 3 || place === at + length - 1,
	);

test.each([...SIGNED, ...PROVEN])("no byte that is tried of the $name can be changed", (part) => {
	// Another bit of each byte, the highest of the last among them: the sign of a point.
	const taken = placesOf(part).filter((place) =>
		holds(compiled, flipped(place, place === part.at + part.length - 1 ? 7 : place % 8)),
	);
	expect(taken).toEqual([]);
});

test.each(PROVEN)("nor with the portable library, of every 16th byte of the $name", ({ at, length }) => {
	const taken = Array.from({ length: length / 16 }, (_, i) => at + 16 * i).filter((place) =>
		holds(portable, flipped(place, place % 8)),
	);
	expect(taken).toEqual([]);
});

test("nor the highest bits of the points of a proof, which say how it is encoded", () => {
	for (const at of [SPENDS + 128, SPENDS + 176, SPENDS + 272]) {
		for (const bit of [5, 6, 7]) {
			expect(holds(compiled, flipped(at, bit)), `byte ${at}, bit ${bit}`).toBe(false);
			expect(holds(portable, flipped(at, bit)), `byte ${at}, bit ${bit}`).toBe(false);
		}
	}
});
