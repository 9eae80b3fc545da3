/**
 * Random sequences on small chains, as many as one asks for.
 *
 * npm run tool fuzz:chain -- [--seeds N] [--first SEED] [--steps N] [--reasons]
 */

import { parseArgs } from "node:util";
import fc from "fast-check";
import { transactionKinds } from "./kinds.js";
import { sequences, startingRules } from "./steps.js";
import { Tally, walk } from "./walk.js";

/** Sequences of one seed. */
const RUNS = 20;

const { values } = parseArgs({
	options: {
		seeds: { type: "string", default: "10" },
		first: { type: "string", default: "1" },
		steps: { type: "string", default: "120" },
		reasons: { type: "boolean", default: false },
	},
});
const first = Number(values.first);
const tally = new Tally();
const sequence = sequences(Number(values.steps));
const started = process.cpuUsage();
for (let seed = first; seed < first + Number(values.seeds); seed++) {
	await fc.assert(
		fc.asyncProperty(startingRules, sequence, (rules, chosen) => walk(rules, chosen, tally)),
		{ seed, numRuns: RUNS },
	);
	process.stdout.write(`seed ${seed}: ${RUNS} sequences hold\n`);
}
const { user, system } = process.cpuUsage(started);
for (const { type } of transactionKinds) {
	const refused = [...(tally.refused.get(type) ?? [])].sort(([, a], [, b]) => b - a);
	const total = refused.reduce((sum, [, count]) => sum + count, 0);
	process.stdout.write(`${type}: ${tally.accepted.get(type) ?? 0} accepted, ${total} refused\n`);
	if (!values.reasons) continue;
	for (const [reason, count] of refused) process.stdout.write(`    ${count} ${reason}\n`);
}
process.stdout.write(`${((user + system) / 1e6).toFixed(1)} s of CPU\n`);
