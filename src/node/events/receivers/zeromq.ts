/** The native queue: a ZeroMQ publisher that never waits for its subscribers (protocol/events §5). */

import type { Socket } from "node:net";
import { utf8 } from "../../../protocol/bytes.js";
import { budgetAddress, ConnectionGate, MAX_CONNECTIONS } from "../../listening/connection-gate.js";
import { type EventMessage, TRIGGER_NAMES, triggerName } from "./event-message.js";
import type { Publication, Receiver, ReceiverListener, SubscriberCounts } from "./receiver.js";
import {
	GREETING,
	messageBytes,
	PING,
	READY,
	type SubscriberEvent,
	SubscriberReader,
	ZmtpError,
} from "./zmtp.js";

const MAX_SUBSCRIPTIONS = 1_000;
/** Handshake timeout. */
const HANDSHAKE_MS = 30_000;
/** Handshake timeout while other connections wait for a slot. */
const CROWDED_HANDSHAKE_MS = 2_000;
/** While others wait, a subscriber that was silent this long gets a PING and has as long to answer. */
const HEARTBEAT_MS = 30_000;
/** Idle time before TCP keep-alive probes. */
const KEEP_ALIVE_MS = 60_000;
const LOOK_MS = 500;
/** Frames per subscriber and second: many times what a client that subscribes to everything sends. */
const MAX_FRAMES_A_SECOND = 4_000;
/** Frames per address and second, over all its subscribers: at most 30 ms of processor time a second. */
const MAX_FRAMES_OF_ADDRESS = 20_000;
/** Frames a subscriber may send once its address is over that: less work than reconnecting. */
const FEW_FRAMES_A_SECOND = 64;
/** Bytes queued for one subscriber. */
const MAX_WAITING_BYTES = 64 << 20;
/** Bytes that wait for all subscribers, those of a message that several wait for counted once. */
const MAX_WAITING_FOR_ALL = 256 << 20;
/** What a waiting message takes for each of them, beside its bytes. */
const WAITING_ENTRY_BYTES = 256;

/** Frames counted in the second that started at `sinceMs`. */
interface FrameWindow {
	count: number;
	sinceMs: number;
}

/** Its buffer is the same for all who wait for it. */
interface WaitingMessage {
	readonly bytes: Uint8Array;
	/** Subscribers it waits for. */
	holders: number;
	readonly givenMs: number;
}

interface Subscriber {
	readonly socket: Socket;
	/** Subscriptions per prefix, only for prefixes of published names: few and short. */
	readonly prefixes: Map<string, number>;
	/** All subscriptions, also those that match nothing. */
	subscriptions: number;
	isReady: boolean;
	answersPing: boolean;
	readonly sinceMs: number;
	/** When it last sent anything. */
	heardMs: number;
	/** When an unanswered PING was sent. */
	askedMs: number | undefined;
	/** When it last had a matching subscription, or became ready. */
	unsubscribedMs: number;
	readonly frames: FrameWindow;
	readonly waiting: Set<WaitingMessage>;
	waitingBytes: number;
}

export interface ZeromqConfig {
	readonly port: number;
	/** Messages queued for one subscriber; further ones are dropped for it. */
	readonly highWaterMark: number;
}

interface PublisherOptions {
	readonly host: string | undefined;
	readonly port: number;
	/** Messages queued for one subscriber. */
	readonly highWaterMark: number;
	/** Monotonic milliseconds; `performance.now` if absent. */
	readonly now?: () => number;
	/** Maximum number of connections; the usual limit if absent. */
	readonly places?: number;
	/** Bytes that wait for all subscribers; the usual number if absent. */
	readonly waitingForAll?: number;
}

export class Publisher implements Receiver {
	private readonly subscribers = new Map<Socket, Subscriber>();
	/** By address, kept until the second ends, so that reconnecting doesn't reset the count. */
	private readonly framesOf = new Map<string, FrameWindow>();
	private readonly gate: ConnectionGate;
	private bound = 0;
	private sent = 0;
	private lost = 0;
	private waitingBytes = 0;

	private constructor(
		private readonly highWaterMark: number,
		private readonly now: () => number,
		places: number,
		private readonly maxWaiting: number,
	) {
		this.gate = new ConnectionGate(places, (socket) => this.connected(socket), false, {
			isStale: (socket, crowded) => this.isStale(socket, crowded),
			idleMs: (socket) => this.idleMs(socket),
			hasAsked: () => true,
			// If nobody is idle, a subscriber of the busiest address is closed: its library reconnects.
			unfinishedMs: (socket) => this.ageMs(socket),
			everyMs: LOOK_MS,
		});
	}

