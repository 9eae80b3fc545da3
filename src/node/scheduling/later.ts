/** Work for many subscribers: in slices, each followed by a rest of its length, in which connections are taken and calls answered. */

/** Milliseconds. */
export const FAN_OUT_MS = 5;

/** Runs work in a later round of the event loop, after some milliseconds. */
export type Later = (work: () => void, ms: number) => void;

export const inLaterRound: Later = (work, ms) => {
	if (ms === 0) setImmediate(work);
	else setTimeout(work, ms).unref();
};
