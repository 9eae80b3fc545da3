/**
 * The explorer page's WebSocket on an HTTP server (protocol/json-rpc §15): new heads, and the few JSON-RPC
 * calls the page makes, if the node also offers them elsewhere. Loaded when the first page connects.
 */

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Broadcaster } from "./broadcast.js";
import type { ApiNode } from "./context.js";
import { LIVE_PATH } from "./explorer-path.js";
import type { Observe } from "./jsonrpc/server.js";
import type { SocketServer } from "./jsonrpc/subscriptions/socket-server.js";

/** The only methods the page calls. */
const SUBSCRIBING: readonly string[] = ["eth_subscribe", "eth_unsubscribe"];
const READING: readonly string[] = ["eth_getStorageAt", "debug_traceTransaction"];

export class ExplorerLive {
	private sockets: Promise<SocketServer> | undefined;

	constructor(
		private readonly node: ApiNode,
		private readonly broadcaster: Broadcaster,
		private readonly observe: Observe,
	) {}

	/** Takes over a connection being upgraded. */
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
		// If the operator has disabled JSON-RPC, or restricts access to its port, this socket must not reopen it.
		const asked = jsonrpc.full.enabled ? [...SUBSCRIBING, ...READING] : SUBSCRIBING;
		const known = methodsByName(release, jsonrpc);
		const methods = new Map([...known].filter(([name]) => asked.includes(name)));
		// Filters are for HTTP clients, which poll; here a subscription takes their place.
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

/** Whether the request comes from a page served by this address, or from no page. */
function isOwnPage({ origin, host }: IncomingHttpHeaders): boolean {
	return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}
