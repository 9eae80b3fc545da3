/** The native queue: a ZeroMQ publisher, which never waits for its subscribers (protocol/events §5). */

import { createServer, type Server, type Socket } from "node:net";
import { utf8 } from "../../../protocol/bytes.js";
import { type EventMessage, triggerName } from "../event-kinds.js";
import { GREETING, messageBytes, READY, type SubscriberEvent, SubscriberReader, ZmtpError } from "./zmtp.js";

const MAX_SUBSCRIBERS = 1_000;
const MAX_SUBSCRIPTIONS = 1_000;
/** A handshake takes no longer. */
const HANDSHAKE_MS = 30_000;
/** Bytes that wait for one subscriber. */
const MAX_WAITING_BYTES = 64 << 20;

interface Subscriber {
	readonly socket: Socket;
	/** How often each prefix is subscribed to. */
	readonly prefixes: Map<string, number>;
	isReady: boolean;
	waiting: number;
	waitingBytes: number;
}

interface PublisherOptions {
	readonly host: string | undefined;
	readonly port: number;
	/** Messages that wait for one subscriber. */
	readonly highWaterMark: number;
}

export interface PublisherCounts {
	readonly subscribers: number;
	readonly sent: number;
	/** Messages that a subscriber was too slow for. */
	readonly lost: number;
}

export class Publisher {
	private readonly subscribers = new Set<Subscriber>();
	private sent = 0;
	private lost = 0;

	private constructor(
		private readonly server: Server,
		private readonly highWaterMark: number,
	) {
		server.on("connection", (socket) => this.connected(socket));
	}

	/** Binds; rejects with the system's error if that fails. */
	static async listen({ host, port, highWaterMark }: PublisherOptions): Promise<Publisher> {
		const server = createServer({ noDelay: true });
		server.maxConnections = MAX_SUBSCRIBERS;
		const publisher = new Publisher(server, highWaterMark);
		await new Promise<void>((resolve, reject) => {
			server.once("error", reject);
			server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
				server.off("error", reject);
				resolve();
			});
		});
		// A connection that fails before it is ours is its own affair.
		server.on("error", () => {});
		return publisher;
	}

	get port(): number {
		const address = this.server.address();
		return typeof address === "object" && address ? address.port : 0;
	}

	get counts(): PublisherCounts {
		return { subscribers: this.subscribers.size, sent: this.sent, lost: this.lost };
	}

	/** Sends a message to whoever wants it and can take it. */
	publish(message: EventMessage): void {
		const name = triggerName(message.kind);
		let bytes: Uint8Array | undefined;
		for (const subscriber of this.subscribers) {
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
			isReady: false,
			waiting: 0,
			waitingBytes: 0,
		};
		this.subscribers.add(subscriber);
		const reader = new SubscriberReader();
		const late = setTimeout(() => {
			if (!subscriber.isReady) socket.destroy();
		}, HANDSHAKE_MS).unref();
		socket.on("error", () => socket.destroy());
		socket.on("close", () => {
			clearTimeout(late);
			this.subscribers.delete(subscriber);
		});
		socket.on("data", (bytes) => {
			try {
				for (const event of reader.read(bytes)) this.heard(subscriber, event);
			} catch (error) {
				socket.destroy();
				if (!(error instanceof ZmtpError)) throw error;
			}
		});
		socket.write(GREETING);
	}

	private heard(subscriber: Subscriber, event: SubscriberEvent): void {
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
				if (prefixes.size >= MAX_SUBSCRIPTIONS && !prefixes.has(event.prefix)) {
					throw new ZmtpError("too many subscriptions");
				}
				prefixes.set(event.prefix, (prefixes.get(event.prefix) ?? 0) + 1);
				return;
			case "unsubscribe": {
				const left = (prefixes.get(event.prefix) ?? 0) - 1;
				if (left > 0) prefixes.set(event.prefix, left);
				else prefixes.delete(event.prefix);
			}
		}
	}

	async close(): Promise<void> {
		const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
		for (const { socket } of this.subscribers) socket.destroy();
		await closed;
	}
}

function wants({ prefixes }: Subscriber, name: string): boolean {
	for (const prefix of prefixes.keys()) if (name.startsWith(prefix)) return true;
	return false;
}
