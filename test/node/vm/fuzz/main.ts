/**
 * Random programs in the contract machine, as long as one asks for.
 *
 * npm run tool fuzz:vm -- [--seed N] [--minutes M] [--programs K] [--only INDEX] [folder of a recorded set …]
 *
 * Checked of every program under random rules: it ends by its energy or its time, never by a crash; it uses no more
 * energy than it has; a second run, a traced run and a run with everything compiled are the same; what failed left nothing
 * behind. Every fourth one calculates, and the reference arithmetic must agree with the interpreter and the compiled code.
 * Memory is weighed; growth is a finding. A finding names seed and index, with which `--only` repeats it.
 */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { pooledBytes } from "../../../../src/node/vm/large-buffer.js";
import { fromHex } from "../../../../src/protocol/bytes.js";
import { useFastHashing } from "../../../../src/protocol/hash.js";
import { openRecordings } from "../../../../tools/replay/recording.js";
import { checkProgram, Finding, newTally } from "./check.js";
import { World } from "./world.js";

/** Folder of the recorded sets whose contracts are mutated unless others are named. */
const RECORDED = "test/golden";
/** Contracts beyond this size mostly repeat others. */
const MAX_CONTRACT = 6_000;
const WEIGH_EVERY_MS = 10_000;
/** Memory after collecting garbage may grow by so much from the middle third of a run to the last, in MB. */
const MAX_GROWTH = 24;

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		seed: { type: "string", default: "1" },
		minutes: { type: "string", default: "1" },
		programs: { type: "string" },
		only: { type: "string" },
	},
});
const seed = Number(values.seed);
const endsAt = performance.now() + 60_000 * Number(values.minutes);
const programs = values.programs === undefined ? Number.POSITIVE_INFINITY : Number(values.programs);

/** Code of the contracts at the end of recorded sets, each once. */
function recordedContracts(): Uint8Array[] {
	const own = readdirSync(RECORDED).filter((name) => existsSync(join(RECORDED, name, `${name}.conf`)));
	const folders = positionals.length > 0 ? positionals : own.map((name) => join(RECORDED, name));
	const codes = new Set<string>();
	for (const folder of folders) {
		for (const recording of openRecordings(folder)) {
			for (const code of Object.values(recording.finalState()?.["code"] ?? {})) {
				if (code.length <= 2 * MAX_CONTRACT) codes.add(code);
			}
		}
	}
	return [...codes].sort().map(fromHex);
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/**
 * Heap and buffers in use, in MB, without what the machine keeps for the next program and has mostly never written.
 * Buffers are given back by a thread beside, and what a task has touched is held until its end: hence the turns.
 */
async function weigh(): Promise<number> {
	for (let round = 0; round < 2; round++) {
		collect();
		await setTimeout(20);
	}
	const { heapUsed, arrayBuffers } = process.memoryUsage();
	return (heapUsed + arrayBuffers - pooledBytes()) / 1e6;
}

/** From the middle third of these weights to the last; 0 for too few. */
function growthOf(weights: readonly number[]): number {
	const third = Math.floor(weights.length / 3);
	if (third === 0) return 0;
	return median(weights.slice(2 * third)) - median(weights.slice(third, 2 * third));
}

function median(list: readonly number[]): number {
	return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] as number;
}

await useFastHashing();
const recorded = recordedContracts();
const world = await World.create();
const tally = newTally();
const weights: number[] = [];
let nextWeighing = performance.now() + WEIGH_EVERY_MS;
let index = values.only === undefined ? 0 : Number(values.only);
const first = index;
process.stdout.write(`seed ${seed}, ${recorded.length} recorded contracts\n`);
try {
	do {
		checkProgram(world, seed, index, recorded, tally);
		index++;
		if (performance.now() > nextWeighing) {
			weights.push(await weigh());
			nextWeighing = performance.now() + WEIGH_EVERY_MS;
			const { programs: run, calculations, timeouts } = tally;
			process.stdout.write(
				`${run} programs, ${calculations} calculations, ${timeouts} out of time, ${weights.at(-1)?.toFixed(1)} MB\n`,
			);
		}
	} while (values.only === undefined && index - first < programs && performance.now() < endsAt);
	const growth = growthOf(weights);
	if (growth > MAX_GROWTH) throw new Finding(`memory grew by ${growth.toFixed(1)} MB`);
	for (const [end, count] of [...tally.ends].sort(([, a], [, b]) => b - a)) {
		process.stdout.write(`${String(count).padStart(8)} ${end}\n`);
	}
	process.stdout.write(
		`${tally.programs} programs, ${tally.calculations} calculations and ${tally.powers} powers hold, ${tally.timeouts} out of time\n`,
	);
} catch (error) {
	process.stdout.write(
		`--seed ${seed} --only ${index}: ${error instanceof Error ? error.message : String(error)}\n`,
	);
	process.exitCode = 1;
}
