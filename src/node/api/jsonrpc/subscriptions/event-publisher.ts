/**
 * Publishes events: matches logs to listeners and decodes them with the contract's ABI. Outsiders control how
 * long both take, so it runs log by log, time-sliced, asynchronously to block processing.
 */

import type { SignedBlock } from "../../../../protocol/block.js";
import { FAN_OUT_MS, inLaterRound, type Later } from "../../../scheduling/time-slice.js";
import type { RpcValue } from "../method.js";
import type { PlacedLog } from "../objects/log.js";

/** Pending logs; above this, listeners of the next ones are closed. */
const MAX_WAITING = 10_000;
/**
 * If closing listeners doesn't help, all of them are closed: at this multiple of pending logs, or this many pending blocks.
 */
const FAR_BEYOND = 4;
const MAX_BLOCKS = 100;
/** Listeners matched between two checks of the clock. */
const BETWEEN_LOOKS = 64;

interface LogsOfBlock<L> {
	readonly block: SignedBlock;
	readonly logs: readonly PlacedLog[];
	readonly removed: boolean;
	readonly listeners: readonly L[];
}

interface EventTellerOptions<L> {
	readonly wants: (listener: L, log: PlacedLog) => boolean;
	/** The log with its decoded event, for those who want it. */
	readonly read: (
		log: PlacedLog,
		block: SignedBlock,
		removed: boolean,
		listeners: readonly L[],
	) => Promise<RpcValue>;
	readonly tell: (listeners: readonly L[], notice: RpcValue) => void;
	/** Closes a listener with too much pending, or that can't be notified. */
	readonly close: (listener: L) => void;
}

export class EventPublisher<L> {
	private waiting: LogsOfBlock<L>[] = [];
	private count = 0;
	private isRunning = false;
	private turnBeganMs = 0;

	constructor(
		private readonly options: EventTellerOptions<L>,
		private readonly later: Later = inLaterRound,
		private readonly nowMs: () => number = () => performance.now(),
		private readonly most = MAX_WAITING,
	) {}

	/** Queues a block's logs for the current listeners, after everything queued before. */
	add(listeners: Iterable<L>, logs: readonly PlacedLog[], block: SignedBlock, removed: boolean): void {
		if (this.count > FAR_BEYOND * this.most || this.waiting.length >= MAX_BLOCKS) {
			for (const listener of listeners) this.options.close(listener);
			this.waiting = [];
			this.count = 0;
			return;
		}
		this.waiting.push({ block, logs, removed, listeners: [...listeners] });
		this.count += logs.length;
		if (!this.isRunning) void this.run();
	}

	private async run(): Promise<void> {
		this.isRunning = true;
		await this.rest(0);
		for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
			for (const log of next.logs) {
				this.count = Math.max(0, this.count - 1);
				await this.one(log, next);
			}
		}
		this.isRunning = false;
	}

	private async one(log: PlacedLog, { block, removed, listeners }: LogsOfBlock<L>): Promise<void> {
		const { wants, read, tell, close } = this.options;
		const found: L[] = [];
		for (const [i, listener] of listeners.entries()) {
			if (wants(listener, log)) found.push(listener);
			if (i % BETWEEN_LOOKS === 0 && this.isOver) await this.rest();
		}
		if (found.length === 0) return;
		try {
			if (this.count <= this.most) {
				tell(found, await read(log, block, removed, found));
				return;
			}
		} catch {
			// An unexpected decoding failure must not end the process.
		}
		for (const listener of found) close(listener);
	}

	private get isOver(): boolean {
		return this.nowMs() - this.turnBeganMs > FAN_OUT_MS;
	}

	/** Rests as long as the preceding turn took, to let other work run. */
	private async rest(ms = Math.ceil(this.nowMs() - this.turnBeganMs)): Promise<void> {
		await new Promise<void>((resolve) => this.later(resolve, ms));
		this.turnBeganMs = this.nowMs();
	}
}
