/**
 * Notifications to clients: queued per client, sent time-sliced, and bounded. A client that doesn't read what
 * it subscribed to is closed with a reason; the chain never waits for one.
 */

import { FAN_OUT_MS, inLaterRound, type Later } from "../../../scheduling/time-slice.js";

/**
 * Bytes handed over to a connection at a time. All else waits until it has sent them, as text whose larger part all listeners
 * share: in a connection's own queue a message of 400 bytes takes a thousand.
 */
const MAX_HANDED_OVER = 16 * 1024;
/** Memory of a queued notification beside its text, in bytes. */
const NOTIFICATION_COST = 100;
/** Queued notifications per client, in bytes. */
const MAX_QUEUED = 4 * 1024 * 1024;
/** Queued notifications over all clients, in bytes; above this, the client with the most is closed. */
const MAX_QUEUED_BY_ALL = 16 * 1024 * 1024;

/** The client's end. */
export interface Pipe {
	/** Bytes handed over but not yet sent. */
	readonly unsent: number;
	/** Sends messages, in order. @param sent called once all of them have been sent, or never will be */
	send(texts: readonly string[], sent: () => void): void;
	close(reason: string): void;
}

/** One client's notification queue. */
export class Outlet {
	private texts: string[] = [];
	private bytes = 0;
	private isSending = false;
	private closed = false;

	constructor(
		private readonly pipe: Pipe,
		private readonly outlets: Outlets,
	) {}

	/** Bytes not yet sent to or read by the client. */
	get waiting(): number {
		return this.bytes + this.pipe.unsent;
	}

	push(text: string): void {
		if (this.closed) return;
		this.texts.push(text);
		this.bytes += text.length + NOTIFICATION_COST;
		if (this.waiting > MAX_QUEUED) this.close("notifications are read too slowly");
		else this.outlets.wake(this);
	}

	/** Hands over a part; the next once that has been sent. */
	flush(): void {
		if (this.isSending || this.texts.length === 0) return;
		let count = 0;
		for (let room = MAX_HANDED_OVER; count < this.texts.length && room > 0; count++) {
			const { length } = this.texts[count] as string;
			room -= length;
			this.bytes -= length + NOTIFICATION_COST;
		}
		this.isSending = true;
		this.pipe.send(this.texts.splice(0, count), () => {
			this.isSending = false;
			if (this.texts.length > 0) this.outlets.wake(this);
		});
	}

	/** Stops sending. @param reason told to the client; undefined: it has gone itself */
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
	/** One step per listener. */
	readonly steps: Iterator<unknown>;
	readonly group: string;
	/** Called once every listener has been notified. */
	readonly ended: (() => void) | undefined;
}

/**
 * Notifies many subscribers of the same thing: time-sliced, each slice followed by an equally long rest, so
 * that neither blocks nor requests are delayed by the number of listeners.
 */
export class FanOut {
	private readonly waiting: Telling[] = [];
	private readonly counts = new Map<string, number>();
	private scheduled = false;

	constructor(
		private readonly later: Later = inLaterRound,
		private readonly nowMs: () => number = () => performance.now(),
	) {}

	/** Notifications of a group not yet delivered to every listener. */
	waitingOf(group: string): number {
		return this.counts.get(group) ?? 0;
	}

	/**
	 * Notifies each listener, after everything queued before.
	 * @param ended called once everybody has been notified
	 */
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
