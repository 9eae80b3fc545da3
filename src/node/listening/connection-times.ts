/** How long a client may take to send a request, so that slow ones can't hold all connections. */

export interface ConnectionTimes {
	/** From the first byte of a request to its last. */
	readonly requestMs: number;
	/** The same while other connections wait for a place. */
	readonly crowdedMs: number;
}

export const CONNECTION_TIMES: ConnectionTimes = { requestMs: 60_000, crowdedMs: 10_000 };

/** How often connections are looked at. */
export function sweepIntervalMs({ crowdedMs }: ConnectionTimes): number {
	return Math.min(1_000, crowdedMs / 4);
}
