import { beforeAll, expect, test } from "vitest";
import { compiledGroth16 } from "../../../src/node/shielded/groth16-compiled.js";
import { portableGroth16 } from "../../../src/node/shielded/groth16-portable.js";
import type { ShieldedProofs } from "../../../src/node/shielded/proofs.js";
import type { Precompile } from "../../../src/node/vm/precompiles/precompile.js";
import {
	merkleHash,
	verifyBurnProof,
	verifyMintProof,
	verifyTransferProof,
} from "../../../src/node/vm/precompiles/shielded.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { type RecordedCall, recordedCalls, verifierOf } from "./recorded-proofs.js";

const precompiles = [verifyMintProof, verifyTransferProof, verifyBurnProof, merkleHash];

function answer(proofs: ShieldedProofs, { word, input }: RecordedCall): string {
	const precompile = precompiles.find((one) => one.word === word) as Precompile;
	const context = { machine: { options: { proofs } } } as unknown as Parameters<Precompile["run"]>[1];
	const { success, output } = precompile.run(input, context);
	return success ? toHex(output) : "failed";
}

/** A transfer that the reference node, on a busy machine, gave up when its time was over; the answer is then zero. */
const GIVEN_UP = 101;

const expected = ({ success, output }: RecordedCall): string => (success ? output : "failed");

let compiled: ShieldedProofs;

beforeAll(async () => {
	compiled = verifierOf(await compiledGroth16());
});

test("every recorded call of a precompile is answered as the reference node did", () => {
	expect(recordedCalls.length).toBe(284);
	const differing = [...recordedCalls.entries()].filter(
		([, call]) => answer(compiled, call) !== expected(call),
	);
	expect(differing.map(([i]) => i)).toEqual([GIVEN_UP]);
	expect(new Set(recordedCalls.map(expected)).size).toBeGreaterThan(60);
});

test("the portable library answers them alike", () => {
	const portable = verifierOf(portableGroth16);
	// A fifth of them: a proof takes 40 ms here.
	for (const call of recordedCalls.filter((_, i) => i % 5 === 0 && i !== GIVEN_UP)) {
		expect(answer(portable, call)).toBe(expected(call));
	}
});
