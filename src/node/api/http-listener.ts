/** HTTP listener: connections, unreadable requests, and closing without truncating answers. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import {
	CONNECTION_TIMES,
	ConnectionGate,
	type ConnectionTimes,
	sweepIntervalMs,
} from "../listening/connection-gate.js";
import { HttpAnswer } from "./http-answer.js";
import { type HttpRequest, type PlainRequest, readPlainRequest } from "./plain-request.js";
import { CommonBytes, PlainResponse } from "./plain-response.js";
import { pathOf, refuseUnreadable } from "./request-head.js";

/** Header limit of node:http itself, high enough for us to answer longer heads with our own status. */
const PARSER_HEAD_LIMIT = 65_536;
const IDLE_MS = 30_000;
const CLOSE_GRACE_MS = 1_000;
/** Maximum requests pipelined on a connection before an earlier answer has been sent: a few packets' worth. */
const MAX_PIPELINED = 256;

/** Answers a request, synchronously where possible. */
export type Handle = (request: HttpRequest, answer: HttpAnswer) => Promise<void> | void;

interface HttpListenerOptions {
	/** Maximum concurrent connections; 0 or less: no limit. */
	readonly maxConnections: number;
	/** How long a client may hold an idle connection; absent: {@link IDLE_MS}. */
	readonly idleMs?: number | undefined;
	readonly handle: Handle;
	/** Absent: {@link CONNECTION_TIMES}. */
	readonly times?: ConnectionTimes | undefined;
	/** Called after each answered request; absent: requests are not counted. */
	readonly answered?: ((request: HttpRequest, answer: HttpAnswer, ms: number) => void) | undefined;
	/**
	 * Takes over a connection that requests an upgrade; absent: it is answered like any request.
	 * @param head what the client has sent behind its request
	 */
	readonly upgrade?: ((request: IncomingMessage, socket: Socket, head: Buffer) => void) | undefined;
	/** Called with errors thrown by {@link handle}, after which the connection is closed. */
	readonly report: (error: unknown, where: string) => void;
}

/** Progress of a client's incomplete request. */
interface Unfinished {
	/** When its first bytes were seen; undefined if there are none. */
	sinceMs: number | undefined;
	/** Bytes read up to the last answered request; -1 if there was none. */
	answered: number;
	/** Time of connecting or of the last answer. */
	idleFromMs: number;
	/** Answer bytes the system had accepted when last checked, and when that number last changed. */
	taken: number;
	takenMs: number;
}

/** A request and its answer. */
interface Call {
	readonly request: HttpRequest;
	readonly response: ServerResponse | PlainResponse;
}

/** A call parsed by node:http. */
interface ParsedCall extends Call {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
}

/** A plain request and its answer. */
interface PlainCall {
	readonly request: PlainRequest;
	readonly response: PlainResponse;
}

interface PlainConnectionOptions {
	/** How long a client may go without sending, or without reading an answer. */
	readonly idleMs: number;
	readonly common: CommonBytes;
	/** Whether to accept requests; otherwise node:http gets them. */
	readonly takes: () => boolean;
	readonly begin: (call: PlainCall) => void;
	/** The answer has been sent, or can't be any more. */
	readonly ended: (socket: Socket) => void;
	/** Hands the connection to node:http. */
	readonly handOver: (socket: Socket) => void;
}

/** Serves a paused connection until it is handed over. */
function servePlain(socket: Socket, options: PlainConnectionOptions): void {
	new PlainConnection(socket, options);
}

/**
 * A connection whose client sends only plain requests, each after the previous answer. With the first bytes
 * that are anything else, node:http takes it over for good.
 */
class PlainConnection {
	private last: PlainRequest["head"] | undefined;
	private call: PlainCall | undefined;
	/** Received before the answer was sent. */
	private readonly held: Buffer[] = [];
	/** Whether the client has ended its side. */
	private isHalf = false;

	constructor(
		private readonly socket: Socket,
		private readonly options: PlainConnectionOptions,
	) {
		socket.setTimeout(options.idleMs);
		socket
			.on("data", this.read)
			.on("end", this.finishHalf)
			.on("timeout", this.expire)
			.on("close", this.finish);
	}

	private readonly read = (bytes: Buffer): void => {
		if (this.call || this.held.length > 0) {
			this.socket.pause();
			this.held.push(bytes);
			return;
		}
		const { options, socket } = this;
		const request = options.takes() ? readPlainRequest(bytes, socket, this.last) : undefined;
		if (!request) {
			this.held.push(bytes);
			this.handOver();
			return;
		}
		this.last = request.head;
		this.call = { request, response: new PlainResponse(socket, options.common, this.finish) };
		options.begin(this.call);
	};

