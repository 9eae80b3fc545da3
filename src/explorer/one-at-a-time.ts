/** Coalesces repeated work, and limits its concurrency. */

/** Concurrent requests of a view. */
export const QUESTIONS_AT_ONCE = 4;

/** Processes items with limited concurrency. Rejects with the first failure. */
export async function fewAtATime<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
	const waiting = items.values();
	const one = async (): Promise<void> => {
		for (const item of waiting) await work(item);
	};
	await Promise.all(Array.from({ length: QUESTIONS_AT_ONCE }, one));
}

/**
 * Runs work when called; calls during a run, however many, cause one more run afterwards.
 * @param work never rejects
 */
export function oneAtATime(work: () => Promise<void>): () => void {
	let isRunning = false;
	let isAsked = false;
	const run = async (): Promise<void> => {
		isRunning = true;
		do {
			isAsked = false;
			await work();
		} while (isAsked);
		isRunning = false;
	};
	return () => {
		isAsked = true;
		if (!isRunning) void run();
	};
}