	/** Binds the port; rejects with the system's error. */
	static async listen(options: PublisherOptions): Promise<Publisher> {
		const { host, port, highWaterMark, now = () => performance.now() } = options;
		const { places = MAX_CONNECTIONS.eventQueue, waitingForAll = MAX_WAITING_FOR_ALL } = options;
		const publisher = new Publisher(highWaterMark, now, places, waitingForAll);
		publisher.bound = await publisher.gate.listen(port, host);
		return publisher;
	}

	private ageMs(socket: Socket): number {
		return this.now() - (this.subscribers.get(socket)?.sinceMs ?? this.now());
	}

	/** Whether its handshake timed out. While others wait, silent subscribers get a PING. */
	private isStale(socket: Socket, crowded: boolean): boolean {
		const subscriber = this.subscribers.get(socket);
		if (!subscriber?.isReady) return this.ageMs(socket) > (crowded ? CROWDED_HANDSHAKE_MS : HANDSHAKE_MS);
		const { answersPing, askedMs, heardMs } = subscriber;
		if (crowded && answersPing && askedMs === undefined && this.now() - heardMs > HEARTBEAT_MS) {
			subscriber.askedMs = this.now();
			socket.write(PING);
		}
		return false;
	}

	/** How long a subscriber had no subscription or left a PING unanswered; others may be silent for days. */
	private idleMs(socket: Socket): number | undefined {
		const subscriber = this.subscribers.get(socket);
		if (!subscriber?.isReady) return undefined;
		const { prefixes, unsubscribedMs, askedMs } = subscriber;
		const nowMs = this.now();
		// Subscriptions follow the handshake.
		if (prefixes.size === 0 && nowMs - unsubscribedMs > CROWDED_HANDSHAKE_MS) return nowMs - unsubscribedMs;
		return askedMs !== undefined && nowMs - askedMs > HEARTBEAT_MS ? nowMs - askedMs : undefined;
	}

	get port(): number {
		return this.bound;
	}

	get counts(): SubscriberCounts {
		return { subscribers: this.subscribers.size, sent: this.sent, lost: this.lost };
	}

	get listener(): ReceiverListener {
		return { port: this.port, counts: this.counts };
	}

	async deliver(publications: readonly Publication[]): Promise<void> {
		for (const { message } of publications) this.publish(message);
	}

	/** Sends a message to each matching subscriber whose queue isn't full. */
	publish(message: EventMessage): void {
		const name = triggerName(message.kind);
		let given: WaitingMessage | undefined;
		for (const subscriber of this.subscribers.values()) {
			if (!subscriber.isReady || !wants(subscriber, name)) continue;
			given ??= this.waitingMessage(messageBytes(utf8(name), utf8(message.json)));
			this.give(subscriber, given);
		}
		this.closeSlowest();
	}

	private waitingMessage(bytes: Uint8Array): WaitingMessage {
		return { bytes, holders: 0, givenMs: this.now() };
	}

	private give(subscriber: Subscriber, message: WaitingMessage): void {
		const { waiting, waitingBytes } = subscriber;
		const { bytes } = message;
		if (waiting.size >= this.highWaterMark || waitingBytes + bytes.length > MAX_WAITING_BYTES) {
			this.lost++;
			return;
		}
		this.sent++;
		waiting.add(message);
		subscriber.waitingBytes += bytes.length;
		this.waitingBytes += WAITING_ENTRY_BYTES + (message.holders++ === 0 ? bytes.length : 0);
		subscriber.socket.write(bytes, () => this.release(subscriber, message));
	}

	private release(subscriber: Subscriber, message: WaitingMessage): void {
		if (!subscriber.waiting.delete(message)) return;
		const { length } = message.bytes;
		subscriber.waitingBytes -= length;
		this.waitingBytes -= WAITING_ENTRY_BYTES + (--message.holders === 0 ? length : 0);
	}

	/** What it held is free at once: the system's word comes only after what else is published in this turn. */
	private forget(subscriber: Subscriber): void {
		this.subscribers.delete(subscriber.socket);
		for (const message of subscriber.waiting) this.release(subscriber, message);
	}

