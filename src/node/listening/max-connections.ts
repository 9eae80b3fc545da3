/**
 * Connections that listeners without a setting of their own serve at a time; the others have theirs from the configuration. Every
 * listener is a `ConnectionGate`, which takes the number; `test/listeners.test.ts` finds one that isn't.
 */
export const MAX_CONNECTIONS = {
	/** The network's node has no such limit, but an operating system's. */
	grpc: 1_000,
	eventQueue: 1_000,
	/** Prometheus needs one; a person looks now and then. */
	metrics: 16,
	/** The explorer of another node, on the user's own machine. */
	explorer: 64,
} as const;
