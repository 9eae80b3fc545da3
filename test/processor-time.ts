/** Time that does not depend on what else the machine does: limits of tests are in it. */

/**
 * Processor time of this process, in milliseconds, while the work is done. Tests that run on other threads of the
 * process count, too: a limit is a few times what the work alone takes.
 */
export function processorMs(work: () => void): number {
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}
