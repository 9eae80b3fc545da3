/** The webhooks of a node: a feed for each. */

import { join } from "node:path";
import { toHex } from "../../../protocol/bytes.js";
import { type ChainObserver, eachBlock } from "../../chain/observers.js";
import type { EventConfig } from "../../config/event-config.js";
import { eventBudget } from "../event-budget.js";
import type { EventChain } from "../loaded-block.js";
import type { TimeSlice } from "../sliced-work.js";
import { positionStore } from "./position-file.js";
import type { FeedCounts } from "./receiver.js";
import { solidEvents } from "./solid-events.js";
import { SolidFeed } from "./solid-feed.js";
import { postDelivery, readSecret } from "./webhook.js";

interface WebhooksOptions {
	readonly config: EventConfig;
	readonly chain: EventChain;
	/** Undefined: the chain lives in memory, and positions do. */
	readonly dataDirectory: string | undefined;
	readonly warn: (text: string) => void;
	readonly nowMs: () => number;
	readonly fetch: typeof fetch;
	/** Waits so many ms, or until the signal. */
	readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
	readonly slice: () => TimeSlice;
}

interface Webhooks {
	readonly observer: ChainObserver;
	readonly counts: readonly FeedCounts[];
	/** Begins with what was solidified before. */
	start(): void;
	stop(): Promise<void>;
}

/** @throws {WebhookError | PositionError} one sentence */
export function createWebhooks(options: WebhooksOptions): Webhooks {
	const { config, chain, dataDirectory, warn, nowMs, fetch, pause, slice } = options;
	const feeds = config.webhooks.map((webhook) => {
		const secret = readSecret(webhook);
		const file = dataDirectory && join(dataDirectory, "events", `${webhook.name}.position`);
		return new SolidFeed({
			name: webhook.name,
			chain,
			positions: positionStore(file),
			fromBlock: webhook.fromBlock === undefined ? undefined : Number(webhook.fromBlock),
			budget: eventBudget(webhook.name, warn),
			eventsOf: (block, budget) => solidEvents(block, chain, config, webhook.kinds, budget),
			deliver: (delivery, signal) => postDelivery({ webhook, secret, nowMs, fetch }, delivery, signal),
			pause,
			slice,
			warn,
		});
	});
	const wake = (): void => {
		for (const feed of feeds) feed.wake();
	};
	return {
		observer: {
			...eachBlock({
				committed: wake,
				// Only a development chain undoes what is solidified.
				reverted: ({ block }) => {
					for (const feed of feeds) feed.rewound(Number(block.number), toHex(block.parentId));
				},
			}),
			replaced: () => {
				for (const feed of feeds) feed.rewound(1, chain.block(0)?.idHex ?? "");
				wake();
			},
		},
		get counts() {
			return feeds.map(({ counts }) => counts);
		},
		start: wake,
		stop: async () => {
			await Promise.all(feeds.map((feed) => feed.stop()));
		},
	};
}