	/**
	 * Closes whoever the oldest message waits for, until what waits for the others is within the bound. Reading a little now and then
	 * renews nothing, and of several the one with the most goes: without it, the message that several wait for would still be held.
	 */
	private closeSlowest(): void {
		while (this.waitingBytes > this.maxWaiting) {
			let slowest: Subscriber | undefined;
			let oldestMs = Number.POSITIVE_INFINITY;
			for (const each of this.subscribers.values()) {
				const [oldest] = each.waiting;
				if (!oldest || oldest.givenMs > oldestMs) continue;
				if (oldest.givenMs === oldestMs && slowest && each.waitingBytes <= slowest.waitingBytes) continue;
				[slowest, oldestMs] = [each, oldest.givenMs];
			}
			if (!slowest) return;
			this.lost += slowest.waiting.size;
			slowest.socket.destroy();
			this.forget(slowest);
		}
	}

	private connected(socket: Socket): void {
		const nowMs = this.now();
		const subscriber: Subscriber = {
			socket,
			prefixes: new Map(),
			subscriptions: 0,
			isReady: false,
			answersPing: false,
			sinceMs: nowMs,
			heardMs: nowMs,
			askedMs: undefined,
			unsubscribedMs: nowMs,
			frames: { count: 0, sinceMs: nowMs },
			waiting: new Set(),
			waitingBytes: 0,
		};
		this.subscribers.set(socket, subscriber);
		socket.setKeepAlive(true, KEEP_ALIVE_MS);
		const reader = new SubscriberReader();
		socket.on("close", () => this.forget(subscriber));
		const address = budgetAddress(socket);
		socket.on("data", (bytes) => {
			Object.assign(subscriber, { heardMs: this.now(), askedMs: undefined });
			const before = reader.frames;
			const own = this.inSecond(subscriber.frames);
			const all = this.inSecond(this.framesFrom(address));
			// Closes whoever sends much, not whoever sends next, and bounds the total read from many connections.
			const limit = all.count > MAX_FRAMES_OF_ADDRESS ? FEW_FRAMES_A_SECOND : MAX_FRAMES_A_SECOND;
			try {
				for (const event of reader.read(bytes, limit - own.count)) this.receive(subscriber, event);
			} catch (error) {
				socket.destroy();
				if (!(error instanceof ZmtpError)) throw error;
			} finally {
				for (const frames of [own, all]) frames.count += reader.frames - before;
			}
		});
		socket.write(GREETING);
	}

	private framesFrom(address: string): FrameWindow {
		let frames = this.framesOf.get(address);
		if (!frames) {
			const nowMs = this.now();
			for (const [other, { sinceMs }] of this.framesOf)
				if (nowMs - sinceMs >= 1_000) this.framesOf.delete(other);
			frames = { count: 0, sinceMs: nowMs };
			this.framesOf.set(address, frames);
		}
		return frames;
	}

	/** Starts a new window if the last second is over. */
	private inSecond(frames: FrameWindow): FrameWindow {
		const nowMs = this.now();
		if (nowMs - frames.sinceMs >= 1_000) Object.assign(frames, { count: 0, sinceMs: nowMs });
		return frames;
	}

	private receive(subscriber: Subscriber, event: SubscriberEvent): void {
		const { socket, prefixes } = subscriber;
		switch (event.is) {
			case "greeting":
				subscriber.answersPing = event.answersPing;
				socket.write(READY);
				return;
			case "ready":
				subscriber.isReady = true;
				subscriber.unsubscribedMs = this.now();
				return;
			case "answer":
				// A peer that asks without reading gets no more answers.
				if (subscriber.waiting.size < this.highWaterMark)
					this.give(subscriber, this.waitingMessage(event.bytes));
				return;
			case "subscribe":
				if (subscriber.subscriptions >= MAX_SUBSCRIPTIONS) throw new ZmtpError("too many subscriptions");
				subscriber.subscriptions++;
				// Prefixes that match nothing aren't stored: they may be as long as a frame.
				if (TRIGGER_NAMES.some((name) => name.startsWith(event.prefix)))
					prefixes.set(event.prefix, (prefixes.get(event.prefix) ?? 0) + 1);
				return;
			case "unsubscribe": {
				if (subscriber.subscriptions > 0) subscriber.subscriptions--;
				const left = (prefixes.get(event.prefix) ?? 0) - 1;
				if (left > 0) prefixes.set(event.prefix, left);
				else if (prefixes.delete(event.prefix)) subscriber.unsubscribedMs = this.now();
			}
		}
	}

	async close(): Promise<void> {
		await this.gate.close(() => true, 0);
	}
}

function wants({ prefixes }: Subscriber, name: string): boolean {
	for (const prefix of prefixes.keys()) if (name.startsWith(prefix)) return true;
	return false;
}
