/** The explorer of another node, served on this machine alone: its page, and the page's questions passed on, none that changes anything. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { READ_ENDPOINTS } from "../explorer/node-paths.js";
import { installedExplorer } from "../node/api/explorer-files.js";

const OWN_HOST = "127.0.0.1";
const PAGE = "/explorer/";
/** A question is a few values. */
const MAX_QUESTION = 64 << 10;
const LONGEST_PASSED_ON = 64 << 20;
const NODE_MS = 15_000;
const MAX_CONNECTIONS = 64;

const WALLET_PATHS: ReadonlySet<string> = new Set(READ_ENDPOINTS.map((name) => `/wallet/${name}`));

export interface ExplorerServer {
	readonly url: string;
	close(): Promise<void>;
}

/**
 * Serves the explorer. Rejects with the system's error where the port can't be had.
 * @param node address of the node's HTTP API
 * @param headers that the node asks for
 */
export async function serveExplorer(
	node: string,
	port: number,
	headers: Readonly<Record<string, string>>,
): Promise<ExplorerServer> {
	const server = createServer((request, response) => {
		answer(request, response, node, headers).catch(() => {
			if (response.headersSent) response.destroy();
			else send(response, 502, '{"error":"the node does not answer"}');
		});
	});
	server.maxConnections = MAX_CONNECTIONS;
	server.requestTimeout = NODE_MS;
	await new Promise<void>((resolve, reject) => {
		server.once("error", reject).listen(port, OWN_HOST, resolve);
	});
	const { port: bound } = server.address() as AddressInfo;
	return {
		url: `http://${OWN_HOST}:${bound}${PAGE}`,
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

function send(response: ServerResponse, status: number, text: string): void {
	response.writeHead(status, { "Content-Type": "application/json", "X-Content-Type-Options": "nosniff" });
	response.end(text);
}

async function answer(
	request: IncomingMessage,
	response: ServerResponse,
	node: string,
	headers: Readonly<Record<string, string>>,
): Promise<void> {
	const { method = "", url = "/" } = request;
	// A page of another site may reach this address under a name of its own.
	if (!isOwn(request)) return send(response, 403, '{"error":"only pages of this address"}');
	const [path = "/"] = url.split("?");
	const reads = method === "GET" || method === "HEAD";
	if (reads && (path === "/" || path === "/explorer")) {
		response.writeHead(302, { Location: PAGE });
		response.end();
	} else if (reads && path.startsWith(PAGE)) await sendFile(path.slice(PAGE.length), request, response);
	else if (method === "POST" && WALLET_PATHS.has(path)) {
		const body = await readAll(request, MAX_QUESTION);
		await passOn(
			`${node}${path}`,
			{ method, body, headers: { ...headers, "Content-Type": "application/json" } },
			response,
		);
	} else if (method === "GET" && /^\/v1\/[\w/-]+$/.test(path)) {
		await passOn(`${node}${url}`, { method, headers }, response);
	} else send(response, 404, '{"error":"not found"}');
}

/** Whether a request names this address and no other page sent it. */
function isOwn({ headers: { host = "", origin } }: IncomingMessage): boolean {
	if (!/^(127\.0\.0\.1|localhost)(:\d{1,5})?$/.test(host)) return false;
	return origin === undefined || origin === `http://${host}`;
}

async function sendFile(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
	const file = await installedExplorer.find(name, false);
	if (!file) return send(response, 404, '{"error":"not found"}');
	const isKnown = request.headers["if-none-match"] === file.headers.ETag;
	response.writeHead(isKnown ? 304 : 200, { ...file.headers, "Content-Type": file.type });
	response.end(isKnown || request.method === "HEAD" ? undefined : file.body);
}

async function passOn(url: string, options: RequestInit, response: ServerResponse): Promise<void> {
	const signal = AbortSignal.timeout(NODE_MS);
	const answered = await fetch(url, { ...options, signal, redirect: "error" });
	const body = await readAll(answered.body ?? [], LONGEST_PASSED_ON);
	send(response, answered.status, body);
}

/** @throws {RangeError} beyond the limit */
async function readAll(
	parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
	limit: number,
): Promise<string> {
	const kept: Uint8Array[] = [];
	let length = 0;
	for await (const part of parts) {
		length += part.length;
		if (length > limit) throw new RangeError("too long");
		kept.push(part);
	}
	return Buffer.concat(kept).toString("utf8");
}
