/**
 * JSON-RPC over WebSocket (RFC 6455) on a JSON-RPC server's port: calls as over HTTP, one at a time, and
 * subscriptions. Everything a client can make the node hold is bounded: connections, in total and per
 * address; message size; calls, of which one runs at a time; notifications ({@link Outlets}).
 */

import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket, WebSocketServer } from "ws";
import { budgetAddress, wasHandedOver } from "../../../listening/connection-gate.js";
import { yieldToEventLoop } from "../../../scheduling/time-slice.js";
import { pathOf } from "../../request-head.js";
import type { Caller } from "../dispatcher.js";
import { SharedRoom } from "../shared-room.js";
import type { Subscriber, SubscriptionHub } from "./hub.js";

/** Maximum client message in bytes. Longer ones must use HTTP, where bodies share one budget. */
const MAX_MESSAGE = 128 * 1024;
/** Maximum fragments per message, and packets per fragment, each of which has memory overhead. */
const MAX_FRAGMENTS = 256;
const MAX_PACKETS = 2_048;
/** Maximum calls from one read of a connection: as many as fit at 50 bytes each, shorter than any useful call. */
const MAX_WAITING = 1_310;
/** A client that hasn't answered a ping by the next one is gone. */
const PING_EVERY_MS = 30_000;
/** Grace period for the closing handshake. */
const CLOSE_GRACE_MS = 1_000;

const GOING_AWAY = 1001;
const UNSUPPORTED_DATA = 1003;
const POLICY_VIOLATION = 1008;
const SERVICE_RESTART = 1012;
const TRY_AGAIN_LATER = 1013;

interface WebSocketsOptions {
	readonly hub: SubscriptionHub;
	/** Maximum concurrent connections. */
	readonly maxConnections: number;
	/** Paths that accept connections. */
	readonly paths: ReadonlySet<string>;
	/** Whether a client may connect; without an Origin header, it isn't a web page. */
	readonly mayConnect: (headers: IncomingHttpHeaders) => boolean;
	/** Answers the text of a call; an empty text is not sent. */
	readonly answer: (text: string, caller: Caller, headers: IncomingHttpHeaders) => Promise<string>;
	/** Called with errors caused by bugs in this program. */
	readonly report: (error: unknown, where: string) => void;
}

interface Connection {
	readonly socket: WebSocket;
	readonly client: string;
	readonly subscriber: Subscriber;
	/** Unanswered calls; reading is paused while there are any. */
	readonly calls: string[];
	isAlive: boolean;
}

export class WebSockets {
	private readonly server = new WebSocketServer({
		noServer: true,
		maxPayload: MAX_MESSAGE,
		maxFragments: MAX_FRAGMENTS,
		maxBufferedChunks: MAX_PACKETS,
		perMessageDeflate: false,
		clientTracking: false,
	});
	private readonly open = new Set<Connection>();
	private readonly room: SharedRoom;
	private readonly pings: NodeJS.Timeout;

	constructor(private readonly options: WebSocketsOptions) {
		this.room = new SharedRoom(options.maxConnections);
		this.pings = setInterval(() => this.ping(), PING_EVERY_MS).unref();
	}

