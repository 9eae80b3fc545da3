/** The world with a net below its tasks: a fault in one of them is reported and doesn't end the node. */

import type { NetworkEnvironment } from "./environment.js";

/** @param report told of what a task throws */
export function guardedEnvironment(
	environment: NetworkEnvironment,
	report: (error: unknown, where: string) => void,
): NetworkEnvironment {
	const guarded = (task: () => void) => (): void => {
		try {
			task();
		} catch (error) {
			report(error, "peer network");
		}
	};
	return {
		...environment,
		after: (delayMs, task) => environment.after(delayMs, guarded(task)),
		every: (periodMs, task, firstMs) => environment.every(periodMs, guarded(task), firstMs),
		soon: (task) => environment.soon(guarded(task)),
	};
}