	/** The answer has been sent, or the connection is closed. */
	private readonly finish = (): void => {
		if (!this.call) return;
		this.call = undefined;
		this.options.ended(this.socket);
		if (this.isHalf) this.socket.end();
		else if (this.held.length > 0 && this.options.takes()) this.handOver();
	};

	private readonly finishHalf = (): void => {
		this.isHalf = true;
		if (!this.call) this.socket.end();
	};

	/** A client that doesn't read a started answer ties up memory and a slot. An answer still being made is waited for. */
	private readonly expire = (): void => {
		if (!this.call || this.call.response.headersSent) this.socket.destroy();
	};

	private handOver(): void {
		const { socket, held } = this;
		socket
			.off("data", this.read)
			.off("end", this.finishHalf)
			.off("timeout", this.expire)
			.off("close", this.finish);
		socket.pause();
		this.options.handOver(socket);
		for (const bytes of held.reverse()) socket.unshift(bytes);
		socket.resume();
	}
}

export class HttpListener {
	private readonly http: Server;
	private readonly gate: ConnectionGate;
	/** Connections with a request in progress. */
	private readonly busy = new Map<Socket, Call>();
	/** Requests received before the answer to an earlier one on their connection was sent. */
	private readonly waiting = new Map<Socket, ParsedCall[]>();
	private readonly unfinished = new WeakMap<Socket, Unfinished>();
	private closing = false;
	private readonly common: CommonBytes;

