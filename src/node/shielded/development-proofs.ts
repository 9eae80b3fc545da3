/**
 * Checking shielded proofs on a development chain that names no parameters (protocol/shielded §8.3): with the keys that are part of
 * the program. Whatever takes time waits for the first proof.
 */

import { DEVELOPMENT_OUTPUT_KEY, DEVELOPMENT_SPEND_KEY } from "./development-keys.js";
import type { Groth16, ProofCheck } from "./groth16.js";
import { loadGroth16 } from "./groth16-library.js";
import { portableGroth16 } from "./groth16-portable.js";
import type { ProofKeys } from "./proof-threads.js";
import { SaplingVerifier } from "./verifier.js";

export const DEVELOPMENT_PROOF_KEYS: ProofKeys = {
	spendKey: DEVELOPMENT_SPEND_KEY,
	outputKey: DEVELOPMENT_OUTPUT_KEY,
};

interface Checks {
	readonly spend: ProofCheck;
	readonly output: ProofCheck;
}

const checksOf = (groth16: Groth16): Checks => ({
	spend: groth16.prepare(DEVELOPMENT_SPEND_KEY),
	output: groth16.prepare(DEVELOPMENT_OUTPUT_KEY),
});

/** @param load the faster library, which takes the place of the portable one when it is there */
export function developmentVerifier(load: () => Promise<Groth16> = loadGroth16): SaplingVerifier {
	let checks: Checks | undefined;
	const current = (): Checks => {
		if (!checks) {
			checks = checksOf(portableGroth16);
			// What fails leaves the portable library, which comes to the same.
			load().then(
				(groth16) => {
					checks = checksOf(groth16);
				},
				() => undefined,
			);
		}
		return checks;
	};
	return new SaplingVerifier(
		(...question) => current().spend(...question),
		(...question) => current().output(...question),
	);
}
