/** The native queue: a ZeroMQ publisher, which never waits for its subscribers (protocol/events §5). */

import type { Socket } from "node:net";
import { utf8 } from "../../../protocol/bytes.js";
import { budgetAddress, ConnectionGate, MAX_CONNECTIONS } from "../../listening/connection-gate.js";
import { type EventMessage, TRIGGER_NAMES, triggerName } from "./event-message.js";
import type { Publication, Receiver, ReceiverListener, SubscriberCounts } from "./receiver.js";
import { GREETING, messageBytes, READY, type SubscriberEvent, SubscriberReader, ZmtpError } from "./zmtp.js";

const MAX_SUBSCRIPTIONS = 1_000;
/** A handshake takes no longer. */
const HANDSHAKE_MS = 30_000;
/** The same while other connections wait for a place. */
const CROWDED_HANDSHAKE_MS = 2_000;
const LOOK_MS = 500;
/** Frames of one subscriber in a second: many times what a client that subscribes to everything sends. */
const MAX_FRAMES_A_SECOND = 4_000;
/** Those of all subscribers of one address: at most 30 ms of processor time a second. */
const MAX_FRAMES_OF_ADDRESS = 20_000;
/** Bytes that wait for one subscriber. */
const MAX_WAITING_BYTES = 64 << 20;

/** Frames of the second that began then. */
interface FrameWindow {
	count: number;
	sinceMs: number;
}

interface Subscriber {
	readonly socket: Socket;
	/** How often each prefix is subscribed to that begins a name which is published: few, and short. */
	readonly prefixes: Map<string, number>;
	/** Subscriptions, those to what is never published too. */
	subscriptions: number;
	isReady: boolean;
	readonly sinceMs: number;
	readonly frames: FrameWindow;
	waiting: number;
	waitingBytes: number;
}

export interface ZeromqConfig {
	readonly port: number;
	/** Messages that wait for one subscriber; further ones are lost to it. */
	readonly highWaterMark: number;
}

interface PublisherOptions {
	readonly host: string | undefined;
	readonly port: number;
	/** Messages that wait for one subscriber. */
	readonly highWaterMark: number;
	/** Milliseconds of a clock that only goes forward; that of the process if absent. */
	readonly now?: () => number;
}

export class Publisher implements Receiver {
	private readonly subscribers = new Map<Socket, Subscriber>();
	/** By address, and as long as the second runs, so that connecting anew doesn't begin another one. */
	private readonly framesOf = new Map<string, FrameWindow>();
	private readonly gate: ConnectionGate;
	private bound = 0;
	private sent = 0;
	private lost = 0;

	private constructor(
		private readonly highWaterMark: number,
		private readonly now: () => number,
	) {
		const handshakeMs = (socket: Socket): number | undefined => {
			const subscriber = this.subscribers.get(socket);
			return subscriber && !subscriber.isReady ? now() - subscriber.sinceMs : undefined;
		};
		this.gate = new ConnectionGate(MAX_CONNECTIONS.eventQueue, (socket) => this.connected(socket), false, {
			isStale: (socket, crowded) =>
				(handshakeMs(socket) ?? 0) > (crowded ? CROWDED_HANDSHAKE_MS : HANDSHAKE_MS),
			// A subscriber says nothing for days.
			idleMs: () => undefined,
			hasAsked: () => true,
			unfinishedMs: handshakeMs,
			everyMs: LOOK_MS,
		});
	}

	/** Binds; rejects with the system's error if that fails. */
	static async listen(options: PublisherOptions): Promise<Publisher> {
		const { host, port, highWaterMark, now = () => performance.now() } = options;
		const publisher = new Publisher(highWaterMark, now);
		publisher.bound = await publisher.gate.listen(port, host);
		return publisher;
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

	/** Sends a message to whoever wants it and can take it. */
	publish(message: EventMessage): void {
		const name = triggerName(message.kind);
		let bytes: Uint8Array | undefined;
		for (const subscriber of this.subscribers.values()) {
			if (!subscriber.isReady || !wants(subscriber, name)) continue;
			bytes ??= messageBytes(utf8(name), utf8(message.json));
			this.give(subscriber, bytes);
		}
	}

	private give(subscriber: Subscriber, bytes: Uint8Array): void {
		const isFull =
			subscriber.waiting >= this.highWaterMark || subscriber.waitingBytes + bytes.length > MAX_WAITING_BYTES;
		if (isFull) {
			this.lost++;
			return;
		}
		this.sent++;
		subscriber.waiting++;
		subscriber.waitingBytes += bytes.length;
		subscriber.socket.write(bytes, () => {
			subscriber.waiting--;
			subscriber.waitingBytes -= bytes.length;
		});
	}

	private connected(socket: Socket): void {
		const subscriber: Subscriber = {
			socket,
			prefixes: new Map(),
			subscriptions: 0,
			isReady: false,
			sinceMs: this.now(),
			frames: { count: 0, sinceMs: this.now() },
			waiting: 0,
			waitingBytes: 0,
		};
		this.subscribers.set(socket, subscriber);
		const reader = new SubscriberReader();
		socket.on("close", () => this.subscribers.delete(socket));
		const address = budgetAddress(socket);
		socket.on("data", (bytes) => {
			const before = reader.frames;
			try {
				// Before anything is read: many connections would each have their first bytes read.
				this.countFrames(this.framesFrom(address), 0, MAX_FRAMES_OF_ADDRESS);
				for (const event of reader.read(bytes)) this.receive(subscriber, event);
				this.countFrames(subscriber.frames, reader.frames - before, MAX_FRAMES_A_SECOND);
			} catch (error) {
				socket.destroy();
				if (!(error instanceof ZmtpError)) throw error;
			} finally {
				this.framesFrom(address).count += reader.frames - before;
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

	/** @throws {ZmtpError} once there are more than the limit in one second */
	private countFrames(frames: FrameWindow, count: number, limit: number): void {
		const nowMs = this.now();
		if (nowMs - frames.sinceMs >= 1_000) Object.assign(frames, { count: 0, sinceMs: nowMs });
		frames.count += count;
		if (frames.count > limit) throw new ZmtpError("too many frames");
	}

	private receive(subscriber: Subscriber, event: SubscriberEvent): void {
		const { socket, prefixes } = subscriber;
		switch (event.is) {
			case "greeting":
				socket.write(READY);
				return;
			case "ready":
				subscriber.isReady = true;
				return;
			case "answer":
				// Whoever asks without reading gets no more answers.
				if (subscriber.waiting < this.highWaterMark) this.give(subscriber, event.bytes);
				return;
			case "subscribe":
				if (subscriber.subscriptions >= MAX_SUBSCRIPTIONS) throw new ZmtpError("too many subscriptions");
				subscriber.subscriptions++;
				// What never fits isn't kept: prefixes may be as long as a frame.
				if (TRIGGER_NAMES.some((name) => name.startsWith(event.prefix)))
					prefixes.set(event.prefix, (prefixes.get(event.prefix) ?? 0) + 1);
				return;
			case "unsubscribe": {
				if (subscriber.subscriptions > 0) subscriber.subscriptions--;
				const left = (prefixes.get(event.prefix) ?? 0) - 1;
				if (left > 0) prefixes.set(event.prefix, left);
				else prefixes.delete(event.prefix);
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
