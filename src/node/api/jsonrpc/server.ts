/** One JSON-RPC server (protocol/json-rpc §1): POST to a single path; every call is answered with status 200. */

import { asBuffer } from "../../../protocol/bytes.js";
import type { ChainObserver } from "../../chain/observers.js";
import { budgetAddress } from "../../listening/connection-gate.js";
import { yieldToEventLoop } from "../../scheduling/time-slice.js";
import { answersOf } from "../answers.js";
import type { ApiNode, ServerKind } from "../context.js";
import { withCors } from "../cors.js";
import { refuseForLoad } from "../endpoint.js";
import { type HttpAnswer, JSON_TYPE } from "../http-answer.js";
import { HttpListener } from "../http-listener.js";
import { type MinBlock, minBlockOf, namesBlock } from "../min-block.js";
import { reportAnswers } from "../observer.js";
import { type HttpRequest, PlainRequest } from "../plain-request.js";
import { behind, type CallGate } from "../rate-limiter.js";
import { collectBody, LARGE_BODY } from "../request-body.js";
import { headRefusal, lengthOf, pathOf, traceOf } from "../request-head.js";
import { RPC_TYPE, rpcAnswersOf } from "./answers.js";
import { type Caller, Dispatcher } from "./dispatcher.js";
import { JsonTextError } from "./json-reader.js";
import { PendingAnswer } from "./long-result.js";
import { type AnswerText, JsonParts, type RpcContext } from "./method.js";
import { methodsByName } from "./method-table.js";
import { SocketServer } from "./subscriptions/socket-server.js";

/** The text of a request body: UTF-8, UTF-16 or UTF-32, detected from the first bytes (protocol/json-rpc §1). */
type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "utf-32le" | "utf-32be";

/** Reused, since each call decodes a whole text. */
const decoders = {
	"utf-8": new TextDecoder("utf-8", { fatal: true }),
	"utf-16le": new TextDecoder("utf-16le", { fatal: true }),
	"utf-16be": new TextDecoder("utf-16be", { fatal: true }),
};

/** @throws {JsonTextError} if the bytes are not text */
export function decodeBodyText(body: Uint8Array): string {
	const encoding = encodingOf(body);
	if (encoding === "utf-32le" || encoding === "utf-32be") return decodeUtf32(body, encoding);
	try {
		return decoders[encoding].decode(body);
	} catch (error) {
		throw new JsonTextError(`the body is not ${encoding} text`, { cause: error });
	}
}

/** By the byte order mark, or by where the first character has zero bytes, since JSON starts with ASCII. */
function encodingOf(body: Uint8Array): Encoding {
	const [a = 1, b = 1, c = 1, d = 1] = body;
	if (a === 0 && b === 0 && (c === 0 || (c === 0xfe && d === 0xff))) return "utf-32be";
	if (c === 0 && d === 0 && (b === 0 || (a === 0xff && b === 0xfe))) return "utf-32le";
	if ((a === 0xfe && b === 0xff) || a === 0) return "utf-16be";
	if ((a === 0xff && b === 0xfe) || b === 0) return "utf-16le";
	return "utf-8";
}

function decodeUtf32(body: Uint8Array, encoding: "utf-32le" | "utf-32be"): string {
	const bytes = asBuffer(body);
	let text = "";
	for (let at = 0; at + 4 <= bytes.length; at += 4) {
		const code = encoding === "utf-32le" ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
		if (code > 0x10ffff) throw new JsonTextError(`the body is not ${encoding} text`);
		if (at > 0 || code !== 0xfeff) text += String.fromCodePoint(code);
	}
	return text;
}

const PATH = "/jsonrpc";

/** Paths that accept WebSockets. */
export const SOCKET_PATHS: ReadonlySet<string> = new Set([PATH, "/"]);

/** Component names of the servers in the rate limiter. */
const COMPONENTS: Readonly<Record<ServerKind, string>> = {
	full: "JsonRpcServlet",
	solidity: "JsonRpcOnSolidityServlet",
	pbft: "JsonRpcOnPBFTServlet",
};

/** The rate limiter's name for calls to a server. */
export const componentOf = (kind: ServerKind): string => COMPONENTS[kind];

/** Registers an observer of the chain; the returned function removes it. */
export type Observe = (observer: ChainObserver) => () => void;

/** Answers a request's text, including the trailing newline where there is one; an empty text is an empty answer. */
export type TextAnswerer = (
	text: string,
	caller: Caller,
	headers: HttpRequest["headers"],
) => AnswerText | Promise<AnswerText>;

export class JsonRpcServer {
	private readonly listener: HttpListener;
	private readonly answerer: TextAnswerer;
	private readonly gate: CallGate;
	private readonly minBlock: MinBlock;
	private readonly node: ApiNode;
	private readonly sockets: SocketServer | undefined;

