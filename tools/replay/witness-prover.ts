/**
 * A prover for replays: rejects what can't be proved, and returns placeholder bytes, which aren't compared.
 * Real proofs for that many requests would take an hour.
 */

import {
	type OutputWitness,
	type Prover,
	ProvingError,
	type SpendWitness,
} from "../../src/protocol/sapling/prover.js";
import { PROOF_SIZE } from "../../src/protocol/sapling/sizes.js";
import { isProvableOutput, isProvableSpend } from "./witness-check.js";

const NO_PROOF = new Uint8Array(PROOF_SIZE).fill(0xff);

function proofIf(provable: boolean): Promise<Uint8Array> {
	return provable
		? Promise.resolve(NO_PROOF)
		: Promise.reject(new ProvingError("witness", "the witness can't be proved"));
}

export const witnessProver: Prover = {
	spend: (witness: SpendWitness) => proofIf(isProvableSpend(witness)),
	output: (witness: OutputWitness) => proofIf(isProvableOutput(witness)),
	close: () => Promise.resolve(),
};
