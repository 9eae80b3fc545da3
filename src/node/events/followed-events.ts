/**
 * Version 1 of the event service: publishes old blocks first if configured, then new blocks once a second.
 * Blocks that were reverted are never published as solidified (protocol/events §2.2).
 */

import type { SignedBlock } from "../../protocol/block.js";
import type { TransactionInfo } from "../../protocol/messages.js";
import { transactionInfosOf } from "../chain/block-store.js";
import type { ExecutedBlock } from "../chain/observers.js";
import { oneStep, type Work } from "../scheduling/sliced-work.js";
import type { ContractTrigger } from "./contract-triggers.js";
import type { BlockFollower } from "./event-service.js";
import { type EventChain, type LoadedBlock, loadedBlock } from "./loaded-block.js";
import { type EventSender, LIVE_LOGS, SOLID_LOGS } from "./sending.js";

/** Pending blocks; further ones are dropped with a warning. */
const MAX_WAITING_BLOCKS = 10_000;
/** Pause between two old blocks, so that subscribers of the native queue keep up. */
const PAUSE_MS = 20;

interface FollowedOptions {
	readonly chain: EventChain;
	readonly sender: EventSender;
	/** Runs work in FIFO order. */
	readonly run: (work: Work) => void;
	/** Blocks from here to the solidified one are published first, then those above it; 0: only new blocks. */
	readonly startBlock: number;
	readonly pause: (ms: number) => Promise<void>;
	readonly warn: (text: string) => void;
}

/** A block as of the time it was loaded. */
interface WaitingBlock {
	readonly block: SignedBlock;
	readonly infos: readonly Readonly<TransactionInfo>[];
	readonly solid: number;
	/** Undefined if the kept logs are over their limit: they are rebuilt when published. */
	readonly logs: readonly ContractTrigger[] | undefined;
	/** Characters of the kept logs. */
	readonly characters: number;
	readonly removed: boolean;
}

export class FollowedEvents implements BlockFollower {
	private realtime: WaitingBlock[] = [];
	/** Ascending: blocks of the chain that aren't yet published as solidified. */
	private unsolid: WaitingBlock[] = [];
	private isLive = false;
	private isStopped = false;
	private hasDropped = false;
	private isFlushing = false;

	constructor(private readonly options: FollowedOptions) {}

	/** Publishes old blocks, then starts to follow. Resolves once it follows or was stopped. */
	async start(): Promise<void> {
		const { chain, startBlock, run, pause, warn } = this.options;
		let number = startBlock > 0 ? Math.min(startBlock, chain.solidNumber + 1) : chain.headNumber + 1;
		for (; number <= chain.solidNumber && !this.isStopped; number++) {
			const block = chain.block(number);
			if (!block) {
				warn(`events: block ${number} is not stored, so no events are published in this run`);
				return;
			}
			run(this.publishOld({ block, infos: transactionInfosOf(chain.state, block) }, chain.solidNumber));
			await pause(PAUSE_MS);
		}
		for (; number <= chain.headNumber; number++) {
			const block = chain.block(number);
			if (block) run(this.add({ block, infos: transactionInfosOf(chain.state, block) }, chain.solidNumber));
		}
		this.follow();
	}

	/** Starts publishing new blocks. */
	follow(): void {
		this.isLive = true;
	}

	committed(block: ExecutedBlock): void {
		if (this.isLive) this.options.run(this.add(block, this.options.chain.solidNumber));
	}

	reverted(block: ExecutedBlock): void {
		if (this.isLive) this.options.run(this.revert(block, this.options.chain.solidNumber));
	}

	replaced(): void {
		this.options.run(oneStep(() => this.forget()));
	}

	stop(): void {
		this.isStopped = true;
	}

	/** Publishes pending blocks; called once a second. */
	flush(): void {
		if (this.isFlushing) return;
		this.isFlushing = true;
		this.options.run(this.publishWaiting(this.options.chain.solidNumber));
	}

