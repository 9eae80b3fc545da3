/** Serves the explorer for another node on this machine only: its page, and a proxy for the page's requests, which are all read-only. */

import { READ_ENDPOINTS } from "../explorer/node-paths.js";
import { explorerAnswer } from "../node/api/explorer-path.js";
import { type HttpAnswer, JSON_TYPE } from "../node/api/http-answer.js";
import { HttpListener } from "../node/api/http-listener.js";
import type { HttpRequest } from "../node/api/plain-request.js";
import { collectBody } from "../node/api/request-body.js";
import { headRefusal } from "../node/api/request-head.js";
import { MAX_CONNECTIONS } from "../node/listening/connection-gate.js";

const OWN_HOST = "127.0.0.1";
const PAGE = "/explorer/";
/** Size limit of a request, which only has a few values. */
const MAX_QUESTION = 64 << 10;
const LONGEST_PASSED_ON = 64 << 20;
const NODE_MS = 15_000;

const WALLET_PATHS: ReadonlySet<string> = new Set(READ_ENDPOINTS.map((name) => `/wallet/${name}`));

export interface ExplorerServer {
	readonly url: string;
	close(): Promise<void>;
}

/**
 * Serves the explorer. Rejects with the system's error if the port can't be bound.
 * @param node base URL of the node's HTTP API
 * @param headers request headers that the node requires
 */
export async function serveExplorer(
	node: string,
	port: number,
	headers: Readonly<Record<string, string>>,
): Promise<ExplorerServer> {
	const listener = new HttpListener({
		maxConnections: MAX_CONNECTIONS.explorer,
		handle: (request, answer) => respond(request, answer, node, headers),
		// The user sees on the page that there is no response.
		report: () => {},
	});
	const bound = await listener.listen(port, OWN_HOST);
	return { url: `http://${OWN_HOST}:${bound}${PAGE}`, close: () => listener.close() };
}

function send(answer: HttpAnswer, status: number, text: string): void {
	answer.send(status, JSON_TYPE, text, { "X-Content-Type-Options": "nosniff" });
}

async function respond(
	request: HttpRequest,
	answer: HttpAnswer,
	node: string,
	headers: Readonly<Record<string, string>>,
): Promise<void> {
	const { method = "", url = "/" } = request;
	const refused = headRefusal(request);
	if (refused !== undefined) return answer.page(refused);
	// Guards against DNS rebinding: another site's page may reach this address under its own name.
	if (!isOwn(request)) return send(answer, 403, '{"error":"only pages of this address"}');
	const [path = "/"] = url.split("?");
	const reads = method === "GET" || method === "HEAD";
	if (reads && (path === "/" || path === "/explorer")) answer.redirect(PAGE);
	else if (reads && path.startsWith(PAGE)) await explorerAnswer(request, answer, path, false);
	else if (method === "POST" && WALLET_PATHS.has(path)) {
		const body = await collectBody(request, MAX_QUESTION);
		if (typeof body === "string") return send(answer, 413, '{"error":"too long"}');
		const asked = { method, body: Buffer.from(body), headers: { ...headers, "Content-Type": JSON_TYPE } };
		await passOn(`${node}${path}`, asked, answer);
	} else if (method === "GET" && /^\/v1\/[\w/-]+$/.test(path)) {
		await passOn(`${node}${url}`, { method, headers }, answer);
	} else send(answer, 404, '{"error":"not found"}');
}

/** Whether a request has this server's host name, and doesn't come from another site's page. */
function isOwn({ headers: { host = "", origin } }: HttpRequest): boolean {
	if (!/^(127\.0\.0\.1|localhost)(:\d{1,5})?$/.test(host)) return false;
	return origin === undefined || origin === `http://${host}`;
}

async function passOn(url: string, options: RequestInit, answer: HttpAnswer): Promise<void> {
	const signal = AbortSignal.timeout(NODE_MS);
	const passed = await fetch(url, { ...options, signal, redirect: "error" })
		.then(async ({ status, body }) => ({ status, text: await readAll(body ?? [], LONGEST_PASSED_ON) }))
		.catch(() => undefined);
	if (passed) send(answer, passed.status, passed.text);
	else send(answer, 502, '{"error":"the node does not answer"}');
}

/** @throws {RangeError} if the limit is exceeded */
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
