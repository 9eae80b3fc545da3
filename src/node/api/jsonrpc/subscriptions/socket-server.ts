/**
 * WebSockets for any kind of server (protocol/json-rpc §15): its subscription hub and connections, created
 * when the first client connects. Calls count towards the same limits as over HTTP.
 */

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { type CallGate, OUT_OF_RESOURCES } from "../../rate-limiter.js";
import type { Caller } from "../dispatcher.js";
import { errorPart, VERSION } from "../envelope.js";
import { blockAnswer, transactionAnswer } from "../lenient/answers.js";
import { energyPriceQuantity, mostEnergy } from "../lenient/fees.js";
import type { AnswerText, RpcContext } from "../method.js";
import { syncing } from "../methods/node.js";
import { objectStyleOf } from "../objects/style.js";
import { EXCEEDS_LIMIT } from "../rpc-error.js";
import type { Observe } from "../server.js";
import type { WebSockets } from "./web-sockets.js";

/** Concurrent calls over WebSockets; a full node's HTTP server has 50 connections. */
const SOCKET_CALLS = 16;

interface SocketServerOptions {
	/** The node as seen by a caller's next call. */
	readonly context: (caller: Caller) => RpcContext;
	readonly observe: Observe;
	/** Paths that accept connections. */
	readonly paths: ReadonlySet<string>;
	/** Whether this client may connect; without an Origin header, it isn't a web page. */
	readonly mayConnect: (headers: IncomingHttpHeaders) => boolean;
	/** Answers the text of a call; an empty text is not sent. */
	readonly answer: (
		text: string,
		caller: Caller,
		headers: IncomingHttpHeaders,
	) => AnswerText | Promise<AnswerText>;
	readonly gate: CallGate;
}

/**
 * Limits concurrent calls over many connections: the rate limiter delays all callers alike, so a thousand
 * connections with a call each would keep everybody else waiting. Addresses take turns.
 */
export class CallLine {
	private running = 0;
	/** Waiting calls by client address; addresses in round-robin order. */
	private readonly waiting = new Map<string, (() => void)[]>();

	/** @param most calls at a time */
	constructor(private readonly most: number) {}

	/** Resolves when a call from an address may start; it must {@link leave} afterwards. */
	enter(address: string): Promise<void> {
		if (this.running < this.most) {
			this.running++;
			return Promise.resolve();
		}
		return new Promise((resolve) => {
			const line = this.waiting.get(address);
			if (line) line.push(resolve);
			else this.waiting.set(address, [resolve]);
		});
	}

	/** A call has ended; the next address takes its slot. */
	leave(): void {
		const [next] = this.waiting;
		if (!next) {
			this.running--;
			return;
		}
		const [address, line] = next;
		const begin = line.shift();
		this.waiting.delete(address);
		if (line.length > 0) this.waiting.set(address, line);
		begin?.();
	}
}

export class SocketServer {
	private readonly line = new CallLine(SOCKET_CALLS);
	private sockets: Promise<WebSockets> | undefined;
	private stopObserving: (() => void) | undefined;

	constructor(private readonly options: SocketServerOptions) {}

	/** Takes over a connection being upgraded. */
	upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
		this.sockets ??= this.open();
		this.sockets.then(
			(sockets) => sockets.upgrade(request, socket, head),
			(error: unknown) => this.options.context({}).node.report(error, "WebSocket of JSON-RPC"),
		);
	}

	/** Closes all connections. */
	async close(): Promise<void> {
		this.stopObserving?.();
		await this.sockets?.then((sockets) => sockets.close());
	}

	private async open(): Promise<WebSockets> {
		const { WebSockets } = await import("./web-sockets.js");
		const { SubscriptionHub } = await import("./hub.js");
		const { context, observe, paths, mayConnect } = this.options;
		const { node } = context({});
		const { jsonrpc } = node.config.node;
		const hub = new SubscriptionHub({
			state: () => context({}).state,
			style: objectStyleOf({ node }),
			answered: jsonrpc.lenient
				? {
						head: (header) => blockAnswer(header, energyPriceQuantity(context({})), mostEnergy(context({}))),
						transaction: (transaction) => transactionAnswer(transaction, energyPriceQuantity(context({}))),
					}
				: undefined,
			syncing: () => syncing(context({})),
			node,
			maxPerClient: jsonrpc.maxSubscriptions,
		});
		this.stopObserving = observe(hub.observer);
		return new WebSockets({
			hub,
			paths,
			maxConnections: jsonrpc.maxWebSockets,
			mayConnect,
			answer: (text, caller, headers) => this.answer(text, caller, headers),
			report: (error, where) => node.report(error, where),
		});
	}

	private async answer(text: string, caller: Caller, headers: IncomingHttpHeaders): Promise<string> {
		const { gate, answer } = this.options;
		const client = caller.client ?? "";
		await this.line.enter(client);
		try {
			if (!(await gate.enter(client))) return refusedCall(OUT_OF_RESOURCES);
			try {
				return String(await answer(text, caller, headers)).trimEnd();
			} finally {
				gate.leave();
			}
		} finally {
			this.line.leave();
		}
	}
}

/** The answer to a call that wasn't read. */
function refusedCall(message: string): string {
	return `{"jsonrpc":"${VERSION}","id":null,${errorPart(EXCEEDS_LIMIT, message)}}`;
}
