/**
 * Changes every bit of each recorded call of shielded tokens that proofs and signatures cover: `npm run tool soak:proofs -- [BITS]`,
 * how many bits of each byte, 8 if absent. None may be taken. Some ten minutes of one core; JSON on stdout, exit 1 if one is.
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
				// Other bits in each byte where not all are changed.
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
