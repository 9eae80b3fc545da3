/**
 * One HTTP server over the endpoint table: routing, methods, statuses and limits (protocol/http §1).
 *
 * Built on node:http directly: the rules for unknown paths and methods are few but unusual, and a framework's
 * router adds a hundred milliseconds to the node's start.
 */

import { toHex } from "../../protocol/bytes.js";
import { toNeutral } from "../../protocol/dialect.js";
import { exceptionText, isWireError } from "../../protocol/json/exceptions.js";
import { blockIdAt } from "../chain/block-store.js";
import { budgetAddress } from "../listening/connection-gate.js";
import { yieldToEventLoop } from "../scheduling/time-slice.js";
import { answersOf } from "./answers.js";
import { atBlock, blockNamed } from "./at-block.js";
import type { Broadcaster } from "./broadcast.js";
import type { ApiContext, ApiNode, ServerKind } from "./context.js";
import { withCors } from "./cors.js";
import { isForeignPage, type OriginRule } from "./development/web-origin.js";
import { BadRequestError, type Endpoint, errorMessage, refuseForLoad } from "./endpoint.js";
import { FOLDERS, limitedName, routesOf } from "./endpoint-table.js";
import type { ExplorerLive } from "./explorer-live.js";
import { explorerAnswer, isExplorerPath } from "./explorer-path.js";
import { isHistoryPath, sendHistory } from "./history/history-path.js";
import { type HttpAnswer, JSON_TYPE } from "./http-answer.js";
import { HttpContext, plainContext, type ServerContext } from "./http-context.js";
import { HttpListener } from "./http-listener.js";
import { isClosedOnLiteNode, LITE_NODE_TEXT } from "./lite-node.js";
import type { LongAnswer } from "./long-answer.js";
import { sendLong } from "./long-answer-sender.js";
import { type MinBlock, minBlockOf, namesBlock } from "./min-block.js";
import { reportAnswers } from "./observer.js";
import { type HttpRequest, PlainRequest } from "./plain-request.js";
import { behind, type CallGate } from "./rate-limiter.js";
import { type InputMode, isForm, type ReceivedRequest, RequestInput } from "./request.js";
import { collectBody, EMPTY_BODY, LARGE_BODY, type MissingBody } from "./request-body.js";
import { headRefusal, lengthOf, pathOf, queryOf, traceOf } from "./request-head.js";
import { isServicePage, servicePage } from "./service-pages.js";

/** Maximum body size for endpoints without a limit of their own: several times a transaction in hex. */
const MAX_KEPT_BODY = 4 << 20;
/** Slack for a body before its size is compared, since normalizing line ends shortens it. */
const LINE_ENDS = 64 << 10;

/** An endpoint under one path of one server. */
interface Route {
	readonly endpoint: Endpoint;
	readonly gate: CallGate;
}

/** A request for an endpoint. */
interface EndpointCall {
	readonly request: HttpRequest;
	readonly answer: HttpAnswer;
	readonly endpoint: Endpoint;
	readonly mode: InputMode;
	readonly contentType: string;
}

type EndpointText = string | LongAnswer;

/** The block number of the state read, if a block was named. */
type StateHeaders = Readonly<Record<string, string>> | undefined;

/** Shorter answers are faster to write than to look up. */
const LONG_ANSWER = 2_048;

/** Answers with a trailing newline. Caches the last long one as bytes, since many clients request the same block. */
class AnswerLines {
	private text = "";
	private bytes: Buffer = Buffer.alloc(0);

	ended(text: string): string | Buffer {
		if (text.length < LONG_ANSWER) return `${text}\n`;
		if (text !== this.text) {
			this.text = text;
			this.bytes = Buffer.from(`${text}\n`);
		}
		return this.bytes;
	}
}

export class HttpServer {
	private readonly lines = new AnswerLines();
	private readonly common: ServerContext;
	private readonly routes = new Map<string, Route>();
	private readonly listener: HttpListener;
	private readonly disabled: ReadonlySet<string>;
	private readonly minBlock: MinBlock;
	/** First path segments of this server. */
	private readonly folders: ReadonlySet<string>;

