/**
 * Telling many subscribers the same: in turns, each followed by a rest of its length, so that neither blocks nor requests wait for
 * how many listen.
 */

import { FAN_OUT_MS, inLaterRound, type Later } from "../../../scheduling/later.js";

interface Telling {
	/** One step a listener. */
	readonly steps: Iterator<unknown>;
	readonly group: string;
	/** Called once every listener has been notified. */
	readonly ended: (() => void) | undefined;
}

export class FanOut {
	private readonly waiting: Telling[] = [];
	private readonly counts = new Map<string, number>();
	private scheduled = false;

	constructor(
		private readonly later: Later = inLaterRound,
		private readonly nowMs: () => number = () => performance.now(),
	) {}

	/** How much of a group is not published to every listener yet. */
	waitingOf(group: string): number {
		return this.counts.get(group) ?? 0;
	}

	/** Notifies each listener, behind all that was sent before. @param ended called once everybody has been notified */
	tell<L>(group: string, listeners: Iterable<L>, one: (listener: L) => void, ended?: () => void): void {
		this.waiting.push({ group, steps: steps([...listeners], one), ended });
		this.counts.set(group, this.waitingOf(group) + 1);
		this.schedule(0);
	}

	private schedule(ms: number): void {
		if (this.scheduled) return;
		this.scheduled = true;
		this.later(() => this.turn(), ms);
	}

	private turn(): void {
		this.scheduled = false;
		const endsAt = this.nowMs() + FAN_OUT_MS;
		let done = 0;
		for (const { group, steps, ended } of this.waiting) {
			while (!steps.next().done) {
				if (this.nowMs() <= endsAt) continue;
				this.waiting.splice(0, done);
				this.schedule(FAN_OUT_MS);
				return;
			}
			done++;
			this.counts.set(group, this.waitingOf(group) - 1);
			ended?.();
		}
		this.waiting.length = 0;
	}
}

function* steps<L>(listeners: readonly L[], one: (listener: L) => void): Generator<void> {
	for (const listener of listeners) {
		one(listener);
		yield;
	}
}
