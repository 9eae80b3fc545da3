/**
 * A backlog with a stored position and at-least-once delivery. The next step is found by comparing the outbox
 * with the chain, so only the step being published is in memory: a slow or absent receiver catches up from
 * the chain's own files later (protocol/events §7).
 */

import type { SignedBlock } from "../../protocol/block.js";
import { toHex } from "../../protocol/bytes.js";
import type { TransactionInfo } from "../../protocol/messages.js";
import { transactionInfosOf } from "../chain/block-store.js";
import { type ChainObserver, type ExecutedBlock, eachBlock } from "../chain/observers.js";
import type { EventConfig } from "../config/event-config.js";
import { internalCallData } from "../rules/internal-call-data.js";
import { inSlices, type Slice, type Work } from "../scheduling/sliced-work.js";
import type { Backlog, Parcel } from "./delivery.js";
import type { EventBudget } from "./event-budget.js";
import { createEventService } from "./event-service.js";
import { type EventChain, loadedBlock } from "./loaded-block.js";
import { Outbox, type OutboxPosition, type Start, type Step } from "./outbox.js";
import { type EventMessage, triggerName } from "./receivers/event-message.js";
import type { DeliveryLimits, Publication } from "./receivers/receiver.js";
import { EventSender, SOLID_LOGS } from "./sending.js";

/** Characters of messages above which no further block is added to a delivery. */
const MAX_CHARACTERS = 1 << 20;

interface StoredBacklogOptions {
	readonly name: string;
	/** With this receiver's topics. */
	readonly config: EventConfig;
	/** Only solidified blocks are published. */
	readonly isSolid?: boolean;
	/**
	 * First block for a receiver without a position; undefined: the next new block. Unless only solidified
	 * blocks are published, it is capped at the first unsolidified block.
	 */
	readonly fromBlock?: number | undefined;
	readonly chain: EventChain;
	readonly limits: Pick<DeliveryLimits, "messages" | "blocks">;
	readonly budget: EventBudget;
	/** The outbox file; undefined: in memory. */
	readonly file: string | undefined;
	/** Its path in earlier versions of this program. */
	readonly formerFile?: string | undefined;
	readonly slice: () => Slice;
	readonly warn: (text: string) => void;
	readonly info: (text: string) => void;
}

interface StoredParcel extends Parcel {
	readonly steps: readonly Step[];
	readonly generation: number;
}

/** Blocks, and their bytes, kept for one receiver. */
const MAX_RECENT_BLOCKS = 256;
const MAX_BYTES = 16 << 20;
/** Approximate size of a receipt beyond its block. */
const RECEIPT_BYTES = 1_000;
/** Approximate size of a log or internal transaction beyond its data. */
const LOG_BYTES = 200;

interface RecentBlock {
	readonly block: SignedBlock;
	/** Receipts from execution. */
	readonly infos: readonly Readonly<TransactionInfo>[];
	/** The solidified number at that time. */
	readonly solid: number;
}

/** Executed blocks still to be published. Bounded, since stored blocks have nearly the same data. */
class RecentBlocks {
	private readonly blocks = new Map<string, RecentBlock>();
	private bytes = 0;

	/** Adds a block, dropping the oldest ones over the bound. */
	add(recent: RecentBlock): void {
		this.delete(recent.block.idHex);
		this.blocks.set(recent.block.idHex, recent);
		this.bytes += sizeOf(recent);
		for (const [id] of this.blocks) {
			if (this.blocks.size <= MAX_RECENT_BLOCKS && this.bytes <= MAX_BYTES) return;
			this.delete(id);
		}
	}

	get(id: string): RecentBlock | undefined {
		return this.blocks.get(id);
	}

	delete(id: string): void {
		const recent = this.blocks.get(id);
		if (!recent) return;
		this.blocks.delete(id);
		this.bytes -= sizeOf(recent);
	}

	clear(): void {
		this.blocks.clear();
		this.bytes = 0;
	}
}

function sizeOf({ block, infos }: RecentBlock): number {
	let size = block.bytes.length + RECEIPT_BYTES * infos.length;
	for (const { log, internal_transactions } of infos) {
		for (const { data } of log) size += LOG_BYTES + data.length;
		for (const internal of internal_transactions) {
			const data = internalCallData(internal);
			size += LOG_BYTES + (typeof data === "number" ? 0 : data.length);
		}
	}
	return size;
}

/** Builds the messages of steps in order, with ids that are stable across retries. */
interface Triggers {
	of(step: Step): Work<readonly EventMessage[]>;
}