	constructor(
		private readonly node: ApiNode,
		private readonly kind: ServerKind,
		broadcaster: Broadcaster,
		/** Endpoints by path in addition to those of its kind. */
		extra: ReadonlyMap<string, Endpoint> = new Map(),
		/** Origins whose pages may send unsigned transactions; absent: none. Only a development chain accepts any. */
		private readonly origins?: OriginRule,
		/** Handles the explorer page's WebSockets. */
		private readonly live?: ExplorerLive,
	) {
		const { config, limiter } = node;
		this.common = {
			server: kind,
			node,
			broadcaster,
			dialect: config.node.dialect,
			answers: answersOf(config.node),
			postQuantum: config.node.network === "nile",
		};
		for (const [path, endpoint] of [...routesOf(kind, config.node.release), ...extra]) {
			this.routes.set(path, { endpoint, gate: limiter.http(limitedName(endpoint, kind)) });
		}
		this.folders = new Set([...this.routes.keys()].map((path) => path.split("/")[1] ?? ""));
		this.disabled = new Set([...config.node.disabledApi].map(toNeutral));
		this.minBlock = minBlockOf(node, kind);
		this.listener = new HttpListener({
			maxConnections: config.node.http.maxConnections,
			handle: withCors(config.node.http.cors, (request, answer) => this.route(request, answer)),
			answered: reportAnswers(node.observer, kind, (request) => {
				const path = pathOf(request);
				return this.routes.has(path) ? path : undefined;
			}),
			upgrade: live && ((...asked) => live.upgrade(...asked)),
			report: (error, where) => node.report(error, where),
		});
	}

	/** @returns the bound port; rejects with the system's error */
	listen(port: number, host?: string): Promise<number> {
		return this.listener.listen(port, host);
	}

	/** Stops listening; requests in progress get a short grace period. */
	async close(): Promise<void> {
		this.minBlock.close();
		await Promise.all([this.listener.close(), this.live?.close()]);
	}

	/** Answers one request, from its own listener or one shared by several servers. */
	route(request: HttpRequest, answer: HttpAnswer): Promise<void> | void {
		if (!namesBlock(request)) return this.routed(request, answer);
		return this.minBlock.hold(request, answer, () => this.routed(request, answer));
	}

	private routed(request: HttpRequest, answer: HttpAnswer): Promise<void> | void {
		const { method = "" } = request;
		const refused = headRefusal(request);
		if (refused !== undefined) return answer.page(refused);
		if (this.isTooLarge(request)) return answer.tooLarge();
		const path = pathOf(request);
		if (this.kind === "pbft" && !path.startsWith(`${FOLDERS.pbft}/`)) {
			if (path === FOLDERS.pbft) return answer.redirect(`${FOLDERS.pbft}/`);
			return method === "GET" || method === "POST" ? answer.page(404) : answer.empty(404);
		}
		if (this.disabled.size > 0 && this.isDisabled(path)) {
			return answer.send(404, JSON_TYPE, `${errorMessage("this API is unavailable due to config")}\n`);
		}
		if (this.node.isLite && !this.node.config.node.openHistoryQueryWhenLite && isClosedOnLiteNode(path)) {
			return answer.send(200, JSON_TYPE, LITE_NODE_TEXT);
		}
		const route = this.routes.get(path);
		if (!route) return this.answerUnknown(request, answer, path);
		if (method !== "GET" && method !== "HEAD" && method !== "POST") {
			return this.answerOther(request, answer, method, route.endpoint);
		}
		const work = () => this.dispatch(request, answer, route.endpoint);
		return this.behind(route.gate, request, work, () => this.refuse(answer));
	}

	private behind(
		gate: CallGate,
		{ socket }: HttpRequest,
		work: () => Promise<void> | void,
		refused: () => void,
	): Promise<void> | void {
		return behind(gate, socket, work, refused);
	}

	private refuse(answer: HttpAnswer): void {
		refuseForLoad(answer, this.node.config.node.dialect);
	}

	private isTooLarge(request: HttpRequest): boolean {
		const { maxBodySize } = this.node.config.node.http;
		return this.common.answers.refusesLength(lengthOf(request), maxBodySize);
	}

	/** Looks up the name in the path without doubled slashes, under every folder of this server. */
	private isDisabled(path: string): boolean {
		const [, folder = "", name = ""] = path.replace(/\/{2,}/g, "/").split("/");
		return this.folders.has(folder) && name !== "" && this.disabled.has(toNeutral(name.toLowerCase()));
	}

