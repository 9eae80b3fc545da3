/**
 * Feeds a receiver with the triggers of the event service, one step of the chain after the other from its stored position on. What comes
 * next is found by comparing what was told with the chain, so that nothing waits in memory but the step that is being told: a receiver
 * that is slow or gone finds the rest in the chain's own files later (protocol/events §7).
 */

import { toHex } from "../../../protocol/bytes.js";
import { transactionInfosOf } from "../../chain/block-store.js";
import { type ChainObserver, eachBlock } from "../../chain/observers.js";
import type { EventConfig } from "../../config/event-config.js";
import type { EventBudget } from "../event-budget.js";
import type { EventMessage } from "../event-kinds.js";
import { createEventService } from "../event-service.js";
import type { EventChain } from "../loaded-block.js";
import { inSlices, type TimeSlice, type Work } from "../sliced-work.js";
import { closeReceiver, Deliverer, MOST_MESSAGES, reasonOf } from "./delivering.js";
import { type FeedCounts, type Receiver, type Told, withIds } from "./receiver.js";
import { RecentBlocks } from "./recent-blocks.js";
import { type Place, type Start, type Step, ToldJournal } from "./told-journal.js";

/** Final blocks that are told together, where they have few messages. */
const MOST_STEPS = 16;
/** Characters of messages from which on no further block is added. */
const MOST_CHARACTERS = 1 << 20;

export interface FeedOptions {
	readonly name: string;
	/** The topics are those of this receiver. */
	readonly config: EventConfig;
	readonly chain: EventChain;
	readonly receiver: Receiver;
	readonly budget: EventBudget;
	/** Where the position is stored; undefined: in memory. */
	readonly file: string | undefined;
	/** Waits so many ms, or until the signal. */
	readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
	readonly slice: () => TimeSlice;
	readonly warn: (text: string) => void;
	readonly info: (text: string) => void;
}

/** A way to a receiver: with a stored position, or without. */
export interface Feed {
	readonly observer: ChainObserver;
	readonly counts: FeedCounts;
	/** Begins with what came before. */
	start(): void;
	stop(): Promise<void>;
}

/** The event service at the place of a receiver, which may be far behind the chain. */
interface Teller {
	/** The messages of a step. */
	tell(step: Step): Work<readonly EventMessage[]>;
}

export class ToldFeed implements Feed {
	private readonly stopping = new AbortController();
	private readonly journal: ToldJournal;
	private readonly recent = new RecentBlocks();
	private readonly deliverer: Deliverer;
	private teller: Teller;
	private running: Promise<void> | undefined;
	private isWoken = false;
	private isStuck = false;
	private failures = 0;
	/** Counts how often the chain was replaced. */
	private generation = 0;
	/** Of blocks that left the chain since the last time that the position was put back. */
	private lowestReverted = Number.POSITIVE_INFINITY;

	/** @throws {JournalError} */
	constructor(private readonly options: FeedOptions) {
		const { name, receiver, pause, warn, info, file } = options;
		this.deliverer = new Deliverer({ name, receiver, pause, warn, info });
		this.journal = ToldJournal.open(file, () => ({ at: this.beginning(), start: this.freshStart() }));
		this.teller = this.newTeller();
	}

	get counts(): FeedCounts {
		const { name, chain, budget } = this.options;
		const { number } = this.journal.at;
		const { errors, sent, refused: lost } = this.deliverer;
		return {
			name,
			position: number,
			lag: Math.max(0, chain.headNumber - number),
			errors: errors + this.failures,
			sent,
			lost,
			leftOut: budget.leftOut,
		};
	}

	readonly observer: ChainObserver = {
		...eachBlock({
			committed: ({ block, infos }) => {
				this.recent.add({ block, infos, solid: this.options.chain.solidNumber });
				this.wake();
			},
			reverted: ({ block, infos }) => {
				this.lowestReverted = Math.min(this.lowestReverted, Number(block.number));
				this.recent.add({ block, infos, solid: this.options.chain.solidNumber });
				this.wake();
			},
		}),
		replaced: () => {
			// What was told is of another chain: as a service without a position, it goes on from the head that is there now.
			this.generation++;
			this.recent.clear();
			this.journal.restart(this.head(), this.freshStart());
			this.teller = this.newTeller();
		},
	};

	start(): void {
		const { name, info, chain } = this.options;
		const { number } = this.journal.at;
		info(`events of ${name} go on after block ${number} of ${chain.headNumber}`);
		this.wake();
	}

	async stop(): Promise<void> {
		this.stopping.abort();
		await this.running;
		await closeReceiver(this.options.receiver, this.options.pause);
		this.journal.close();
	}

	/** There may be steps that were not there before. It returns at once. */
	private wake(): void {
		this.isWoken = true;
		if (this.running || this.stopping.signal.aborted) return;
		this.running = this.run().finally(() => {
			this.running = undefined;
		});
	}

	private async run(): Promise<void> {
		// The block that woke it is finished first.
		await Promise.resolve();
		const { signal } = this.stopping;
		while (this.isWoken && !signal.aborted) {
			this.isWoken = false;
			try {
				while (!signal.aborted && (await this.tellNext(signal))) this.goesOn();
			} catch (error) {
				if (signal.aborted) return;
				this.fails(error);
			}
		}
	}

	/** A block that is missing or a disk that is full: it is tried again with the next block. */
	private fails(error: unknown): void {
		const { name, warn } = this.options;
		this.failures++;
		// It may have been told a part of a step.
		this.teller = this.newTeller();
		if (!this.isStuck) warn(`events of ${name} wait: ${reasonOf(error)}`);
		this.isStuck = true;
	}

	private goesOn(): void {
		if (this.isStuck) this.options.info(`events of ${this.options.name} go on`);
		this.isStuck = false;
	}