	constructor(private readonly options: HttpListenerOptions) {
		const idleMs = options.idleMs ?? IDLE_MS;
		this.common = new CommonBytes(idleMs);
		this.http = createServer({ maxHeaderSize: PARSER_HEAD_LIMIT, keepAliveTimeout: idleMs });
		// Slots are few (`node.maxHttpConnectNumber`): a client that stalls mid-request loses its own. A slow
		// answer is waited for.
		this.http.setTimeout(idleMs, (socket) => {
			const call = this.busy.get(socket);
			// A client that doesn't read a started answer ties up memory and a slot.
			if (call?.request.complete !== true || call.response.headersSent) socket.destroy();
		});
		this.http.on("request", (request, response) => this.receive(request, response));
		this.http.on("checkContinue", (request, response) => {
			response.writeContinue();
			this.receive(request, response);
		});
		this.http.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
			refuseUnreadable(error, socket),
		);
		if (options.upgrade) this.http.on("upgrade", (...asked) => this.upgrade(...asked));
		const times = options.times ?? CONNECTION_TIMES;
		const plain = {
			idleMs,
			common: this.common,
			takes: () => !this.closing,
			begin: (call: Call) => this.answer(call),
			ended: (socket: Socket) => this.ended(socket),
			handOver: (socket: Socket) => void this.http.emit("connection", socket),
		};
		const serve = (socket: Socket): void => {
			const nowMs = performance.now();
			this.unfinished.set(socket, {
				...{ sinceMs: undefined, answered: -1, idleFromMs: nowMs },
				...{ taken: -1, takenMs: nowMs },
			});
			socket.once("close", () => this.waiting.delete(socket));
			servePlain(socket, plain);
		};
		this.gate = new ConnectionGate(options.maxConnections, serve, true, {
			isStale: (socket, crowded) => this.isSlow(socket, crowded ? times.crowdedMs : times.requestMs),
			idleMs: (socket) => this.idleMs(socket),
			hasAsked: (socket) => (this.unfinished.get(socket)?.answered ?? -1) >= 0,
			unfinishedMs: (socket) => this.unfinishedMs(socket),
			unreadMs: (socket) => this.unreadMs(socket),
			everyMs: sweepIntervalMs(times),
		});
	}

	/** @returns the bound port; rejects with the system's error */
	listen(port: number, host?: string): Promise<number> {
		return this.gate.listen(port, host);
	}

	/** Stops listening; requests in progress get a short grace period. */
	async close(): Promise<void> {
		this.closing = true;
		this.common.close();
		for (const { response } of this.busy.values())
			if (!(response instanceof PlainResponse)) response.shouldKeepAlive = false;
		await this.gate.close((socket) => !this.busy.has(socket), CLOSE_GRACE_MS);
	}

	/** Whether a client has spent too long sending one request; trickling bytes doesn't keep a connection open. */
	private isSlow(socket: Socket, limitMs: number): boolean {
		const state = this.unfinished.get(socket);
		if (!state) return false;
		if (this.busy.get(socket)?.request.complete === true || socket.bytesRead === state.answered) {
			state.sinceMs = undefined;
			return false;
		}
		const nowMs = performance.now();
		state.sinceMs ??= nowMs;
		return nowMs - state.sinceMs > limitMs;
	}

	/** How long a client has been idle. */
	private idleMs(socket: Socket): number | undefined {
		const state = this.unfinished.get(socket);
		if (!state || this.busy.has(socket) || socket.bytesRead > Math.max(0, state.answered)) return undefined;
		return performance.now() - state.idleFromMs;
	}

	/** How long a client has been sending the current request. */
	private unfinishedMs(socket: Socket): number | undefined {
		const state = this.unfinished.get(socket);
		if (!state || this.busy.get(socket)?.request.complete === true) return undefined;
		return state.sinceMs === undefined ? 0 : performance.now() - state.sinceMs;
	}

	/** How long a client has read nothing of a waiting answer; undefined if none is waiting. */
	private unreadMs(socket: Socket): number | undefined {
		const state = this.unfinished.get(socket);
		if (!state || socket.writableLength === 0) return undefined;
		// Bytes of a write the system hasn't accepted yet, which node:net doesn't report before it completes.
		const { _handle } = socket as unknown as {
			readonly _handle?: { readonly writeQueueSize?: number } | null;
		};
		const taken = socket.bytesWritten - (_handle?.writeQueueSize ?? socket.writableLength);
		const nowMs = performance.now();
		if (taken !== state.taken) {
			state.taken = taken;
			state.takenMs = nowMs;
		}
		return nowMs - state.takenMs;
	}

	private upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
		// node:http declares a stream, but passes the socket.
		const socket = stream as Socket;
		if (this.closing || this.busy.has(socket)) {
			socket.destroy();
			return;
		}
		this.gate.letGo(socket);
		this.options.upgrade?.(request, socket, head);
	}

	private receive(request: IncomingMessage, response: ServerResponse): void {
		const { socket } = request;
		const line = this.waiting.get(socket) ?? [];
		if (!this.busy.has(socket) && line.length === 0) {
			this.begin({ request, response });
			return;
		}
		// One answer at a time: otherwise they would pile up for a client that may read none.
		if (line.length >= MAX_PIPELINED) {
			socket.destroy();
			return;
		}
		line.push({ request, response });
		this.waiting.set(socket, line);
		socket.pause();
	}

	/** Continues with the next pipelined request, after other connections have had a turn. */
	private next(socket: Socket): void {
		const line = this.waiting.get(socket);
		if (!line) return;
		setImmediate(() => {
			const call = line.shift();
			if (line.length === 0) {
				this.waiting.delete(socket);
				socket.resume();
			}
			if (call && !socket.destroyed) this.begin(call);
		});
	}

	private begin(call: ParsedCall): void {
		const { request, response } = call;
		const { socket } = request;
		if (this.closing) response.shouldKeepAlive = false;
		response.once("close", () => {
			this.ended(socket);
			if (!this.closing) this.next(socket);
		});
		this.answer(call);
	}

	/** A connection's answer has been sent, or can't be any more. */
	private ended(socket: Socket): void {
		this.busy.delete(socket);
		const state = this.unfinished.get(socket);
		if (state) {
			state.answered = socket.bytesRead;
			state.idleFromMs = performance.now();
			state.sinceMs = undefined;
		}
		if (this.closing) socket.destroySoon();
	}

	private answer(call: Call): void {
		const { request, response } = call;
		this.busy.set(request.socket, call);
		const { handle, answered } = this.options;
		const answer = new HttpAnswer(request, response);
		const started = answered ? performance.now() : 0;
		const done = answered && (() => answered(request, answer, performance.now() - started));
		try {
			const handled = handle(request, answer);
			if (handled) handled.then(done).catch((error: unknown) => this.failed(request, error));
			else done?.();
		} catch (error) {
			this.failed(request, error);
		}
	}

	private failed(request: HttpRequest, error: unknown): void {
		// A client that left mid-request is no bug. The query isn't logged, since it may carry keys.
		if (request.complete) this.options.report(error, `HTTP ${request.method} ${pathOf(request)}`);
		request.socket.destroy();
	}
}
