/** Turns logs and blocks into messages, as the topics configure. */

import type { SignedBlock } from "../../protocol/block.js";
import type { EventConfig } from "../config/event-config.js";
import type { Work } from "../scheduling/sliced-work.js";
import { type ContractTrigger, contractTriggers } from "./contract-triggers.js";
import type { EventBudget } from "./event-budget.js";
import type { LoadedBlock } from "./loaded-block.js";
import {
	type EventBody,
	type EventKind,
	type EventMessage,
	eventMessage,
	type Trigger,
} from "./receivers/event-message.js";
import { transactionTriggers } from "./transaction-triggers.js";

/** Takes messages in order. Must not block. */
export type EventOutlet = (message: EventMessage) => void;

/** The kinds under which logs of unsolidified and of solidified blocks are published. */
interface LogKinds {
	readonly event: EventKind;
	readonly log: EventKind;
}

export const LIVE_LOGS: LogKinds = { event: "contractevent", log: "contractlog" };
export const SOLID_LOGS: LogKinds = { event: "solidityevent", log: "soliditylog" };

export interface BlockLogs {
	readonly triggers: readonly ContractTrigger[];
	/** Their approximate length. */
	readonly characters: number;
}

/** Publishes blocks as configured. */
export class EventSender {
	readonly wantsLive: boolean;
	readonly wantsSolid: boolean;

	constructor(
		private readonly config: EventConfig,
		private readonly outlet: EventOutlet,
		private readonly budget: EventBudget,
	) {
		const { topics } = config;
		this.wantsLive = topics.has("contractevent") || topics.has("contractlog");
		this.wantsSolid = topics.has("solidityevent") || topics.has("soliditylog");
	}

	/** Characters of logs that may be kept until their blocks are solidified. */
	get maxKept(): number {
		return this.budget.maxKept;
	}

	/** Whether blocks and transactions of reverted branches are retracted. */
	get tellsRemoved(): boolean {
		return this.config.tellsRemoved;
	}

	wants(kind: EventKind): boolean {
		return this.config.topics.has(kind);
	}

	/** Whether a kind is published once its block is solidified. */
	isLate(kind: "block" | "transaction"): boolean {
		return this.config.topics.get(kind)?.solidified ?? false;
	}

	/** The logs of a block; none if no topic needs them. */
	*logsOf(loaded: LoadedBlock): Work<BlockLogs> {
		if (!this.wantsLive && !this.wantsSolid) return { triggers: [], characters: 0 };
		const budget = this.budget.open(loaded.block);
		const triggers: ContractTrigger[] = [];
		for (const trigger of contractTriggers(loaded, this.config, budget)) {
			if (trigger) triggers.push(trigger);
			yield;
		}
		return { triggers, characters: budget.spent };
	}

	/** @param members override those of the trigger */
	send(kind: EventKind, trigger: Trigger, members: EventBody = {}): void {
		const { blockNumber, transactionId } = trigger.members;
		const block = typeof blockNumber === "bigint" ? blockNumber : undefined;
		const transaction = typeof transactionId === "string" ? transactionId : undefined;
		this.budget.attempt({ what: kind, block, transaction }, () =>
			this.outlet(eventMessage(kind, trigger, members)),
		);
	}

	/** Logs in order, each as event or log, or as both if the log topic asks for redundancy. */
	*inOrder(triggers: readonly ContractTrigger[], kinds: LogKinds, removed = false): Work {
		for (const trigger of triggers) {
			this.event(trigger, kinds, removed);
			this.log(trigger, kinds, removed);
			yield;
		}
	}

	/** @param removed whether the block was reverted */
	event(trigger: ContractTrigger, { event }: LogKinds, removed: boolean): void {
		if (!trigger.event || !this.wants(event)) return;
		this.send(event, trigger, { ...(removed ? { removed } : {}), ...trigger.event });
	}

	log(trigger: ContractTrigger, { log }: LogKinds, removed: boolean): void {
		const topic = this.config.topics.get(log);
		if (!topic || (trigger.event && !topic.redundancy)) return;
		this.send(log, trigger, { ...(removed ? { removed } : {}), ...trigger.log });
	}

	/** @param removed whether the block was reverted */
	block(loaded: LoadedBlock, removed = false): void {
		this.send("block", blockTrigger(loaded, this.tellsRemoved ? { removed } : {}));
	}

	solidified(block: SignedBlock): void {
		this.send("solidity", solidityTrigger(block));
	}

	/** @param removed whether the block was reverted */
	*transactions(loaded: LoadedBlock, removed = false): Work {
		const { version, topics, tellsRemoved } = this.config;
		const ethCompatible = topics.get("transaction")?.ethCompatible ?? false;
		const budget = this.budget.open(loaded.block);
		for (const trigger of transactionTriggers(loaded, { version, ethCompatible, tellsRemoved }, budget)) {
			if (trigger) this.send("transaction", trigger, removed ? { removed } : {});
			yield;
		}
	}
}

/** A block trigger (protocol/events §3). @param removed the `removed` member, if published */
export function blockTrigger(
	{ block, solidNumber }: Pick<LoadedBlock, "block" | "solidNumber">,
	removed: EventBody = {},
): Trigger {
	return {
		timestampMs: block.timestampMs,
		id: block.idHex,
		members: {
			blockNumber: block.number,
			blockHash: block.idHex,
			transactionSize: block.transactions.length,
			latestSolidifiedBlockNumber: solidNumber,
			...removed,
			transactionList: block.transactions.map(({ idHex }) => idHex),
		},
	};
}

/** The trigger of a newly solidified block. */
function solidityTrigger(block: SignedBlock): Trigger {
	return {
		timestampMs: block.timestampMs,
		id: block.idHex,
		members: { latestSolidifiedBlockNumber: block.number },
	};
}
