/**
 * Our contract machine, interpreting and with everything compiled, against @ethereumjs/evm, in one process on the same code:
 * operations or runs a second, energy counted, changes committed.
 *
 * npm run tool bench:vm -- [part of a workload's name]
 */

import { useFastHashing } from "../src/protocol/hash.js";
import { coinMachine } from "./machines/coin.js";
import { ethereumjsMachine } from "./machines/ethereumjs.js";
import type { BenchMachine } from "./machines/machine.js";
import { type Workload, workloads } from "./machines/workloads.js";

/** Each workload is measured so often, for so long each time; the best counts. */
const ROUNDS = 4;
const ROUND_MS = Number(process.env["BENCH_MS"] ?? 250);

/** The countdown loop's demand, in operations a second. */
const COUNTDOWN_DEMAND = 80e6;

/** @returns units a second */
async function measure(workload: Workload, machine: BenchMachine): Promise<number> {
	const { units, call } = await workload.prepare(machine);
	let best = 0;
	let round = 0;
	for (let i = 0; i < ROUNDS; i++) {
		const started = performance.now();
		const from = round;
		let elapsed: number;
		do {
			await call(round++);
			elapsed = performance.now() - started;
		} while (elapsed < ROUND_MS);
		best = Math.max(best, ((round - from) * units * 1000) / elapsed);
	}
	return best;
}

const spelled = (perSecond: number): string =>
	perSecond >= 1e6
		? `${(perSecond / 1e6).toFixed(1)} M`
		: perSecond >= 1e4
			? `${(perSecond / 1e3).toFixed(0)} k`
			: perSecond.toFixed(0);

await useFastHashing();
const ours = await coinMachine("never");
const compiled = await coinMachine("always");
const other = await ethereumjsMachine();
const wanted = process.argv[2] ?? "";
process.stdout.write(
	`| workload | unit | ${ours.name} /s | ${compiled.name} /s | gain | ${other.name} /s | ratio | demand |\n|---|---|---|---|---|---|---|---|\n`,
);
for (const workload of workloads.filter(({ name }) => name.includes(wanted))) {
	const mine = await measure(workload, ours);
	const faster = await measure(workload, compiled);
	const theirs = await measure(workload, other);
	const ratio = mine / theirs;
	const missed = ratio < workload.demand || (workload.name === "countdown loop" && mine < COUNTDOWN_DEMAND);
	const demand = workload.demand > 0 ? `${workload.demand}${missed ? " MISSED" : ""}` : "";
	process.stdout.write(
		`| ${workload.name} | ${workload.unit} | ${spelled(mine)} | ${spelled(faster)} | ${(faster / mine).toFixed(1)} | ${spelled(theirs)} | ${ratio.toFixed(1)} | ${demand} |\n`,
	);
	if (missed) process.exitCode = 1;
}
