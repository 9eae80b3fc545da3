/** What a node counts of its events. */

import type { PublisherCounts } from "./native/publisher.js";
import type { FeedCounts } from "./sinks/receiver.js";

interface NativeCounts extends PublisherCounts {
	/** Events that could not be published. */
	readonly leftOut: number;
}

export interface EventCounts {
	/** Undefined: there is no native queue. */
	readonly native: NativeCounts | undefined;
	readonly receivers: readonly FeedCounts[];
}
