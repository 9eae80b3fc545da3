/**
 * One HTTP server over the endpoint table: routing, methods, statuses and limits (sheet 06 §1).
 *
 * It stands on node:http itself: the rules for unknown paths and methods are few but unusual, and a framework's
 * router costs a hundred milliseconds of the node's start.
 */

import {
	createServer,
	type IncomingMessage,
	type Server,
	type ServerResponse,
	STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import { isWireError } from "../../protocol/json/exceptions.js";
import type { Broadcaster } from "./broadcast.js";
import { ConnectionGate } from "./connection-gate.js";
import type { ApiContext, ApiNode, ServerKind } from "./context.js";
import { type Endpoint, errorMessage } from "./endpoint.js";
import { FOLDERS, routesOf } from "./endpoint-table.js";
import { errorPage } from "./error-page.js";
import { isClosedOnLiteNode, LITE_NODE_TEXT } from "./lite-node.js";
import { type InputMode, type ReceivedRequest, RequestInput } from "./request.js";

const JSON_TYPE = "application/json;charset=utf-8";
const MAX_REQUEST_LINE = 8192;
const MAX_HEAD = 8192;
/** What node:http itself admits: enough to answer longer heads with a status of ours. */
const PARSER_HEAD_LIMIT = 65_536;
/** Bodies are not kept beyond this, for endpoints that have no limit of their own. */
const MAX_KEPT_BODY = 64 << 20;
const IDLE_MS = 30_000;
const CLOSE_GRACE_MS = 1_000;

export class HttpServer {
	private readonly routes: ReadonlyMap<string, Endpoint>;
	private readonly http: Server;
	private readonly gate: ConnectionGate;
	/** Connections with a request under way. */
	private readonly busy = new Set<Socket>();
	private closing = false;

	constructor(
		private readonly node: ApiNode,
		private readonly kind: ServerKind,
		private readonly broadcaster: Broadcaster,
	) {
		this.routes = routesOf(kind);
		this.http = createServer({ maxHeaderSize: PARSER_HEAD_LIMIT, keepAliveTimeout: IDLE_MS });
		this.http.on("request", (request, response) => this.receive(request, response));
		this.http.on("checkContinue", (request, response) => {
			response.writeContinue();
			this.receive(request, response);
		});
		this.http.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
			refuseUnreadable(error, socket),
		);
		this.gate = new ConnectionGate(node.config.node.http.maxConnections, (socket) => {
			this.http.emit("connection", socket);
		});
	}

	/** @returns the bound port. Rejects with the system's error. */
	listen(port: number, host?: string): Promise<number> {
		return this.gate.listen(port, host);
	}

	/** Stops listening; requests under way get a moment to finish. */
	async close(): Promise<void> {
		this.closing = true;
		await this.gate.close((socket) => !this.busy.has(socket), CLOSE_GRACE_MS);
	}

	private receive(request: IncomingMessage, response: ServerResponse): void {
		const { socket } = request;
		this.busy.add(socket);
		if (this.closing) response.shouldKeepAlive = false;
		response.once("close", () => {
			this.busy.delete(socket);
			if (this.closing) socket.destroySoon();
		});
		this.route(request, new Answer(request, response)).catch((error: unknown) => {
			this.node.report(error, `HTTP ${request.method} ${request.url}`);
			socket.destroy();
		});
	}

	private async route(request: IncomingMessage, answer: Answer): Promise<void> {
		const method = request.method ?? "";
		const url = request.url ?? "/";
		if (method.length + url.length + "  HTTP/1.1".length > MAX_REQUEST_LINE) return answer.page(414);
		if (headSize(request) > MAX_HEAD) return answer.page(431);
		const question = url.indexOf("?");
		const path = plainPath(question < 0 ? url : url.slice(0, question));
		if (this.kind === "pbft" && !path.startsWith(`${FOLDERS.pbft}/`)) {
			if (path === FOLDERS.pbft) return answer.redirect(`${FOLDERS.pbft}/`);
			return method === "GET" || method === "POST" ? answer.page(404) : answer.empty(404);
		}
		const name = path.split("/")[2]?.toLowerCase() ?? "";
		if (name !== "" && this.node.config.node.disabledApi.has(name)) {
			return answer.send(404, JSON_TYPE, `${errorMessage("this API is unavailable due to config")}\n`);
		}
		if (this.node.isLite && !this.node.config.node.openHistoryQueryWhenLite && isClosedOnLiteNode(path)) {
			return answer.send(200, JSON_TYPE, LITE_NODE_TEXT);
		}
		const endpoint = this.routes.get(path);
		switch (method) {
			case "GET":
			case "HEAD":
			case "POST":
				return this.dispatch(request, answer, endpoint, question < 0 ? "" : url.slice(question + 1));
			case "OPTIONS":
				return answer.options(allowed(endpoint), endpoint && JSON_TYPE);
			case "TRACE":
				return answer.send(200, "message/http", traceOf(request));
			case "PUT":
			case "DELETE":
				return answer.empty(405);
			default:
				return answer.empty(501);
		}
	}

	private async dispatch(
		request: IncomingMessage,
		answer: Answer,
		endpoint: Endpoint | undefined,
		query: string,
	): Promise<void> {
		const method = request.method === "POST" ? "POST" : "GET";
		if (!endpoint) return method === "POST" ? answer.unsupported(method) : answer.page(404);
		const mode = method === "POST" ? endpoint.post : endpoint.get;
		if (mode === "refused") return answer.unsupported(method);
		if (mode === "empty") return answer.send(200, JSON_TYPE, "");
		const limit = this.node.config.node.http.maxBodySize;
		const received: ReceivedRequest = {
			method,
			query,
			contentType: request.headers["content-type"] ?? "",
			body: method === "POST" ? await readBody(request, Math.max(limit, MAX_KEPT_BODY)) : new Uint8Array(0),
			bodyLimit: limit,
		};
		const text = await this.answerText(endpoint, received, mode);
		answer.send(200, JSON_TYPE, text === "" ? "" : `${text}\n`);
	}

	private async answerText(endpoint: Endpoint, received: ReceivedRequest, mode: InputMode): Promise<string> {
		const input = new RequestInput(received, mode);
		const { node, kind, broadcaster } = this;
		const context: ApiContext = {
			server: kind,
			node,
			state: node.view(kind),
			broadcaster,
			style: {
				get visible() {
					return input.visible;
				},
				dialect: node.config.node.dialect,
			},
		};
		try {
			return await endpoint.answer(context, input);
		} catch (error) {
			const failure = error instanceof Error ? error : new Error(String(error));
			if (!isWireError(failure)) node.report(failure, endpoint.name);
			return endpoint.failure(context, failure);
		}
	}
}