	private *publishOld(block: ExecutedBlock, solid: number): Work {
		const waiting = yield* this.load(block, solid, false);
		yield* this.publishRealtime(waiting);
		yield* this.publishSolid(waiting);
	}

	private *add(block: ExecutedBlock, solid: number): Work {
		const waiting = yield* this.load(block, solid, false);
		this.unsolid.push(waiting);
		this.wait(waiting);
	}

	private *revert(reverted: ExecutedBlock, solid: number): Work {
		const last = this.unsolid.at(-1);
		const known = last?.block.idHex === reverted.block.idHex ? this.unsolid.pop() : undefined;
		this.wait(known ? { ...known, removed: true } : yield* this.load(reverted, solid, true));
	}

	private forget(): void {
		this.realtime = [];
		this.unsolid = [];
	}

	private *publishWaiting(solid: number): Work {
		this.isFlushing = false;
		const { realtime } = this;
		this.realtime = [];
		this.hasDropped = false;
		for (const waiting of realtime) yield* this.publishRealtime(waiting);
		while (this.unsolid[0] && Number(this.unsolid[0].block.number) <= solid) {
			yield* this.publishSolid(this.unsolid.shift() as WaitingBlock);
		}
	}

	private wait(waiting: WaitingBlock): void {
		if (this.realtime.length < MAX_WAITING_BLOCKS) {
			this.realtime.push(waiting);
			return;
		}
		if (!this.hasDropped)
			this.options.warn(`events: more than ${MAX_WAITING_BLOCKS} blocks wait, some are dropped`);
		this.hasDropped = true;
	}

	private *load({ block, infos }: ExecutedBlock, solid: number, removed: boolean): Work<WaitingBlock> {
		const waiting = { block, infos, solid, logs: undefined, characters: 0, removed };
		const { triggers, characters } = yield* this.options.sender.logsOf(this.loaded(waiting));
		return characters > this.room ? waiting : { ...waiting, logs: triggers, characters };
	}

	/** Characters of logs that may still be kept. */
	private get room(): number {
		let { maxKept } = this.options.sender;
		for (const { characters } of this.unsolid) maxKept -= characters;
		for (const { characters } of this.realtime) maxKept -= characters;
		return maxKept;
	}

	private loaded(waiting: WaitingBlock): LoadedBlock {
		return loadedBlock(this.options.chain, waiting, BigInt(waiting.solid));
	}

	private *publishRealtime(waiting: WaitingBlock): Work {
		if (!waiting.removed || this.options.sender.tellsRemoved) yield* this.publishBlock(waiting, false);
		yield* this.publishLogs(waiting, LIVE_LOGS);
	}

	private *publishSolid(waiting: WaitingBlock): Work {
		const { sender } = this.options;
		yield* this.publishBlock(waiting, true);
		yield* this.publishLogs(waiting, SOLID_LOGS);
		if (sender.wants("solidity")) sender.solidified(waiting.block);
	}

	private *publishBlock(waiting: WaitingBlock, isSolid: boolean): Work {
		const { sender } = this.options;
		const { removed } = waiting;
		if (sender.wants("block") && sender.isLate("block") === isSolid)
			sender.block(this.loaded(waiting), removed);
		yield;
		if (sender.wants("transaction") && sender.isLate("transaction") === isSolid) {
			yield* sender.transactions(this.loaded(waiting), removed);
		}
	}

	/** Events, then logs, then the logs of events. */
	private *publishLogs(waiting: WaitingBlock, kinds: typeof LIVE_LOGS): Work {
		const { sender } = this.options;
		const { removed, logs = (yield* sender.logsOf(this.loaded(waiting))).triggers } = waiting;
		for (const trigger of logs) {
			sender.event(trigger, kinds, removed);
			yield;
		}
		for (const isEvent of [false, true]) {
			for (const trigger of logs) {
				if ((trigger.event !== undefined) === isEvent) sender.log(trigger, kinds, removed);
				yield;
			}
		}
	}
}
