/** The messages of steps of the chain, made whenever a delivery comes to them, with ids that are the same each time. */

import type { SignedBlock } from "../../protocol/block.js";
import { transactionInfosOf } from "../chain/block-store.js";
import type { EventConfig } from "../config/event-config.js";
import type { Work } from "../scheduling/sliced-work.js";
import type { EventBudget } from "./event-budget.js";
import { createEventService } from "./event-service.js";
import { type EventChain, loadedBlock } from "./loaded-block.js";
import type { Outbox, Step } from "./outbox.js";
import { type EventMessage, triggerName } from "./receivers/event-message.js";
import type { Publication } from "./receivers/receiver.js";
import { EventSender, SOLID_LOGS } from "./sending.js";

/** Makes the messages of steps in their order. */
export interface Triggers {
	of(step: Step): Work<readonly EventMessage[]>;
}

interface TriggersOptions {
	readonly config: EventConfig;
	readonly chain: EventChain;
	readonly budget: EventBudget;
	readonly warn: (text: string) => void;
}

/**
 * The triggers of solidified blocks, one block on its own: block, transactions, events and logs, and that it is solidified. They are
 * always the same for the same block, so that what comes twice can be recognised (protocol/events §6).
 */
export function solidTriggers({ config, chain, budget }: TriggersOptions): Triggers {
	// Internal transactions have data only in the run that executed them: version 1 has none of it.
	const solid: EventConfig = { ...config, version: 1 };
	return { of: ({ block }) => solidMessages(block, chain, solid, budget) };
}

function* solidMessages(
	block: SignedBlock,
	chain: EventChain,
	config: EventConfig,
	budget: EventBudget,
): Work<readonly EventMessage[]> {
	const found: EventMessage[] = [];
	const sender = new EventSender(config, (message) => found.push(message), budget);
	const loaded = loadedBlock(chain, { block, infos: transactionInfosOf(chain.state, block) }, block.number);
	if (sender.wants("block")) sender.block(loaded);
	if (sender.wants("transaction")) yield* sender.transactions(loaded);
	yield* sender.inOrder((yield* sender.logsOf(loaded)).triggers, SOLID_LOGS);
	if (sender.wants("solidity")) sender.solidified(block);
	return found;
}

/** The event service at the position of a receiver, which may be far behind the chain: as if it had published the kept steps just now. */
export function serviceTriggers({ config, chain, budget, warn }: TriggersOptions, outbox: Outbox): Triggers {
	const { start, kept } = outbox;
	let { solid } = start;
	// What was left out before is not counted again.
	let isRepeating = true;
	let found: EventMessage[] = [];
	let works: Work[] = [];
	const service = createEventService({
		config,
		chain: {
			get state() {
				return chain.state;
			},
			headNumber: outbox.at.number,
			get solidNumber() {
				return solid;
			},
			dialect: chain.dialect,
			block: (number) => chain.block(number),
		},
		outlet: (message) => found.push(message),
		budget: budget.like((place, reason) => {
			if (!isRepeating) budget.leaveOut(place, reason);
		}),
		pause: async () => {},
		warn,
		run: (work) => works.push(work),
		replay: { hasPublished: !start.isFresh },
	});
	void service.start();
	const stepOf = function* ({ is, block, infos, solid: now }: Step): Work<readonly EventMessage[]> {
		found = [];
		works = [];
		solid = now;
		if (is === "applied") service.follower.committed({ block, infos }, false);
		else {
			service.follower.reorg?.();
			service.follower.reverted({ block, infos });
		}
		service.flush?.();
		for (const work of works) yield* work;
		return found;
	};
	const before = [...kept];
	return {
		*of(step) {
			for (let first = before[0]; first; first = before[0]) {
				yield* stepOf(first);
				before.shift();
			}
			isRepeating = false;
			return yield* stepOf(step);
		},
	};
}

/** A block that is published, and how often it was before, because a reorg reverted it and another brought it back. */
interface PublishedBlock {
	readonly idHex: string;
	readonly round: number;
}

/** Messages of one step with their ids. */
export function withIds(messages: readonly EventMessage[], { idHex, round }: PublishedBlock): Publication[] {
	const seen = new Map<string, number>();
	return messages.map((message) => {
		const { blockHash, removed } = message.body;
		const isOfBlock = (blockHash ?? message.id) === idHex;
		const parts = [triggerName(message.kind), message.id];
		if (typeof blockHash === "string" && blockHash !== message.id) parts.push(blockHash);
		if (isOfBlock && round > 0) parts.push(String(round + 1));
		if (removed === true) parts.push("removed");
		const id = parts.join("/");
		const times = (seen.get(id) ?? 0) + 1;
		seen.set(id, times);
		return { message, id: times === 1 ? id : `${id}/again${times}` };
	});
}
