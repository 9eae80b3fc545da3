/**
 * Simulates networks under faults, one per seed, and as many chains on a failing disk:
 *
 *     npm run sim -- --seeds 1000             # seeds 1 to 1000
 *     npm run sim -- --seeds 50 --from 200    # seeds 200 to 249
 *     npm run sim -- --seeds 500 --nile       # with Nile's rules, and witnesses with post-quantum keys
 *     npm run sim -- --seed 17 --trace        # one seed, with all events
 */

import { installRecoverEngine } from "../../src/node/signatures/engine.js";
import { useFastHashing } from "../../src/protocol/hash.js";
import { readOptions, type SimulationOptions, USAGE } from "./options.js";
import { runScenario } from "./scenario.js";
import { runStorage } from "./storage.js";

const options = optionsOrExit();

function optionsOrExit(): SimulationOptions {
	try {
		const read = readOptions(process.argv.slice(2));
		if (read !== "help") return read;
		process.stdout.write(USAGE);
		process.exit(0);
	} catch (error) {
		process.stderr.write(`error: ${(error as Error).message}\n\n${USAGE}`);
		process.exit(2);
	}
}

process.on("unhandledRejection", (error) => {
	process.stderr.write(`unhandled: ${error instanceof Error ? error.stack : error}\n`);
	process.exitCode = 1;
});

await Promise.all([installRecoverEngine(), useFastHashing()]);

const { first, count } = options;
const startMs = performance.now();
const failed: number[] = [];
let events = 0;
let slowestMs = 0;
let split = 0;
let restarts = 0;
for (let seed = first; seed < first + count; seed++) {
	const trace = options.isTraced ? (line: string) => process.stdout.write(`${line}\n`) : undefined;
	const kind = options.isNile ? { isReal: true, isNile: true } : {};
	const result = await runScenario({ seed, ...kind, ...(trace ? { trace } : {}) });
	const storage = await runStorage(seed);
	restarts += storage.restarts;
	if (storage.failures.length > 0) {
		failed.push(seed);
		process.stdout.write(
			`seed ${seed} FAILED: storage ${storage.description}\n  ${storage.failures.join("\n  ")}\n`,
		);
	}
	events += result.events;
	slowestMs = Math.max(slowestMs, result.convergedAfterMs ?? 0);
	if (result.failures.length > 0) failed.push(seed);
	const done = seed - first + 1;
	if (done % 100 === 0) process.stderr.write(`${done} seeds, ${failed.length} failed\n`);
	if (result.isSplit) split++;
	if (result.failures.length > 0 || result.isSplit || count === 1) {
		const outcome =
			result.failures.length > 0 ? "FAILED" : result.isSplit ? "split by the rules of consensus" : "held";
		process.stdout.write(`seed ${seed} ${outcome}: ${result.description}; head ${result.headNumber}, `);
		process.stdout.write(`agreement after ${result.convergedAfterMs ?? "no end of"} ms\n`);
		for (const failure of result.failures) process.stdout.write(`  ${failure}\n`);
	}
}
const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
process.stdout.write(
	`${count} seeds, ${failed.length} failed${failed.length > 0 ? ` (${failed.join(" ")})` : ""}; ` +
		`${split} split by the rules of consensus; ${events} events in ${seconds} s; ${restarts} lives of chains on a disk; slowest agreement ${(slowestMs / 1000).toFixed(0)} s\n`,
);
if (failed.length > 0) process.exitCode = 1;
