/**
 * The WebSocket of the explorer's page on an HTTP server (protocol/json-rpc §15): heads as they come, and the
 * few calls of JSON-RPC that the page has, where the node answers those elsewhere too. Loaded with the first page that asks for it.
 */

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Broadcaster } from "./broadcast.js";
import type { ApiNode } from "./context.js";
import { LIVE_PATH } from "./explorer-path.js";
import type { Observe } from "./jsonrpc/server.js";
import type { SocketServer } from "./jsonrpc/subscriptions/socket-server.js";

/** What the page calls, and no more. */
const SUBSCRIBING: readonly string[] = ["eth_subscribe", "eth_unsubscribe"];
const READING: readonly string[] = ["eth_getStorageAt", "debug_traceTransaction"];

export class ExplorerLive {
	private sockets: Promise<SocketServer> | undefined;

	constructor(
		private readonly node: ApiNode,
		private readonly broadcaster: Broadcaster,
		private readonly observe: Observe,
	) {}

	/** Takes over a connection whose client asked for it. */
	upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
		this.sockets ??= this.open();
		this.sockets.then(
			(sockets) => sockets.upgrade(request, socket, head),
			(error: unknown) => this.node.report(error, "WebSocket of the explorer"),
		);
	}

	async close(): Promise<void> {
		await this.sockets?.then((sockets) => sockets.close());
	}

	private async open(): Promise<SocketServer> {
		const [{ SocketServer }, { contextsOf, Dispatcher }, { methodsByName }, { FilterRegistry }] =
			await Promise.all([
				import("./jsonrpc/subscriptions/socket-server.js"),
				import("./jsonrpc/dispatcher.js"),
				import("./jsonrpc/method-table.js"),
				import("./jsonrpc/filter-registry.js"),
			]);
		const { node, broadcaster, observe } = this;
		const { jsonrpc, release } = node.config.node;
		// Where the operator has switched JSON-RPC off, or keeps its port apart, this one doesn't bring it back.
		const asked = jsonrpc.full.enabled ? [...SUBSCRIBING, ...READING] : SUBSCRIBING;
		const known = methodsByName(release, jsonrpc);
		const methods = new Map([...known].filter(([name]) => asked.includes(name)));
		// Filters of HTTP clients are asked for again and again; here is a subscription instead.
		const filters = new FilterRegistry(() => node.upMs, jsonrpc, release);
		const context = contextsOf({ server: "full", node, broadcaster, filters, producerAddresses: () => [] });
		const dispatcher = new Dispatcher({ ...jsonrpc, release, methods, context });
		return new SocketServer({
			context,
			observe,
			paths: new Set([LIVE_PATH]),
			mayConnect: isOwnPage,
			answer: (text, caller) => dispatcher.answerLine(text, caller),
			gate: node.limiter.http("explorer"),
		});
	}
}

/** Whether a page of this very address asks, or no page. */
function isOwnPage({ origin, host }: IncomingHttpHeaders): boolean {
	return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}