	/** @returns whether there was anything to tell */
	private async tellNext(signal: AbortSignal): Promise<boolean> {
		const { generation, journal } = this;
		const first = journal.intended ?? this.nextStep(journal.at, journal.solid);
		if (!first) return false;
		const steps = [first];
		const told = await inSlices(this.tell(first), this.options.slice(), signal);
		if (!told) return false;
		if (generation !== this.generation) return true;
		if (!isFinal(first)) {
			if (!journal.intended) journal.intend(first);
		} else await this.addFinal(steps, told, signal);
		if (generation !== this.generation) return true;
		const last = steps.at(-1) as Step;
		if (told.length > 0) {
			const isDone = await this.deliverer.deliver(told, `block ${first.block.number}`, signal);
			if (!isDone) return false;
		} else await this.options.pause(0, signal);
		if (generation !== this.generation) return true;
		const { solid } = journal;
		journal.acknowledge(steps);
		for (const { block } of steps) this.recent.take(block.idHex);
		if (last.is === "erased" && Number(last.block.number) <= solid) {
			journal.rewound(journal.at);
			this.teller = this.newTeller();
		}
		return true;
	}

	/** More final blocks that follow, for one delivery. */
	private async addFinal(steps: Step[], told: Told[], signal: AbortSignal): Promise<void> {
		const { generation } = this;
		let characters = lengthOf(told);
		while (steps.length < MOST_STEPS && told.length < MOST_MESSAGES && characters < MOST_CHARACTERS) {
			const { block, solid } = steps.at(-1) as Step;
			const next = this.nextStep({ number: Number(block.number), id: block.idHex }, solid);
			if (!next || next.is === "erased" || !isFinal(next)) return;
			const more = await inSlices(this.tell(next), this.options.slice(), signal);
			if (!more || generation !== this.generation) return;
			steps.push(next);
			characters += lengthOf(more);
			for (const one of more) told.push(one);
		}
	}

	private *tell(step: Step): Work<Told[]> {
		const { idHex } = step.block;
		const rounds = this.journal.kept.filter(
			({ is, block }) => is === "applied" && block.idHex === idHex,
		).length;
		const round = step.is === "applied" ? rounds : Math.max(0, rounds - 1);
		return withIds(yield* this.teller.tell(step), { idHex, round });
	}

	/** @param solid the solidified number that was told last */
	private nextStep(at: Place, solid: number): Step | undefined {
		const { chain } = this.options;
		if (at.number >= chain.headNumber) {
			const isThere = at.id === "" || chain.block(at.number)?.idHex === at.id;
			return isThere ? undefined : this.backStep(at, solid);
		}
		const number = at.number + 1;
		const block = chain.block(number);
		if (!block) throw new Error(`block ${number} is not stored`);
		if (at.id !== "" && toHex(block.parentId) !== at.id) return this.backStep(at, solid);
		const recent = this.recent.get(block.idHex);
		const infos = recent?.infos ?? transactionInfosOf(chain.state, block);
		return { is: "applied", block, infos, solid: Math.max(solid, this.solidAt(number, recent?.solid)) };
	}

	/** The last block that was told isn't the chain's. */
	private backStep(at: Place, solid: number): Step | undefined {
		const { chain, warn, name } = this.options;
		const told = this.journal.kept.find(({ block }) => block.idHex === at.id) ?? this.recent.get(at.id);
		if (told) return { is: "erased", block: told.block, infos: told.infos, solid };
		// An older directory, or another one; or a development chain was put back far.
		const number = Math.min(at.number - 1, chain.headNumber, this.lowestReverted - 1);
		warn(
			`events of ${name}: block ${at.number} is another one than was told; told again from ${number + 1} on`,
		);
		this.lowestReverted = Number.POSITIVE_INFINITY;
		this.journal.rewound({ number, id: chain.block(number)?.idHex ?? "" });
		this.teller = this.newTeller();
		return this.nextStep(this.journal.at, this.journal.solid);
	}

	/** Version 0 tells solidified blocks with the block that made them so; of old ones each makes itself so. */
	private solidAt(number: number, recent: number | undefined): number {
		const { solidNumber } = this.options.chain;
		if (recent !== undefined) return Math.min(recent, solidNumber);
		return this.options.config.version === 0 ? Math.min(solidNumber, number) : solidNumber;
	}

	/** Where a receiver begins that was told nothing. */
	private beginning(): Place {
		const { chain, config } = this.options;
		if (config.version === 0 || config.startBlock <= 0n) return this.head();
		const number = Number(config.startBlock) - 1;
		return { number, id: chain.block(number)?.idHex ?? "" };
	}

	private head(): Place {
		const { headNumber: number } = this.options.chain;
		return { number, id: this.options.chain.block(number)?.idHex ?? "" };
	}

	private freshStart(): Start {
		return { solid: this.options.chain.solidNumber, isFresh: true };
	}

	/** A service that is as if it had told the kept steps just now. */
	private newTeller(): Teller {
		const { chain, config, warn, budget } = this.options;
		const { start, kept } = this.journal;
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
				headNumber: this.journal.at.number,
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
			fed: { hasTold: !start.isFresh },
		});
		void service.start();
		const tellOne = function* ({ is, block, infos, solid: now }: Step): Work<readonly EventMessage[]> {
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
			*tell(step) {
				for (let first = before[0]; first; first = before[0]) {
					yield* tellOne(first);
					before.shift();
				}
				isRepeating = false;
				return yield* tellOne(step);
			},
		};
	}
}

const lengthOf = (told: readonly Told[]): number =>
	told.reduce((sum, { message }) => sum + message.json.length, 0);

const isFinal = ({ is, block, solid }: Step): boolean => is === "applied" && Number(block.number) <= solid;
