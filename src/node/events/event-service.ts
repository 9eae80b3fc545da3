/** The event service in the configured version. */

import { type ChainObserver, type ExecutedBlock, eachBlock } from "../chain/observers.js";
import type { EventConfig } from "../config/event-config.js";
import { keepInternalCallData } from "../rules/internal-call-data.js";
import type { Work } from "../scheduling/sliced-work.js";
import type { EventBudget } from "./event-budget.js";
import { FollowedEvents } from "./followed-events.js";
import { LiveEvents } from "./live-events.js";
import type { EventChain } from "./loaded-block.js";
import { type EventOutlet, EventSender } from "./sending.js";

/** Interval at which version 1 publishes pending blocks. */
export const FLUSH_MS = 1_000;

interface EventServiceOptions {
	readonly config: EventConfig;
	readonly chain: EventChain;
	readonly outlet: EventOutlet;
	readonly budget: EventBudget;
	/** Waits so many ms. */
	readonly pause: (ms: number) => Promise<void>;
	readonly warn: (text: string) => void;
	/** Runs work in FIFO order. */
	readonly run: (work: Work) => void;
	/** Set if the caller feeds blocks one by one, old ones too; else the service starts at the chain's head. */
	readonly replay?: { readonly hasPublished: boolean };
}

/** Receives the blocks that a service publishes. */
export interface BlockFollower {
	committed(block: ExecutedBlock, inReorg: boolean): void;
	reverted(block: ExecutedBlock): void;
	/** A reorg begins; its blocks follow. */
	reorg?(): void;
	replaced(): void;
}

interface EventService {
	readonly observer: ChainObserver;
	/** The same service, for callers that feed blocks themselves. */
	readonly follower: BlockFollower;
	/** Resolves once old blocks, if any were asked for, are published. */
	start(): Promise<void>;
	/** Publishes pending blocks; call it once a second. Undefined if nothing is ever pending. */
	readonly flush: (() => void) | undefined;
	stop(): void;
}

export function createEventService(options: EventServiceOptions): EventService {
	const { config, chain, outlet, budget, pause, warn, run, replay } = options;
	const sender = new EventSender(config, outlet, budget);
	if (config.version === 0) {
		if (sender.wants("transaction")) keepInternalCallData();
		const live = new LiveEvents({ chain, sender, run, hasPublished: replay?.hasPublished });
		return {
			...following(live),
			start: async () => {},
			flush: undefined,
			stop: () => {},
		};
	}
	const startBlock = Number(config.startBlock);
	const followed = new FollowedEvents({ chain, sender, run, startBlock, pause, warn });
	return {
		...following(followed),
		start: async () => (replay ? followed.follow() : followed.start()),
		flush: () => followed.flush(),
		stop: () => followed.stop(),
	};
}

function following(follower: BlockFollower): Pick<EventService, "observer" | "follower"> {
	return { observer: { ...eachBlock(follower), replaced: () => follower.replaced() }, follower };
}
