/** A few of the changes that mutations.slow.test.ts and `npm run tool soak:proofs` make everywhere. */

import { beforeAll, expect, test } from "vitest";
import { compiledGroth16 } from "../../../src/node/shielded/groth16-compiled.js";
import type { ShieldedProofs } from "../../../src/node/shielded/proofs.js";
import { verifierOf } from "./recorded-proofs.js";
import { flipped, isTaken, signedCalls } from "./signed-parts.js";

let proofs: ShieldedProofs;
beforeAll(async () => {
	proofs = verifierOf(await compiledGroth16());
});

const SAMPLE = signedCalls.filter(({ name }) => ["mint", "transfer 1-1", "burn"].includes(name));

test.each(SAMPLE)(
	"a $name is taken as it was recorded, and refused with one bit of any part changed",
	(call) => {
		expect(isTaken(proofs, call, call.input)).toBe(true);
		const taken = call.parts.filter(([, from, to], i) =>
			isTaken(proofs, call, flipped(call.input, (from + to) >> 1, i % 8)),
		);
		expect(taken).toEqual([]);
	},
);
