/** Work that is asked for more often than it can be done, and work of which only so much is done at a time. */

/** Of many questions of a view, so many are asked at a time. */
export const QUESTIONS_AT_ONCE = 4;

/** Does work for each of some items, a few at a time. Rejects with the first failure. */
export async function fewAtATime<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
	const waiting = items.values();
	const one = async (): Promise<void> => {
		for (const item of waiting) await work(item);
	};
	await Promise.all(Array.from({ length: QUESTIONS_AT_ONCE }, one));
}

/**
 * Runs work when it is called; calls while it runs make it run once more afterwards, however many they are.
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