	/**
	 * @param context the node as the next call sees it
	 * @param observe registers an observer of the chain
	 * @param beside what answers in the place of the methods of every node, with them
	 */
	constructor(
		kind: ServerKind,
		context: (caller: Caller) => RpcContext,
		observe: Observe,
		beside?: (ordinary: Dispatcher) => TextAnswerer,
	) {
		const { node } = context({});
		this.node = node;
		const { http, jsonrpc, release } = node.config.node;
		const methods = methodsByName(release, jsonrpc);
		const dispatcher = new Dispatcher({ ...jsonrpc, release, methods, context });
		this.answerer = beside?.(dispatcher) ?? ((text, caller) => dispatcher.answerLine(text, caller));
		this.gate = node.limiter.http(componentOf(kind));
		this.minBlock = minBlockOf(node, kind);
		const allowed = new Set(http.cors);
		const sockets =
			kind === "full" && jsonrpc.maxWebSockets > 0
				? new SocketServer({
						context,
						observe,
						paths: SOCKET_PATHS,
						mayConnect: ({ origin }) => origin === undefined || allowed.has("*") || allowed.has(origin),
						answer: this.answerer,
						gate: this.gate,
					})
				: undefined;
		this.sockets = sockets;
		this.listener = new HttpListener({
			maxConnections: http.maxConnections,
			handle: withCors(http.cors, (request, answer) => this.route(request, answer)),
			answered: reportAnswers(node.observer, `jsonrpc ${kind}`, (request) =>
				pathOf(request) === PATH ? PATH : undefined,
			),
			upgrade: sockets && ((...asked) => sockets.upgrade(...asked)),
			report: (error, where) => node.report(error, `${where} of JSON-RPC`),
		});
	}

	/** @returns the bound port; rejects with the system's error */
	listen(port: number, host?: string): Promise<number> {
		return this.listener.listen(port, host);
	}

	/** Stops listening; requests in progress get a short grace period. */
	async close(): Promise<void> {
		this.minBlock.close();
		await Promise.all([this.listener.close(), this.sockets?.close()]);
	}

	private route(request: HttpRequest, answer: HttpAnswer): Promise<void> | void {
		const refused = headRefusal(request);
		if (refused !== undefined) return answer.page(refused);
		const { config } = this.node;
		if (answersOf(config.node).refusesLength(lengthOf(request), config.node.jsonrpc.maxBodySize)) {
			return answer.tooLarge();
		}
		const isOurs = pathOf(request) === PATH;
		switch (request.method) {
			case "POST":
				if (!isOurs) return answer.unsupported("POST");
				if (!namesBlock(request)) return this.call(request, answer);
				return this.minBlock.hold(request, answer, () => this.call(request, answer));
			case "GET":
			case "HEAD":
				return isOurs ? answer.unsupported(request.method) : answer.page(404);
			case "OPTIONS":
				return answer.options(
					isOurs ? "POST, TRACE, OPTIONS" : "GET, HEAD, TRACE, OPTIONS",
					isOurs ? JSON_TYPE : undefined,
				);
			case "TRACE":
				return answer.send(200, "message/http", traceOf(request));
			case "PUT":
			case "DELETE":
				return answer.empty(405);
			default:
				return answer.empty(501);
		}
	}

	private call(request: HttpRequest, answer: HttpAnswer): Promise<void> | void {
		return behind(
			this.gate,
			request.socket,
			() => this.answerCall(request, answer),
			() => refuseForLoad(answer, this.node.config.node.dialect),
		);
	}

	private answerCall(request: HttpRequest, answer: HttpAnswer): Promise<void> | void {
		const { maxBodySize } = this.node.config.node.jsonrpc;
		// Later releases have already rejected it.
		if (lengthOf(request) > maxBodySize) return answer.tooLarge();
		if (request instanceof PlainRequest) return this.answerBody(request, answer, request.body);
		return this.answerLater(request, answer, maxBodySize);
	}

	/** Answers a request whose body is still arriving. */
	private async answerLater(request: HttpRequest, answer: HttpAnswer, maxBodySize: number): Promise<void> {
		const { node } = this;
		const share = node.limiter.bodies.open(budgetAddress(request.socket));
		try {
			const body = await collectBody(request, maxBodySize, share);
			if (body === "too long") return rpcAnswersOf(node.config.node).tooLong(answer);
			if (body === "no room") return answer.page(503);
			if (body.length > LARGE_BODY) await yieldToEventLoop();
			await this.answerBody(request, answer, body);
		} finally {
			share.release();
		}
	}

	private answerBody(
		{ socket, headers }: HttpRequest,
		answer: HttpAnswer,
		body: Uint8Array,
	): Promise<void> | void {
		const pending = new PendingAnswer();
		const caller = { isAbandoned: () => socket.destroyed, client: budgetAddress(socket), pending };
		const text = this.answerer(textOf(body), caller, headers);
		if (!(text instanceof Promise)) return send(answer, text);
		return text
			.then((later) => {
				const sent = send(answer, later);
				if (pending.holds) pending.leaveTo(this.node.limiter.unreadAnswers, answer, later.length);
				return sent;
			})
			.catch((error: unknown) => {
				pending.release();
				throw error;
			});
	}
}

function send(answer: HttpAnswer, text: AnswerText): Promise<void> | void {
	if (text instanceof JsonParts) return answer.sendParts(RPC_TYPE, [...text.parts], text.length);
	answer.send(200, RPC_TYPE, text);
}

/** The body's text; empty if the bytes aren't text, which isn't JSON either. */
function textOf(body: Uint8Array): string {
	try {
		return decodeBodyText(body);
	} catch (error) {
		if (error instanceof JsonTextError) return "";
		throw error;
	}
}