function allowed(endpoint: Endpoint | undefined): string {
	const methods: string[] = [];
	if (endpoint?.get !== "refused") methods.push("GET", "HEAD");
	if (endpoint && endpoint.post !== "refused") methods.push("POST");
	return [...methods, "TRACE", "OPTIONS"].join(", ");
}

/** Bytes of the request's head, its first line included. */
function headSize({ method = "", url = "", rawHeaders }: IncomingMessage): number {
	let size = method.length + url.length + "  HTTP/1.1\r\n".length;
	for (const part of rawHeaders) size += part.length + 2;
	return size;
}

/** A path without escapes, parameters (`;x=1`) and dot segments; a malformed one stays as it is and matches nothing. */
function plainPath(path: string): string {
	if (!/[%;.]/.test(path)) return path;
	const segments: string[] = [];
	for (const part of path.split("/")) {
		const segment = part.replace(/;.*$/, "");
		if (segment === "..") segments.pop();
		else if (segment !== ".") segments.push(segment);
	}
	try {
		return decodeURIComponent(segments.join("/"));
	} catch {
		return path;
	}
}

function traceOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
	const lines = [`${method} ${url} HTTP/${httpVersion}`];
	for (let i = 0; i < rawHeaders.length; i += 2) lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`);
	return `${lines.join("\r\n")}\r\n`;
}

/** Reads the whole body; undefined if it is longer than `limit`. */
async function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of request as AsyncIterable<Uint8Array>) {
		size += chunk.length;
		if (size <= limit) chunks.push(chunk);
		else chunks.length = 0;
	}
	return size <= limit ? Buffer.concat(chunks) : undefined;
}

function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
	if (!socket.writable || error.code === "ECONNRESET") {
		socket.destroy();
		return;
	}
	const status = error.code === "HPE_INVALID_METHOD" ? 501 : error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400;
	socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** The answer to one request. */
class Answer {
	constructor(
		private readonly request: IncomingMessage,
		private readonly response: ServerResponse,
	) {}

	/** Sends a status with a body; to HEAD without it. */
	send(
		status: number,
		contentType: string | undefined,
		text: string,
		more: Record<string, string> = {},
	): void {
		const { request, response } = this;
		const headers: Record<string, string> = { ...more };
		if (contentType !== undefined) headers["Content-Type"] = contentType;
		const body = Buffer.from(text, "utf8");
		if (body.length > 0 && request.httpVersion === "1.1" && request.method !== "HEAD") {
			headers["Transfer-Encoding"] = "chunked";
		} else headers["Content-Length"] = String(body.length);
		response.writeHead(status, headers);
		response.end(request.method === "HEAD" ? undefined : body);
		// What is left of a body that nobody reads must not block the connection.
		request.resume();
	}

	empty(status: number): void {
		this.send(status, undefined, "");
	}

	page(status: number, message = STATUS_CODES[status] ?? ""): void {
		const { url = "/", headers } = this.request;
		const { contentType, text } = errorPage(status, message, url.split("?")[0] ?? url, headers.accept);
		this.send(status, contentType, text, { "Cache-Control": "must-revalidate,no-cache,no-store" });
	}

	unsupported(method: string): void {
		this.page(405, `HTTP method ${method} is not supported by this URL`);
	}

	options(allow: string, contentType: string | undefined): void {
		this.send(200, contentType, "", { Allow: allow });
	}

	redirect(location: string): void {
		this.send(302, undefined, "", { Location: location });
	}
}
