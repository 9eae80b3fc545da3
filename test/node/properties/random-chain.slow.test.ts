/** Random sequences on small chains, always the same ones; `npm run tool fuzz:chain` throws others. */

import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { transactionKinds } from "./kinds.js";
import { sequences, startingRules } from "./steps.js";
import { Tally, walk } from "./walk.js";

const SEED = 4;
const RUNS = 28;
const MAX_STEPS = 150;

describe("random sequences of system transactions", () => {
	const tally = new Tally();

	beforeAll(async () => {
		await fc.assert(
			fc.asyncProperty(startingRules, sequences(MAX_STEPS), (rules, sequence) =>
				walk(rules, sequence, tally),
			),
			{ seed: SEED, numRuns: RUNS },
		);
	});

	test.each(transactionKinds)(
		"conserve what exists, replay and undo exactly, with $type among them",
		({ type }) => {
			expect(tally.accepted.get(type) ?? 0).toBeGreaterThan(0);
		},
	);
});