	private async answerUnknown(request: HttpRequest, answer: HttpAnswer, path: string): Promise<void> {
		const { method = "" } = request;
		if (method === "GET" || method === "HEAD") {
			if (this.kind === "full" && isHistoryPath(path, this.node))
				return this.answerHistory(request, answer, path);
			if (this.kind === "full" && this.node.config.node.http.explorer && isExplorerPath(path)) {
				return this.answerExplorer(request, answer, path);
			}
			if (isServicePage(path)) return this.answerPage(request, answer, path);
			answer.page(404);
		} else if (method === "POST") answer.unsupported(method);
		else this.answerOther(request, answer, method, undefined);
	}

	/** Pages for the operator. */
	private answerPage(request: HttpRequest, answer: HttpAnswer, path: string): Promise<void> | void {
		const work = async (): Promise<void> => {
			const page = await servicePage(path, this.node, {
				...{ kind: this.kind, host: request.headers.host, query: queryOf(request) },
			});
			if (page) answer.send(page.status, page.contentType, page.text);
			else answer.page(404);
		};
		return this.behind(this.node.limiter.http("service"), request, work, () => answer.page(503));
	}

	/** History by account and contract; each request is rate-limited as a call of `v1`. */
	private answerHistory(request: HttpRequest, answer: HttpAnswer, path: string): Promise<void> | void {
		const context = plainContext(this.node, this.common.broadcaster, request);
		const work = () => sendHistory(context, request, answer, path, queryOf(request));
		return this.behind(this.node.limiter.http("v1"), request, work, () => this.refuse(answer));
	}

	/** Explorer files; each request is rate-limited as a call of `explorer`. */
	private answerExplorer(request: HttpRequest, answer: HttpAnswer, path: string): Promise<void> | void {
		const work = () => explorerAnswer(request, answer, path, this.node.rules.development !== undefined);
		return this.behind(this.node.limiter.http("explorer"), request, work, () => answer.page(503));
	}

	private answerOther(
		request: HttpRequest,
		answer: HttpAnswer,
		method: string,
		endpoint: Endpoint | undefined,
	): void {
		if (method === "OPTIONS") answer.options(allowed(endpoint), endpoint && JSON_TYPE);
		else if (method === "TRACE") answer.send(200, "message/http", traceOf(request));
		else answer.empty(method === "PUT" || method === "DELETE" ? 405 : 501);
	}

	private dispatch(request: HttpRequest, answer: HttpAnswer, endpoint: Endpoint): Promise<void> | void {
		const method = request.method === "POST" ? "POST" : "GET";
		const mode = method === "POST" ? endpoint.post : endpoint.get;
		if (mode === "refused") return answer.unsupported(method);
		if (mode === "empty") return answer.send(200, JSON_TYPE, "");
		const contentType = request.headers["content-type"] ?? "";
		const readsBody = method === "POST" && (mode !== "query" || isForm(contentType));
		const call: EndpointCall = { request, answer, endpoint, mode, contentType };
		if (!readsBody) return this.answerCall(call, EMPTY_BODY);
		if (request instanceof PlainRequest) return this.answerCall(call, request.body);
		return this.answerLater(call);
	}

	/** Answers a request whose body is still arriving. */
	private async answerLater(call: EndpointCall): Promise<void> {
		const { request } = call;
		const share = this.node.limiter.bodies.open(budgetAddress(request.socket));
		try {
			const kept = Math.max(this.node.config.node.http.maxBodySize, MAX_KEPT_BODY) + LINE_ENDS;
			const body = await collectBody(request, kept, share);
			if (typeof body !== "string" && body.length > LARGE_BODY) await yieldToEventLoop();
			await this.answerCall(call, body);
		} finally {
			share.release();
		}
	}

