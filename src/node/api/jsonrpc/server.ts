/** One JSON-RPC server (protocol/json-rpc §1): POST at one path; every call's outcome is an answer with status 200. */

import type { IncomingMessage } from "node:http";
import { exceptionText, NamedError } from "../../../protocol/json/exceptions.js";
import { isFrom } from "../../rules/release.js";
import type { ServerKind } from "../context.js";
import { withCors } from "../cors.js";
import { errorMessage } from "../endpoint.js";
import type { HttpAnswer } from "../http-answer.js";
import { JSON_TYPE } from "../http-answer.js";
import { HttpListener } from "../http-listener.js";
import { reportAnswers } from "../observer.js";
import { type CallGate, OUT_OF_RESOURCES } from "../rate-limiter.js";
import { collectBody, LARGE_BODY } from "../request-body.js";
import { headRefusal, pathOf, traceOf } from "../request-head.js";
import { ownTurn } from "../turns.js";
import { decodeBodyText } from "./body-text.js";
import { type Caller, Dispatcher } from "./dispatcher.js";
import { JsonTextError } from "./json-reader.js";
import type { RpcContext } from "./method.js";
import { methodsByName } from "./method-table.js";

const PATH = "/jsonrpc";
const RPC_TYPE = "application/json-rpc";

/** Names under which the rate limiter knows the servers. */
const COMPONENTS: Readonly<Record<ServerKind, string>> = {
	full: "JsonRpcServlet",
	solidity: "JsonRpcOnSolidityServlet",
	pbft: "JsonRpcOnPBFTServlet",
};

/** Answers the text of a request, with the line end if one belongs there; an empty text is an empty answer. */
export type TextAnswerer = (
	text: string,
	caller: Caller,
	headers: IncomingMessage["headers"],
) => Promise<string>;

export class JsonRpcServer {
	private readonly listener: HttpListener;
	private readonly answerer: TextAnswerer;
	private readonly gate: CallGate;

	/**
	 * @param context the node as the next call sees it
	 * @param beside what answers in the place of the methods of every node, with them
	 */
	constructor(
		kind: ServerKind,
		private readonly context: () => RpcContext,
		beside?: (ordinary: Dispatcher) => TextAnswerer,
	) {
		const { node } = context();
		const { http, jsonrpc, release } = node.config.node;
		const dispatcher = new Dispatcher({
			methods: methodsByName(release, jsonrpc.lenient, jsonrpc.debug),
			release,
			lenient: jsonrpc.lenient,
			context,
			maxBatchSize: jsonrpc.maxBatchSize,
			maxResponseSize: jsonrpc.maxResponseSize,
		});
		this.answerer = beside?.(dispatcher) ?? ((text, caller) => dispatcher.answerLine(text, caller));
		this.gate = node.limiter.http(COMPONENTS[kind]);
		this.listener = new HttpListener({
			maxConnections: http.maxConnections,
			handle: withCors(http.cors, (request, answer) => this.route(request, answer)),
			answered: reportAnswers(node.observer, `jsonrpc ${kind}`, (request) =>
				pathOf(request) === PATH ? PATH : undefined,
			),
			report: (error, where) => node.report(error, `${where} of JSON-RPC`),
		});
	}

	/** @returns the bound port. Rejects with the system's error. */
	listen(port: number, host?: string): Promise<number> {
		return this.listener.listen(port, host);
	}

	/** Stops listening; requests under way get a moment to finish. */
	close(): Promise<void> {
		return this.listener.close();
	}

	private async route(request: IncomingMessage, answer: HttpAnswer): Promise<void> {
		const refused = headRefusal(request);
		if (refused !== undefined) return answer.page(refused);
		const isOurs = pathOf(request) === PATH;
		switch (request.method) {
			case "POST":
				return isOurs ? this.call(request, answer) : answer.unsupported("POST");
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

	private async call(request: IncomingMessage, answer: HttpAnswer): Promise<void> {
		const client = request.socket.remoteAddress ?? "";
		const { node } = this.context();
		const admitted = this.gate.enter(client);
		if (admitted !== true && !(await admitted)) {
			const error = new NamedError("IllegalAccessException", OUT_OF_RESOURCES);
			const { dialect } = this.context().style;
			return answer.send(200, JSON_TYPE, `${errorMessage(exceptionText(error, dialect))}\n`);
		}
		const share = node.limiter.bodies.open(client);
		try {
			const { release, jsonrpc } = node.config.node;
			const { maxBodySize } = jsonrpc;
			if (Number(request.headers["content-length"] ?? 0) > maxBodySize) return answer.tooLarge();
			const body = await collectBody(request, maxBodySize, share);
			if (body === "too long")
				return isFrom(release, "4.8.2") ? answer.send(200, RPC_TYPE, "") : answer.page(413);
			if (body === "no room") return answer.page(503);
			if (body.length > LARGE_BODY) await ownTurn();
			const caller = { isAbandoned: () => request.socket.destroyed, client };
			const text = await this.answerer(textOf(body), caller, request.headers);
			answer.send(200, RPC_TYPE, text);
		} finally {
			share.release();
			this.gate.leave();
		}
	}
}

/** The body's text; empty for bytes that are not text, which is not JSON either. */
function textOf(body: Uint8Array): string {
	try {
		return decodeBodyText(body);
	} catch (error) {
		if (error instanceof JsonTextError) return "";
		throw error;
	}
}