interface TriggersOptions {
	readonly config: EventConfig;
	readonly chain: EventChain;
	readonly budget: EventBudget;
	readonly warn: (text: string) => void;
}

/**
 * Triggers of solidified blocks, each on its own: block, transactions, events and logs, then solidity. They
 * are deterministic, so that duplicates can be recognised (protocol/events §6).
 */
function solidTriggers({ config, chain, budget }: TriggersOptions): Triggers {
	// Internal transactions have data only in the run that executed them; version 1 publishes none of it.
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

/** The event service at a receiver's position: as if the kept steps had just been published. */
function serviceTriggers({ config, chain, budget, warn }: TriggersOptions, outbox: Outbox): Triggers {
	const { start, kept } = outbox;
	let { solid } = start;
	// Events dropped before are not counted again.
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

/** A published block, and how often it was published before because reorgs reverted and restored it. */
interface PublishedBlock {
	readonly idHex: string;
	readonly round: number;
}

/** The messages of one step with their ids. */
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

export class StoredBacklog implements Backlog<StoredParcel> {
	readonly lost = 0;
	private readonly outbox: Outbox;
	private readonly recent = new RecentBlocks();
	private triggers: Triggers;
	private wake: () => void = () => {};
	/** Incremented when the position is rewound or replaced. */
	private generation = 0;
	/** Lowest block reverted since the position was last rewound. */
	private lowestReverted = Number.POSITIVE_INFINITY;

	/** @throws {OutboxError} */
	constructor(private readonly options: StoredBacklogOptions) {
		const { file, formerFile } = options;
		this.outbox = Outbox.open(file, formerFile, () => ({ at: this.beginning(), start: this.freshStart() }));
		this.triggers = this.newTriggers();
	}

	get position(): number {
		return this.outbox.at.number;
	}

	get target(): number {
		const { isSolid, chain } = this.options;
		return isSolid ? chain.solidNumber : chain.headNumber;
	}

	readonly observer: ChainObserver = {
		...eachBlock({
			committed: (block) => this.remember(block),
			reverted: (executed) => {
				const { block } = executed;
				const number = Number(block.number);
				if (!this.options.isSolid) this.lowestReverted = Math.min(this.lowestReverted, number);
				// Only a development chain reverts solidified blocks.
				else if (number <= this.position) this.putBack({ number: number - 1, id: toHex(block.parentId) });
				this.remember(executed);
			},
		}),
		replaced: () => {
			this.recent.clear();
			if (this.options.isSolid) {
				const first = this.placeOf(0);
				if (this.position > first.number) this.putBack(first);
				this.wake();
				return;
			}
			// What was published belongs to another chain: continue from the current head, as without a position.
			this.generation++;
			this.outbox.restart(this.placeOf(this.target), this.freshStart());
			this.triggers = this.newTriggers();
		},
	};

	open(wake: () => void): void {
		const { name, info } = this.options;
		info(`events of ${name} go on after block ${this.position} of ${this.target}`);
		this.wake = wake;
	}

	async next(signal: AbortSignal): Promise<StoredParcel | undefined> {
		const { outbox } = this;
		// If the position was rewound while messages were built, look for the next step again.
		while (!signal.aborted) {
			const { generation } = this;
			const first = outbox.intended ?? this.nextStep(outbox.at, outbox.solid);
			if (!first) return undefined;
			const steps = [first];
			const publications = await inSlices(this.publicationsOf(first), this.options.slice(), signal);
			if (!publications) return undefined;
			if (generation !== this.generation) continue;
			if (isFinal(first)) await this.addFinal(steps, publications, signal);
			else if (!outbox.intended) outbox.intend(first);
			if (generation === this.generation) return { steps, publications, block: first.block, generation };
		}
		return undefined;
	}

	acknowledge({ steps, generation }: StoredParcel): void {
		if (generation !== this.generation) return;
		const { outbox } = this;
		const { solid } = outbox;
		outbox.acknowledge(steps);
		for (const { block } of steps) this.recent.delete(block.idHex);
		const last = steps.at(-1) as Step;
		if (last.is === "erased" && Number(last.block.number) <= solid) {
			outbox.rewound(outbox.at);
			this.triggers = this.newTriggers();
		}
	}

	/** A step may have been built partly. */
	reset(): void {
		this.triggers = this.newTriggers();
	}

	close(): void {
		this.outbox.close();
	}

	private remember({ block, infos }: ExecutedBlock): void {
		const { isSolid, chain } = this.options;
		if (!isSolid) this.recent.add({ block, infos, solid: chain.solidNumber });
		this.wake();
	}

	/** Adds following final blocks to the same delivery. */
	private async addFinal(steps: Step[], publications: Publication[], signal: AbortSignal): Promise<void> {
		const { generation } = this;
		const { limits, slice } = this.options;
		let characters = lengthOf(publications);
		while (
			steps.length < limits.blocks &&
			publications.length < limits.messages &&
			characters < MAX_CHARACTERS
		) {
			const { block, solid } = steps.at(-1) as Step;
			const next = this.nextStep({ number: Number(block.number), id: block.idHex }, solid);
			if (!next || next.is === "erased" || !isFinal(next)) return;
			const more = await inSlices(this.publicationsOf(next), slice(), signal);
			if (!more || generation !== this.generation) return;
			steps.push(next);
			characters += lengthOf(more);
			for (const one of more) publications.push(one);
		}
	}

	private *publicationsOf(step: Step): Work<Publication[]> {
		const { idHex } = step.block;
		const rounds = this.outbox.kept.filter(
			({ is, block }) => is === "applied" && block.idHex === idHex,
		).length;
		const round = step.is === "applied" ? rounds : Math.max(0, rounds - 1);
		return withIds(yield* this.triggers.of(step), { idHex, round });
	}

	/** @param solid the solidified number published last */
	private nextStep(at: OutboxPosition, solid: number): Step | undefined {
		const { chain, isSolid } = this.options;
		if (isSolid && at.number > chain.solidNumber) return undefined;
		if (at.number >= this.target || isSolid) {
			const isThere = at.id === "" || chain.block(at.number)?.idHex === at.id;
			if (!isThere) return this.backStep(at, solid);
			if (at.number >= this.target) return undefined;
		}
		const number = at.number + 1;
		const block = chain.block(number);
		if (!block) throw new Error(`block ${number} is not stored`);
		// Its receipts are read when its messages are built.
		if (isSolid) return { is: "applied", block, infos: [], solid: number };
		if (at.id !== "" && toHex(block.parentId) !== at.id) return this.backStep(at, solid);
		const recent = this.recent.get(block.idHex);
		const infos = recent?.infos ?? transactionInfosOf(chain.state, block);
		return { is: "applied", block, infos, solid: Math.max(solid, this.solidAt(number, recent?.solid)) };
	}

	/** The step for a last published block that isn't on the chain. */
	private backStep(at: OutboxPosition, solid: number): Step | undefined {
		const { chain, warn, name } = this.options;
		const published = this.outbox.kept.find(({ block }) => block.idHex === at.id) ?? this.recent.get(at.id);
		if (published) return { is: "erased", block: published.block, infos: published.infos, solid };
		// The data directory is older or another one, or a development chain was rewound far.
		const number = Math.min(at.number - 1, chain.headNumber, this.lowestReverted - 1);
		warn(
			`events of ${name}: block ${at.number} is another one than was published; published again from ${number + 1} on`,
		);
		this.lowestReverted = Number.POSITIVE_INFINITY;
		this.outbox.rewound(this.placeOf(number));
		this.triggers = this.newTriggers();
		return this.nextStep(this.outbox.at, this.outbox.solid);
	}

	private putBack(place: OutboxPosition): void {
		this.generation++;
		this.outbox.rewound(place);
		this.triggers = this.newTriggers();
	}

	/** Version 0 publishes a block as solidified along with its solidifying block; old ones with themselves. */
	private solidAt(number: number, recent: number | undefined): number {
		const { solidNumber } = this.options.chain;
		if (recent !== undefined) return Math.min(recent, solidNumber);
		return this.options.config.version === 0 ? Math.min(solidNumber, number) : solidNumber;
	}

	/** The start position of a receiver to which nothing was published. */
	private beginning(): OutboxPosition {
		const { fromBlock, isSolid, chain } = this.options;
		if (fromBlock === undefined) return this.placeOf(this.target);
		return this.placeOf((isSolid ? fromBlock : Math.min(fromBlock, chain.solidNumber + 1)) - 1);
	}

	private placeOf(number: number): OutboxPosition {
		return { number, id: this.options.chain.block(number)?.idHex ?? "" };
	}

	private freshStart(): Start {
		return { solid: this.options.chain.solidNumber, isFresh: true };
	}

	private newTriggers(): Triggers {
		const { options } = this;
		return options.isSolid ? solidTriggers(options) : serviceTriggers(options, this.outbox);
	}
}

const lengthOf = (publications: readonly Publication[]): number =>
	publications.reduce((sum, { message }) => sum + message.json.length, 0);

const isFinal = ({ is, block, solid }: Step): boolean => is === "applied" && Number(block.number) <= solid;
