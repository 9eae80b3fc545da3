/**
 * Flips BITS (default 8) bits per byte of recorded shielded calls that proofs and signatures cover: `npm run
 * tool soak:proofs -- [BITS]`. None may be accepted. Takes ten minutes of a core; exit code 1 on failure.
 */

import { loadGroth16 } from "../../src/node/shielded/groth16-library.js";
import { verifierOf } from "../node/shielded/recorded-proofs.js";
import { flipped, isTaken, signedCalls } from "../node/shielded/signed-parts.js";

const bits = Number(process.argv[2] ?? 8);
const proofs = verifierOf(await loadGroth16());
for (const call of signedCalls) {
	if (!isTaken(proofs, call, call.input)) throw new Error(`${call.name}: not taken as it was recorded`);
	let changes = 0;
	const taken: string[] = [];
	for (const [part, from, to] of call.parts) {
		for (let at = from; at < to; at++) {
			for (let i = 0; i < bits; i++) {
				// Different bits per byte if not all are flipped.
				const bit = (at + i) % 8;
				changes++;
				if (isTaken(proofs, call, flipped(call.input, at, bit)))
					taken.push(`${part}: byte ${at}, bit ${bit}`);
			}
		}
	}
	process.stdout.write(`${JSON.stringify({ call: call.name, changes, taken })}\n`);
	if (taken.length > 0) process.exitCode = 1;
}
