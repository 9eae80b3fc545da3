/** From logs and blocks to messages, as the topics say. */

import type { EventConfig, EventKind } from "../config/event-config.js";
import { blockTrigger } from "./block-triggers.js";
import { type ContractTrigger, contractTriggers } from "./contract-triggers.js";
import { type EventMessage, messageOf } from "./event-kinds.js";
import type { LoadedBlock } from "./loaded-block.js";
import { transactionTriggers } from "./transaction-triggers.js";

/** Takes messages in their order. It must neither throw nor wait. */
export type EventOutlet = (message: EventMessage) => void;

/** The kinds that logs of unsolidified and of solidified blocks are told as. */
interface LogKinds {
	readonly event: EventKind;
	readonly log: EventKind;
}

export const LIVE_LOGS: LogKinds = { event: "contractevent", log: "contractlog" };
export const SOLID_LOGS: LogKinds = { event: "solidityevent", log: "soliditylog" };

/** What is told of blocks by a configuration. */
export class EventSender {
	readonly wantsLive: boolean;
	readonly wantsSolid: boolean;

	constructor(
		private readonly config: EventConfig,
		private readonly outlet: EventOutlet,
	) {
		const { topics } = config;
		this.wantsLive = topics.has("contractevent") || topics.has("contractlog");
		this.wantsSolid = topics.has("solidityevent") || topics.has("soliditylog");
	}

	wants(kind: EventKind): boolean {
		return this.config.topics.has(kind);
	}

	/** Whether a kind is told once its block is solidified. */
	isLate(kind: "block" | "transaction"): boolean {
		return this.config.topics.get(kind)?.solidified ?? false;
	}

	/** The logs of a block; none where no topic is about them. */
	logsOf(loaded: LoadedBlock): readonly ContractTrigger[] {
		return this.wantsLive || this.wantsSolid ? contractTriggers(loaded, this.config) : [];
	}

	send(message: EventMessage): void {
		this.outlet(message);
	}

	/** Logs in their order, each as event or log, and as both where the topic of logs asks for it. */
	inOrder(triggers: readonly ContractTrigger[], kinds: LogKinds, removed = false): void {
		for (const trigger of triggers) {
			this.event(trigger, kinds, removed);
			this.log(trigger, kinds, removed);
		}
	}

	/** @param removed the block has left the chain */
	event(trigger: ContractTrigger, { event }: LogKinds, removed: boolean): void {
		if (!trigger.event || !this.wants(event)) return;
		this.send(messageOf(event, trigger, { ...(removed ? { removed } : {}), ...trigger.event }));
	}

	log(trigger: ContractTrigger, { log }: LogKinds, removed: boolean): void {
		const topic = this.config.topics.get(log);
		if (!topic || (trigger.event && !topic.redundancy)) return;
		this.send(messageOf(log, trigger, { ...(removed ? { removed } : {}), ...trigger.log }));
	}

	block(loaded: LoadedBlock): void {
		this.send(messageOf("block", blockTrigger(loaded)));
	}

	transactions(loaded: LoadedBlock): void {
		const { version, topics } = this.config;
		const ethCompatible = topics.get("transaction")?.ethCompatible ?? false;
		for (const trigger of transactionTriggers(loaded, { version, ethCompatible })) {
			this.send(messageOf("transaction", trigger));
		}
	}
}