	private answerCall(call: EndpointCall, body: Uint8Array | MissingBody): Promise<void> | void {
		const { request, answer, endpoint, mode, contentType } = call;
		if (body === "no room") return answer.page(503);
		const received: ReceivedRequest = {
			method: request.method === "POST" ? "POST" : "GET",
			query: queryOf(request),
			contentType,
			body: body === "too long" ? undefined : body,
			bodyLimit: this.node.config.node.http.maxBodySize,
			answers: this.common.answers,
			postQuantum: this.common.postQuantum,
		};
		const input = new RequestInput(received, mode);
		if (input.hasUnreadableQuery) return answer.send(200, JSON_TYPE, "");
		const { rules } = this.node;
		const signedOnly = rules.development !== undefined && isForeignPage(request.headers, this.origins);
		const context = new HttpContext(this.common, request, input, signedOnly);
		let text: EndpointText | Promise<EndpointText>;
		let more: StateHeaders;
		try {
			const seen = endpoint.readsState ? asked(context, input) : context;
			// Read now, since the state must not be held while the handler awaits.
			if (seen !== context) more = { "State-Block": String(seen.state.properties.headNumber) };
			const kept = this.common.node.config.node.http.cacheHeaders && request.method === "GET";
			const final = kept ? finalHeaders(seen, input, endpoint) : undefined;
			if (final && request.headers["if-none-match"] === final.ETag) return answer.notModified(final);
			if (final) more = final;
			text = endpoint.answer(seen, input);
		} catch (error) {
			return this.sendFailure(call, context, error);
		}
		if (!(text instanceof Promise)) return this.sendText(call, text, more);
		return text.then(
			(later) => this.sendText(call, later, more),
			(error: unknown) => this.sendFailure(call, context, error),
		);
	}

	private sendText(
		{ request, answer, endpoint }: EndpointCall,
		text: EndpointText,
		more: StateHeaders,
	): Promise<void> | void {
		if (typeof text !== "string") return this.sendLong(request, answer, text, endpoint);
		// Not cacheable: another node behind the same cache may have what is missing here.
		const headers = more && "ETag" in more && NOTHING.has(text) ? undefined : more;
		answer.send(200, JSON_TYPE, text === "" ? "" : this.lines.ended(text), headers);
	}

	private sendFailure({ answer, endpoint }: EndpointCall, context: HttpContext, error: unknown): void {
		const failure = error instanceof Error ? error : new Error(String(error));
		if (!isWireError(failure)) this.node.report(failure, endpoint.name);
		const status = failure instanceof BadRequestError ? 400 : 200;
		const text = endpoint.failure(context, failure);
		answer.send(status, JSON_TYPE, text === "" ? "" : this.lines.ended(text));
	}

	private sendLong(
		request: HttpRequest,
		answer: HttpAnswer,
		long: LongAnswer,
		endpoint: Endpoint,
	): Promise<void> {
		return sendLong(answer, long, {
			contentType: JSON_TYPE,
			unread: this.node.limiter.unreadAnswers,
			enter: (cost) => this.node.limiter.longAnswers.enter(budgetAddress(request.socket), cost),
			isAbandoned: () => request.socket.destroyed,
			failed: (error) => {
				if (!isWireError(error)) this.node.report(error, endpoint.name);
				return errorMessage(exceptionText(error, this.node.config.node.dialect));
			},
		});
	}
}

/**
 * The request's context at the block it names; ignored on a node without past states.
 * @throws {PastBlockError}
 */
function asked(context: ApiContext, input: RequestInput): ApiContext {
	const name = context.node.past && input.block;
	const block = name && blockNamed(context, name);
	return block ? atBlock(context, block) : context;
}

/** Answers meaning that nothing was found. */
const NOTHING: ReadonlySet<string> = new Set(["{}", "[]"]);

/**
 * Cache headers for an immutable answer (RFC 9111, RFC 8246), with an ETag.
 * @returns undefined if it may change or there is no answer
 */
function finalHeaders(context: ApiContext, input: RequestInput, { blockOf }: Endpoint) {
	const { node, state, style } = context;
	// A development chain can revert any block.
	const number = node.rules.development ? undefined : blockOf?.(context, input);
	const id = number !== undefined && number < node.oldestRevertible && blockIdAt(state, number);
	if (!id) return undefined;
	return {
		"Cache-Control": "public, max-age=31536000, immutable",
		ETag: `"${toHex(id)}-${style.dialect}"`,
	};
}

function allowed(endpoint: Endpoint | undefined): string {
	const methods: string[] = [];
	if (endpoint?.get !== "refused") methods.push("GET", "HEAD");
	if (endpoint && endpoint.post !== "refused") methods.push("POST");
	return [...methods, "TRACE", "OPTIONS"].join(", ");
}
