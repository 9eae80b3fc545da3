/**
 * Checking shielded proofs on a development chain that names no parameters (protocol/shielded §8.3): with the keys that are part of
 * the program. Whatever takes time waits for the first proof.
 */

import { DEVELOPMENT_OUTPUT_KEY, DEVELOPMENT_SPEND_KEY } from "./development-keys.js";
import type { Groth16 } from "./groth16.js";
import { loadGroth16 } from "./groth16-library.js";
import { portableGroth16 } from "./groth16-portable.js";
import type { ShieldedProofs } from "./proofs.js";
import { SaplingVerifier } from "./verifier.js";

const verifierOf = (groth16: Groth16) =>
	SaplingVerifier.withKeys(groth16, DEVELOPMENT_SPEND_KEY, DEVELOPMENT_OUTPUT_KEY);

/** @param load the faster library, which takes the place of the portable one when it is there */
export function developmentProofs(load: () => Promise<Groth16> = loadGroth16): ShieldedProofs {
	let verifier: SaplingVerifier | undefined;
	const current = (): SaplingVerifier => {
		if (!verifier) {
			verifier = verifierOf(portableGroth16);
			// What fails leaves the portable library, which comes to the same.
			load().then(
				(groth16) => {
					verifier = verifierOf(groth16);
				},
				() => undefined,
			);
		}
		return verifier;
	};
	return {
		holdsSpend: (...question) => current().holdsSpend(...question),
		holdsOutput: (...question) => current().holdsOutput(...question),
		holdsBalance: (...question) => current().holdsBalance(...question),
		merkleHash: (...question) => current().merkleHash(...question),
	};
}
