/** How busy this process and its machine are. Each value is about the time since it was read last. */

import { readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";

interface CpuTimes {
	readonly busyMs: number;
	readonly allMs: number;
}

function machineTimes(): CpuTimes {
	let busyMs = 0;
	let allMs = 0;
	for (const { times } of cpus()) {
		const work = times.user + times.nice + times.sys + times.irq;
		busyMs += work;
		allMs += work + times.idle;
	}
	return { busyMs, allMs };
}

function processTimes(): CpuTimes {
	const { user, system } = process.cpuUsage();
	return { busyMs: (user + system) / 1000, allMs: performance.now() * availableParallelism() };
}

export class SystemLoad {
	private lastMachine = machineTimes();
	private lastProcess = processTimes();

	/** Share of all processors that this process used: 0 to 1. */
	process(): number {
		const now = processTimes();
		const share = shareOf(this.lastProcess, now);
		this.lastProcess = now;
		return share;
	}

	/** Share of all processors that was used: 0 to 1. */
	system(): number {
		const now = machineTimes();
		const share = shareOf(this.lastMachine, now);
		this.lastMachine = now;
		return share;
	}

	/** A line of the kernel's account of memory; 0 on systems that keep none. */
	swapBytes(name: "SwapTotal" | "SwapFree"): number {
		try {
			const text = readFileSync("/proc/meminfo", "utf8");
			return Number(new RegExp(`^${name}:\\s*(\\d+) kB`, "m").exec(text)?.[1] ?? 0) * 1024;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
			return 0;
		}
	}
}

function shareOf(before: CpuTimes, now: CpuTimes): number {
	const all = now.allMs - before.allMs;
	return all > 0 ? Math.min(1, Math.max(0, (now.busyMs - before.busyMs) / all)) : 0;
}
