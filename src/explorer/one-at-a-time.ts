/** Work that is asked for more often than it can be done. */

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
