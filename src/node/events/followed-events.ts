/**
 * Version 1 of the event service: it follows the chain, tells old blocks first where it is asked to, what is new once a second, and
 * nothing of abandoned blocks as solidified (protocol/events §2.2).
 */

import type { SignedBlock } from "../../protocol/block.js";
import type { TransactionInfo } from "../../protocol/messages.js";
import type { ChainObserver, ErasedBlock } from "../chain/observers.js";
import { receiptsOf } from "../history/stored-blocks.js";
import type { ContractTrigger } from "./contract-triggers.js";
import type { EventChain, LoadedBlock } from "./loaded-block.js";
import { type EventSender, LIVE_LOGS, SOLID_LOGS } from "./sending.js";

/** Blocks that wait to be told; further ones are dropped with a warning. */
const MOST_WAITING = 10_000;
/** Between two old blocks, so that subscribers of the native queue can follow. */
const PAUSE_MS = 20;

interface FollowedOptions {
	readonly chain: EventChain;
	readonly sender: EventSender;
	/** Old blocks from here are told first; 0: none. */
	readonly startBlock: number;
	readonly pause: (ms: number) => Promise<void>;
	readonly warn: (text: string) => void;
}

/** A block as it was when it was loaded. */
interface WaitingBlock {
	readonly block: SignedBlock;
	readonly infos: readonly Readonly<TransactionInfo>[];
	readonly solid: number;
	/** Undefined: they are too long beside the others that wait, and made again when they are due. */
	readonly logs: readonly ContractTrigger[] | undefined;
	/** Of the logs that are kept. */
	readonly characters: number;
	readonly removed: boolean;
}

export class FollowedEvents implements ChainObserver {
	private realtime: WaitingBlock[] = [];
	/** Ascending, those of the chain that aren't told as solidified. */
	private unsolid: WaitingBlock[] = [];
	private isLive = false;
	private isStopped = false;
	private hasDropped = false;

	constructor(private readonly options: FollowedOptions) {}

	/** Tells the old blocks, then begins to follow. Resolves once it follows, or was stopped. */
	async start(): Promise<void> {
		const { chain, startBlock, pause, warn } = this.options;
		let number = startBlock > 0 ? startBlock : chain.headNumber + 1;
		for (; number <= chain.solidNumber && !this.isStopped; number++) {
			const block = chain.block(number);
			if (!block) {
				warn(`events: block ${number} is not stored, so no events are told in this run`);
				return;
			}
			const waiting = this.load(block, receiptsOf(chain.state, block), false);
			this.tellRealtime(waiting);
			this.tellSolid(waiting);
			await pause(PAUSE_MS);
		}
		for (; number <= chain.headNumber; number++) {
			const block = chain.block(number);
			if (block) this.add(this.load(block, receiptsOf(chain.state, block), false));
		}
		this.follow();
	}

	/** From now on it tells what comes. */
	follow(): void {
		this.isLive = true;
	}

	applied({ block, infos }: ErasedBlock): void {
		if (this.isLive) this.add(this.load(block, infos, false));
	}

	erased({ block, infos }: ErasedBlock): void {
		if (!this.isLive) return;
		const last = this.unsolid.at(-1);
		const known = last?.block.idHex === block.idHex ? this.unsolid.pop() : undefined;
		this.wait(known ? { ...known, removed: true } : this.load(block, infos, true));
	}

	replaced(): void {
		this.realtime = [];
		this.unsolid = [];
	}

	stop(): void {
		this.isStopped = true;
	}

	/** Tells what waits; once a second. */
	flush(): void {
		const { realtime } = this;
		this.realtime = [];
		this.hasDropped = false;
		for (const waiting of realtime) this.tellRealtime(waiting);
		const { solidNumber } = this.options.chain;
		while (this.unsolid[0] && Number(this.unsolid[0].block.number) <= solidNumber) {
			this.tellSolid(this.unsolid.shift() as WaitingBlock);
		}
	}

	private add(waiting: WaitingBlock): void {
		this.unsolid.push(waiting);
		this.wait(waiting);
	}

	private wait(waiting: WaitingBlock): void {
		if (this.realtime.length < MOST_WAITING) {
			this.realtime.push(waiting);
			return;
		}
		if (!this.hasDropped)
			this.options.warn(`events: more than ${MOST_WAITING} blocks wait, some are dropped`);
		this.hasDropped = true;
	}

	private load(
		block: SignedBlock,
		infos: readonly Readonly<TransactionInfo>[],
		removed: boolean,
	): WaitingBlock {
		const { chain, sender } = this.options;
		const waiting = { block, infos, solid: chain.solidNumber, logs: undefined, characters: 0, removed };
		const { triggers, characters } = sender.logsOf(this.loaded(waiting));
		return characters > this.room ? waiting : { ...waiting, logs: triggers, characters };
	}

	/** Characters of logs that may still be kept. */
	private get room(): number {
		let { maxKept } = this.options.sender;
		for (const { characters } of this.unsolid) maxKept -= characters;
		for (const { characters } of this.realtime) maxKept -= characters;
		return maxKept;
	}

	private loaded({ block, infos, solid }: WaitingBlock): LoadedBlock {
		const { state, dialect } = this.options.chain;
		return { block, infos, state, solidNumber: BigInt(solid), dialect };
	}

	private tellRealtime(waiting: WaitingBlock): void {
		if (!waiting.removed) this.tellBlock(waiting, false);
		this.tellLogs(waiting, LIVE_LOGS);
	}

	private tellSolid(waiting: WaitingBlock): void {
		const { sender } = this.options;
		this.tellBlock(waiting, true);
		this.tellLogs(waiting, SOLID_LOGS);
		if (sender.wants("solidity")) sender.solidified(waiting.block);
	}

	private tellBlock(waiting: WaitingBlock, isSolid: boolean): void {
		const { sender } = this.options;
		if (sender.wants("block") && sender.isLate("block") === isSolid) sender.block(this.loaded(waiting));
		if (sender.wants("transaction") && sender.isLate("transaction") === isSolid) {
			sender.transactions(this.loaded(waiting));
		}
	}

	/** Events, then logs, then the logs of events. */
	private tellLogs(waiting: WaitingBlock, kinds: typeof LIVE_LOGS): void {
		const { sender } = this.options;
		const { removed, logs = sender.logsOf(this.loaded(waiting)).triggers } = waiting;
		for (const trigger of logs) sender.event(trigger, kinds, removed);
		for (const trigger of logs) if (!trigger.event) sender.log(trigger, kinds, removed);
		for (const trigger of logs) if (trigger.event) sender.log(trigger, kinds, removed);
	}
}