	/** Takes over a connection being upgraded. */
	upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
		const refused = this.refusal(request);
		if (refused !== undefined) {
			// It no longer has a slot and nothing more is read from it, so it must go whatever the client does.
			socket.write(`HTTP/1.1 ${refused}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
			socket.destroySoon();
			return;
		}
		this.server.handleUpgrade(request, socket, head, (connected) =>
			this.connected(connected, socket, request.headers),
		);
	}

	/** Closes all connections, with a grace period for the closing handshake. */
	async close(): Promise<void> {
		clearInterval(this.pings);
		const [code, reason] = wasHandedOver()
			? ([SERVICE_RESTART, "another process goes on"] as const)
			: ([GOING_AWAY, "the node stops"] as const);
		for (const { socket } of this.open) socket.close(code, reason);
		const closed = Promise.all([...this.open].map(({ socket }) => once(socket, "close")));
		await Promise.race([closed, delay(CLOSE_GRACE_MS, undefined, { ref: false })]);
		for (const { socket } of this.open) socket.terminate();
	}

	private refusal(request: IncomingMessage): string | undefined {
		if (!this.options.paths.has(pathOf(request))) return "404 Not Found";
		if (!this.options.mayConnect(request.headers)) return "403 Forbidden";
		const client = budgetAddress(request.socket);
		const isRefused = !this.room.hasRoom(1) && this.room.givesWayTo(client, 1) === undefined;
		return isRefused ? "503 Service Unavailable" : undefined;
	}

	/** A client below its fair share displaces the oldest connection of one above its own. */
	private makeRoom(client: string): void {
		if (this.room.hasRoom(1)) return;
		const largest = this.room.givesWayTo(client, 1);
		for (const one of this.open) {
			if (one.client !== largest) continue;
			one.socket.close(TRY_AGAIN_LATER, "others wait for a connection");
			one.socket.terminate();
			this.gone(one);
			return;
		}
	}

	/** @param headers of its request, of which nothing else is kept while the connection lasts */
	private connected(socket: WebSocket, stream: Socket, headers: IncomingHttpHeaders): void {
		const client = budgetAddress(stream);
		const pipe = {
			get unsent() {
				return socket.bufferedAmount;
			},
			send: (texts: readonly string[], sent: () => void) => sendAll(socket, stream, texts, sent),
			close: (reason: string) => end(socket, TRY_AGAIN_LATER, reason),
		};
		const subscriber = this.options.hub.open(pipe, client);
		const connection: Connection = { socket, client, subscriber, calls: [], isAlive: true };
		// Only once the handshake is complete, so that a failed one displaces nobody.
		this.makeRoom(client);
		this.room.take(client, 1);
		this.open.add(connection);
		socket.on("close", () => this.gone(connection));
		socket.on("error", () => socket.terminate());
		socket.on("pong", () => {
			connection.isAlive = true;
		});
		socket.on("message", (bytes: Buffer, isBinary) => {
			// Messages read along with the end of a connection are still emitted.
			if (socket.readyState !== WebSocket.OPEN) return;
			connection.isAlive = true;
			if (isBinary) end(socket, UNSUPPORTED_DATA, "calls are text");
			else if (connection.calls.length >= MAX_WAITING)
				end(socket, POLICY_VIOLATION, "too many calls at once");
			else if (connection.calls.push(bytes.toString("utf8")) === 1) void this.answerAll(connection, headers);
		});
	}

	/** One call at a time: those from the last read wait, and reading is paused. */
	private async answerAll(connection: Connection, headers: IncomingHttpHeaders): Promise<void> {
		const { socket, calls } = connection;
		socket.pause();
		while (calls.length > 0 && socket.readyState === WebSocket.OPEN) {
			await this.call(connection, headers, calls[0] as string);
			calls.shift();
		}
		socket.resume();
	}

	private async call(
		{ socket, client, subscriber }: Connection,
		headers: IncomingHttpHeaders,
		text: string,
	): Promise<void> {
		const isAbandoned = (): boolean => socket.readyState !== WebSocket.OPEN;
		// Many calls may arrive at once, and each may take long.
		await yieldToEventLoop();
		if (isAbandoned()) return;
		try {
			const answer = await this.options.answer(text, { isAbandoned, client, subscriber }, headers);
			if (answer !== "") await sent(socket, answer);
		} catch (error) {
			this.options.report(error, "WebSocket of JSON-RPC");
			socket.terminate();
		}
	}

	private gone(connection: Connection): void {
		if (!this.open.delete(connection)) return;
		this.room.giveBack(connection.client, 1);
		connection.subscriber.close();
	}

	private ping(): void {
		for (const connection of this.open) {
			if (!connection.isAlive) connection.socket.terminate();
			connection.isAlive = false;
			connection.socket.ping();
		}
	}
}

/** Closes a connection; after a grace period even if the client doesn't read or respond. */
function end(socket: WebSocket, code: number, reason: string): void {
	socket.close(code, reason);
	setTimeout(() => socket.terminate(), CLOSE_GRACE_MS).unref();
}

/** Batches messages into as few packets as possible. @param sent called with the last one sent, or lost with its connection */
function sendAll(socket: WebSocket, stream: Socket, texts: readonly string[], sent: () => void): void {
	stream.cork();
	for (const [i, text] of texts.entries())
		socket.send(text, i === texts.length - 1 ? () => sent() : undefined);
	stream.uncork();
}

/** Sends an answer and waits until it has been written: backpressure for clients that don't read. */
function sent(socket: WebSocket, text: string): Promise<void> {
	return new Promise((resolve) => socket.send(text, () => resolve()));
}
