/**
 * Follows the node's head: pushed over a WebSocket if the server supports it, polled otherwise. Reverting a
 * development chain to an earlier block isn't announced, so the head is polled slowly even with a WebSocket.
 */

import { isJson, type Json, readJson } from "./answer.js";
import { failureOf, NodeError } from "./node-client.js";

/** The part of a browser's WebSocket in use. */
export interface Socket {
	addEventListener(kind: "open" | "close", listener: () => void): void;
	addEventListener(kind: "message", listener: (event: { readonly data: unknown }) => void): void;
	send(text: string): void;
	close(): void;
}

/** How the head is received: `told` over a WebSocket, or `asked` for by polling. */
export type LiveKind = "told" | "asked";

interface LiveOptions {
	/** Opens a WebSocket to the page's server. */
	readonly dial: () => Socket;
	/** The node's head. @throws {NodeError} */
	readonly head: () => Promise<Json>;
	/** Called with each head and each failure. */
	readonly changed: (head: Json | NodeError, kind: LiveKind) => void;
	readonly later: (work: () => void, ms: number) => void;
	/** Polling interval without a WebSocket. */
	readonly askMs: number;
}

/** Polling interval with a WebSocket. */
const CHECK_MS = 10_000;
/** First delay before a connection is retried; it doubles each time. */
const RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 300_000;
const CALL_MS = 15_000;
/** The most calls awaiting an answer. */
const MAX_LIVE_CALLS = 100;

interface WaitingCall {
	readonly answer: (result: unknown) => void;
	readonly fail: (error: NodeError) => void;
}

export class Live {
	private socket: Socket | undefined;
	private isOpen = false;
	private isAsking = false;
	/** Whether the head may have changed during the current fetch. */
	private again = false;
	private calls = 0;
	/** Generation of the polling loop; only the newest continues. */
	private turn = 0;
	private retryMs = RETRY_MS;
	private readonly waiting = new Map<number, WaitingCall>();

	constructor(private readonly options: LiveOptions) {}

	start(): void {
		this.connect();
		void this.ask();
	}

	get kind(): LiveKind {
		return this.isOpen ? "told" : "asked";
	}

	/** Calls a JSON-RPC method over the connection. @throws {NodeError} with status 0 if there is none */
	call(method: string, params: readonly unknown[]): Promise<unknown> {
		return new Promise((answer, fail) => {
			const { socket } = this;
			if (!socket || !this.isOpen || this.waiting.size >= MAX_LIVE_CALLS) {
				fail(new NodeError("there is no open connection to the node", 0));
				return;
			}
			const id = ++this.calls;
			this.waiting.set(id, { answer, fail });
			this.options.later(() => this.fail(id, new NodeError("the node doesn't answer", 0)), CALL_MS);
			socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
		});
	}

	private connect(): void {
		let socket: Socket;
		try {
			socket = this.options.dial();
		} catch {
			this.reconnect();
			return;
		}
		this.socket = socket;
		socket.addEventListener("open", () => {
			this.isOpen = true;
			this.retryMs = RETRY_MS;
			this.call("eth_subscribe", ["newHeads"]).catch(() => socket.close());
			void this.ask();
		});
		socket.addEventListener("message", ({ data }) => this.told(typeof data === "string" ? data : ""));
		socket.addEventListener("close", () => {
			if (this.socket !== socket) return;
			this.socket = undefined;
			const wasOpen = this.isOpen;
			this.isOpen = false;
			for (const id of [...this.waiting.keys()]) this.fail(id, new NodeError("the connection ended", 0));
			if (wasOpen) void this.ask();
			this.reconnect();
		});
	}

	private reconnect(): void {
		this.options.later(() => this.connect(), this.retryMs);
		this.retryMs = Math.min(2 * this.retryMs, LONGEST_RETRY_MS);
	}

	private told(text: string): void {
		let message: unknown;
		try {
			message = readJson(text);
		} catch {
			return;
		}
		if (!isJson(message)) return;
		if (message["method"] === "eth_subscription") {
			void this.ask();
			return;
		}
		const call = this.waiting.get(Number(message["id"]));
		if (!call) return;
		const { error } = message;
		if (isJson(error)) {
			this.fail(Number(message["id"]), failureOf(error));
			return;
		}
		this.waiting.delete(Number(message["id"]));
		call.answer(message["result"]);
	}

	private fail(id: number, error: NodeError): void {
		const call = this.waiting.get(id);
		this.waiting.delete(id);
		call?.fail(error);
	}

	/** Fetches the head, again if it changed meanwhile, and periodically. */
	private async ask(): Promise<void> {
		if (this.isAsking) {
			this.again = true;
			return;
		}
		this.isAsking = true;
		try {
			do {
				this.again = false;
				const answer = await this.options.head().catch((error: unknown) => error);
				const isKnown = answer instanceof NodeError || isJson(answer);
				this.options.changed(isKnown ? (answer as Json | NodeError) : new NodeError("no head", 0), this.kind);
			} while (this.again);
		} finally {
			this.isAsking = false;
		}
		const mine = ++this.turn;
		this.options.later(
			() => void (mine === this.turn && this.ask()),
			this.isOpen ? CHECK_MS : this.options.askMs,
		);
	}
}
