/**
 * Telling subscribers of events: which of them a log is for, and reading it as its contract's interface says. Both take time that
 * strangers choose, so it is done log by log, in turns, behind the blocks and not with them.
 */

import type { SignedBlock } from "../../../../protocol/block.js";
import { FAN_OUT_MS, inLaterRound, type Later } from "../../../scheduling/time-slice.js";
import type { RpcValue } from "../method.js";
import type { PlacedLog } from "../objects/log.js";

/** Logs that wait; beyond, those are closed for whom the next ones are. */
const MAX_WAITING = 10_000;
/** Where nobody is closed for that and it gets no better, all are: so many times the logs wait, or so many blocks. */
const FAR_BEYOND = 4;
const MAX_BLOCKS = 100;
/** Listeners that are asked between two looks at the clock. */
const BETWEEN_LOOKS = 64;

interface LogsOfBlock<L> {
	readonly block: SignedBlock;
	readonly logs: readonly PlacedLog[];
	readonly removed: boolean;
	readonly listeners: readonly L[];
}

interface EventTellerOptions<L> {
	readonly wants: (listener: L, log: PlacedLog) => boolean;
	/** The log with its event. */
	readonly read: (log: PlacedLog, block: SignedBlock, removed: boolean) => Promise<RpcValue>;
	readonly tell: (listeners: readonly L[], notice: RpcValue) => void;
	/** Ends a listener for which too much waits, or that can't be notified. */
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

	/** Publishes a block's logs to the listeners of now, behind all that was published before. */
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
				tell(found, await read(log, block, removed));
				return;
			}
		} catch {
			// What can't be read for a reason that nobody knows must not end the process.
		}
		for (const listener of found) close(listener);
	}

	private get isOver(): boolean {
		return this.nowMs() - this.turnBeganMs > FAN_OUT_MS;
	}

	/** A rest of the length of the turn before it, in which others have theirs. */
	private async rest(ms = Math.ceil(this.nowMs() - this.turnBeganMs)): Promise<void> {
		await new Promise<void>((resolve) => this.later(resolve, ms));
		this.turnBeganMs = this.nowMs();
	}
}
