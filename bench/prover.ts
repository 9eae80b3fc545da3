/**
 * Time and memory of shielded proofs with development parameters, which are generated if the cache lacks
 * them: `npm run tool bench:prover -- [ROUNDS] [THREADS]`. Prints JSON, in milliseconds: the first proof, the
 * best later one, its CPU time on all threads, the longest delay of the event loop, and that caused by the
 * main thread itself (Linux only).
 */

import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Prover, ProvingOptions } from "../src/protocol/sapling/prover.js";
import { developmentParametersFolder } from "../src/proving/development-parameters.js";
import { nativeProgram } from "../src/proving/native-prover.js";
import { openProver } from "../src/proving/open-prover.js";
import { outputWitness, spendWitness } from "../test/proving/witnesses.js";

const rounds = Number(process.argv[2] ?? 3);
const threads = process.argv[3] === undefined ? {} : { threads: Number(process.argv[3]) };

/** CPU time of the main thread so far, in milliseconds. */
function mainThreadMs(): number {
	try {
		return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
	} catch {
		return 0;
	}
}

let lastTick = mainThreadMs();
let longestTurn = 0;
const delay = monitorEventLoopDelay({ resolution: 5 });
let peak = 0;
const watch = setInterval(() => {
	peak = Math.max(peak, process.memoryUsage.rss());
	const now = mainThreadMs();
	longestTurn = Math.max(longestTurn, now - lastTick);
	lastTick = now;
}, 5);

/** Best time of the rounds, without the first, which may generate or check the parameters. */
async function measure(prove: (options: ProvingOptions) => Promise<Uint8Array>): Promise<object> {
	const started = performance.now();
	await prove({});
	const first = performance.now() - started;
	let best = Number.POSITIVE_INFINITY;
	let cpu = Number.POSITIVE_INFINITY;
	delay.reset();
	longestTurn = 0;
	for (let round = 0; round < rounds; round++) {
		const before = performance.now();
		const usage = process.cpuUsage();
		await prove({});
		best = Math.min(best, performance.now() - before);
		const { user, system } = process.cpuUsage(usage);
		cpu = Math.min(cpu, (user + system) / 1000);
	}
	const longestHold = delay.max / 1e6;
	return Object.fromEntries(
		Object.entries({ first, best, cpu, longestHold, longestTurn }).map(([name, value]) => [
			name,
			Math.round(value),
		]),
	);
}

async function all(prover: Prover): Promise<object> {
	const output = await measure((options) => prover.output(outputWitness, options));
	const spend = await measure((options) => prover.spend(spendWitness, options));
	await prover.close();
	return { output, spend };
}

delay.enable();
const parameters = { development: developmentParametersFolder(process.env) };
const compiled = await all(openProver({ parameters, native: false, ...threads }));
const native = nativeProgram() && (await all(openProver({ parameters, ...threads })));
clearInterval(watch);
const report = { rounds, compiled, ...(native && { native }), peakMiB: Math.round(peak / 2 ** 20) };
process.stdout.write(`${JSON.stringify(report, null, "\t")}\n`);
