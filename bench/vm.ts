/**
 * Our contract machine, interpreted and compiled, against @ethereumjs/evm, in one process on the same code:
 * operations or runs per second of CPU time, with metering and committed changes.
 *
 * npm run tool bench:vm -- [part of a workload's name]
 */

import { useFastHashing } from "../src/protocol/hash.js";
import { coinMachine } from "./machines/coin.js";
import { ethereumjsMachine } from "./machines/ethereumjs.js";
import type { BenchMachine } from "./machines/machine.js";
import { type Workload, workloads } from "./machines/workloads.js";

/** Alternating turns per workload on our machine and the other; the best one counts. */
const TURNS = 12;
const OTHER_TURNS = 4;
const TURN_MS = Number(process.env["BENCH_MS"] ?? 200);

/** Required speed of the countdown loop, in operations per second. */
const COUNTDOWN_DEMAND = 80e6;

/** One turn. @returns calls per second of CPU time, which other load affects little */
async function turn(call: (round: number) => unknown, from: number): Promise<[rate: number, calls: number]> {
	const started = performance.now();
	const before = process.cpuUsage();
	let calls = 0;
	do {
		const done = call(from + calls++);
		if (done instanceof Promise) await done;
	} while (performance.now() - started < TURN_MS);
	const { user, system } = process.cpuUsage(before);
	return [(calls * 1e6) / (user + system), calls];
}

/** @returns units per second of each machine */
async function measure(
	workload: Workload,
	machines: readonly BenchMachine[],
	turns: number,
): Promise<number[]> {
	const prepared: Awaited<ReturnType<Workload["prepare"]>>[] = [];
	for (const machine of machines) prepared.push(await workload.prepare(machine));
	const best = machines.map(() => 0);
	const rounds = machines.map(() => 0);
	for (let i = 0; i < turns; i++) {
		for (const [which, { units, call }] of prepared.entries()) {
			const [rate, calls] = await turn(call, rounds[which] as number);
			rounds[which] = (rounds[which] as number) + calls;
			best[which] = Math.max(best[which] as number, rate * units);
		}
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
	const [mine, faster] = (await measure(workload, [ours, compiled], TURNS)) as [number, number];
	const [theirs] = (await measure(workload, [other], OTHER_TURNS)) as [number];
	const ratio = mine / theirs;
	const missed = ratio < workload.demand || (workload.name === "countdown loop" && mine < COUNTDOWN_DEMAND);
	const demand = workload.demand > 0 ? `${workload.demand}${missed ? " MISSED" : ""}` : "";
	process.stdout.write(
		`| ${workload.name} | ${workload.unit} | ${spelled(mine)} | ${spelled(faster)} | ${(faster / mine).toFixed(1)} | ${spelled(theirs)} | ${ratio.toFixed(1)} | ${demand} |\n`,
	);
	if (missed) process.exitCode = 1;
}
