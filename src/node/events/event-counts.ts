/** What a node counts of its events. */

import type { PublisherCounts } from "./native/publisher.js";
import type { FeedCounts } from "./sinks/receiver.js";

export interface EventCounts {
	/** Undefined: there is no native queue. */
	readonly native: PublisherCounts | undefined;
	readonly receivers: readonly FeedCounts[];
}
