/** How long a server waits for clients that send slowly, or never to an end, so that they can't take all places. */

export interface Patience {
	/** From the first byte of a request to its last. */
	readonly requestMs: number;
	/** The same while other connections wait for a place. */
	readonly crowdedMs: number;
}

export const PATIENCE: Patience = { requestMs: 60_000, crowdedMs: 10_000 };

/** How often connections are looked at. */
export function sweepMs({ crowdedMs }: Patience): number {
	return Math.min(1_000, crowdedMs / 4);
}
