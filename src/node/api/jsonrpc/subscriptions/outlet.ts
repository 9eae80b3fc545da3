/**
 * What is sent to clients without being asked for each time: queued per client, sent in turns, and bounded. A client that
 * doesn't read what it subscribed to is closed with a reason; the chain never waits for one.
 */

import { FAN_OUT_MS, inLaterRound, type Later } from "../../../scheduling/time-slice.js";

/** Notifications that wait for one client, in bytes. */
const MAX_QUEUED = 4 * 1024 * 1024;
/** Notifications that wait for all clients; beyond, the client goes for which most wait. */
const MAX_QUEUED_BY_ALL = 32 * 1024 * 1024;

/** The client's end. */
export interface Pipe {
	/** Bytes that were handed over and haven't left. */
	readonly unsent: number;
	/** Sends messages, in order. */
	send(texts: readonly string[]): void;
	close(reason: string): void;
}

/** One client's notifications. */
export class Outlet {
	private texts: string[] = [];
	private bytes = 0;
	private closed = false;

	constructor(
		private readonly pipe: Pipe,
		private readonly outlets: Outlets,
	) {}

	/** Bytes that the client has not been sent, or not read. */
	get waiting(): number {
		return this.bytes + this.pipe.unsent;
	}

	push(text: string): void {
		if (this.closed) return;
		this.texts.push(text);
		this.bytes += text.length;
		if (this.waiting > MAX_QUEUED) this.close("notifications are read too slowly");
		else this.outlets.wake(this);
	}

	flush(): void {
		const { texts } = this;
		this.texts = [];
		this.bytes = 0;
		if (!this.closed && texts.length > 0) this.pipe.send(texts);
	}

	/** Sends nothing more. @param reason told to the client; undefined: it has gone itself */
	close(reason?: string): void {
		if (this.closed) return;
		this.closed = true;
		this.texts = [];
		this.bytes = 0;
		this.outlets.delete(this);
		if (reason !== undefined) this.pipe.close(reason);
	}
}

export class Outlets {
	private readonly all = new Set<Outlet>();
	private readonly due = new Set<Outlet>();
	private scheduled = false;

	constructor(private readonly later: Later = inLaterRound) {}

	open(pipe: Pipe): Outlet {
		const outlet = new Outlet(pipe, this);
		this.all.add(outlet);
		return outlet;
	}

	delete(outlet: Outlet): void {
		this.all.delete(outlet);
		this.due.delete(outlet);
	}

	/** An outlet has something to send. */
	wake(outlet: Outlet): void {
		this.due.add(outlet);
		if (this.scheduled) return;
		this.scheduled = true;
		this.later(() => this.turn(), 0);
	}

	private turn(): void {
		const endsAt = performance.now() + FAN_OUT_MS;
		for (const outlet of this.due) {
			this.due.delete(outlet);
			outlet.flush();
			if (performance.now() > endsAt) break;
		}
		this.bound();
		this.scheduled = this.due.size > 0;
		if (this.scheduled) this.later(() => this.turn(), FAN_OUT_MS);
	}

	private bound(): void {
		let sum = 0;
		let worst: Outlet | undefined;
		for (const outlet of this.all) {
			sum += outlet.waiting;
			if (!worst || outlet.waiting > worst.waiting) worst = outlet;
		}
		if (sum > MAX_QUEUED_BY_ALL) worst?.close("too much waits for all subscribers");
	}
}

interface Telling {
	/** One step a listener. */
	readonly steps: Iterator<unknown>;
	readonly group: string;
	/** Called once every listener has been notified. */
	readonly ended: (() => void) | undefined;
}

/**
 * Telling many subscribers the same: in turns, each followed by a rest of its length, so that neither blocks nor requests wait for
 * how many listen.
 */
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
