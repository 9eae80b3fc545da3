/**
 * Whether a key is being derived at this moment. The runtime does that on another thread and waits for it when the
 * process exits, so a caller that wants to end at once must know.
 */

let underWay = 0;

export function isDeriving(): boolean {
	return underWay > 0;
}

/** Runs a derivation. */
export async function deriving<T>(derive: () => Promise<T>): Promise<T> {
	underWay++;
	try {
		return await derive();
	} finally {
		underWay--;
	}
}
