/** Time that does not depend on what else the machine does: limits of tests are in it. */

import { readFileSync } from "node:fs";

/**
 * Processor time of the thread that asks, in milliseconds since some moment. Where the system doesn't tell it, that of the whole process,
 * in which tests on other threads count, too.
 */
export function threadMs(): number {
	try {
		return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1e6;
	} catch {
		const { user, system } = process.cpuUsage();
		return (user + system) / 1000;
	}
}

/** Processor time of this thread, in milliseconds, while the work is done: a limit is a few times what the work alone takes. */
export function processorMs(work: () => void): number {
	const before = threadMs();
	work();
	return threadMs() - before;
}
