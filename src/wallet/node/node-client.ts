/**
 * Client of a node's HTTP API: one request, one response, and a failure for anything else
 * (protocol/http §§1, 4). Requests are spelled in the profile's dialect; responses are read in either.
 */

import { toHex } from "../../protocol/bytes.js";
import { spell } from "../../protocol/dialect.js";
import { MAX_TIMER_MS } from "../../protocol/timing.js";
import { headersFor, type Settings } from "../configuration/settings.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord, readJson, writeWireJson } from "../json.js";
import { AnswerTooLong, type RawAnswer, sendRequest } from "./http-request.js";
import { LITE_NODE, refusalByNode } from "./node-messages.js";

/** Which of the node's APIs to use: `full` shows the head of the chain, `solidity` only its irreversible part. */
export type NodeView = "full" | "solidity";

/** A request, without the headers that are common to all. */
export interface NodeRequest {
	readonly method: "GET" | "POST";
	readonly url: string;
	readonly body?: string;
	readonly headers?: Readonly<Record<string, string>>;
	/** Limit in bytes of the response, if the default doesn't fit. */
	readonly maxBytes?: number;
	/** Read-only, so it may be retried. */
	readonly isReading?: boolean;
}

const PATHS: Readonly<Record<NodeView, string>> = { full: "/wallet/", solidity: "/walletsolidity/" };

/** The block after which the state is queried. */
export interface StateBlock {
	readonly number: bigint;
	/** 32 bytes. */
	readonly id: Uint8Array;
}

/** Endpoints whose own parameter is a block, so that `stateBlock` doesn't apply. */
const QUESTIONS_OF_BLOCKS: ReadonlySet<string> = new Set(["getblockbynum", "getblockbyid"]);

/** A node's HTTP API, with the settings of one command. */
export class NodeClient {
	/** @param stateBlock queries are about the state after this block (protocol/http §5.4); if absent, about the current state */
	constructor(
		readonly settings: Settings,
		readonly stateBlock?: StateBlock,
	) {}

	/** Base URL of an API. @throws {Failure} `usage` naming the missing configuration key */
	baseUrl(view: NodeView): string {
		const { http, solidity, profile } = this.settings;
		const url = view === "full" ? http : solidity;
		if (url === undefined) {
			const key = view === "full" ? "http" : "solidity";
			throw new Failure("usage", `the profile "${profile}" has no ${key} address`, {
				hint: `name a node with --node, or set profiles.${profile}.${key} in the configuration`,
			});
		}
		return url;
	}

	/** URL of an endpoint, in the profile's spelling. */
	endpointUrl(endpoint: string, view: NodeView): string {
		return this.baseUrl(view) + PATHS[view] + spell(endpoint, this.settings.dialect);
	}

	/**
	 * Calls an endpoint and reads its response.
	 * @param request members by their neutral wire names, bytes as hexadecimal text
	 * @throws {Failure} for a transport error, an error response, or a response that is not a JSON object
	 */
	async call(endpoint: string, request: object, view: NodeView = "full"): Promise<JsonRecord> {
		const { stateBlock } = this;
		if (stateBlock && endpoint === "getnowblock")
			return this.call("getblockbynum", { num: stateBlock.number }, view);
		const url = this.endpointUrl(endpoint, view);
		const answer = await this.ask(endpoint, url, request);
		return readRecordAnswer(answer, url);
	}

	/** @throws {Failure} `not_served` if the node ignores the requested block */
	private async ask(endpoint: string, url: string, request: object): Promise<RawAnswer> {
		const { stateBlock } = this;
		const isOfState = stateBlock && !QUESTIONS_OF_BLOCKS.has(endpoint);
		const body = writeWireJson(isOfState ? { ...request, block: toHex(stateBlock.id) } : request);
		const isReading = /^(get|list|estimate|triggerconstant)/.test(endpoint);
		const answer = await this.send({ method: "POST", url, body, isReading });
		if (isOfState && answer.headers["state-block"] === undefined) {
			// If the response is an error, that says more than that the state is missing.
			readAnyAnswer(answer, url);
			throw new Failure("not_served", `${new URL(url).host} keeps no state of past blocks`, {
				hint: "a node does with node.history.state in its configuration",
			});
		}
		return answer;
	}

	/** {@link call} for endpoints that return a list of objects. */
	async callList(endpoint: string, request: object, view: NodeView = "full"): Promise<readonly JsonRecord[]> {
		const url = this.endpointUrl(endpoint, view);
		const value = readAnyAnswer(await this.ask(endpoint, url, request), url);
		return Array.isArray(value) ? value.filter(isRecord) : [];
	}

	/** Sends one request. @throws {Failure} `network`, `timeout` */
	async send(request: NodeRequest): Promise<RawAnswer> {
		const { timeoutMs } = this.settings;
		const own = headersFor(this.settings, request.url);
		const usual = request.body === undefined ? {} : { "content-type": "application/json" };
		try {
			return await sendRequest(
				{ ...request, headers: { ...usual, accept: "application/json", ...own, ...request.headers } },
				AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMER_MS)),
			);
		} catch (error) {
			throw transportFailure(error, request.url, timeoutMs);
		}
	}
}

function transportFailure(error: unknown, url: string, timeoutMs: number): Failure {
	const { host } = new URL(url);
	if (error instanceof AnswerTooLong) {
		return new Failure("rpc_error", `${host} goes on and on: ${error.message}`);
	}
	const { name, code, message } = error as { name?: string; code?: string; message?: string };
	if (name === "TimeoutError" || name === "AbortError" || /TIMEOUT/.test(code ?? "")) {
		return new Failure("timeout", `no answer from ${host} within ${timeoutMs} ms`, {
			hint: "--timeout allows more",
		});
	}
	const reasons: Readonly<Record<string, string>> = {
		ECONNREFUSED: "the connection was refused",
		ECONNRESET: "the connection broke",
		UND_ERR_SOCKET: "the connection broke",
		ENOTFOUND: "there is no such host",
		EAI_AGAIN: "the host's name can't be looked up now",
		EHOSTUNREACH: "the host can't be reached",
		ENETUNREACH: "the network can't be reached",
	};
	const reason = reasons[code ?? ""] ?? message ?? String(error);
	return new Failure("network", `no node answers at ${host}: ${reason}`, {
		hint: "is the node running? --node or --profile choose another one",
		details: code === undefined ? {} : { cause: code },
	});
}

/** Reads a response that must be a JSON object. @throws {Failure} */
export function readRecordAnswer(answer: RawAnswer, url: string): JsonRecord {
	const value = readAnyAnswer(answer, url);
	if (!isRecord(value)) {
		const { pathname, host } = new URL(url);
		throw new Failure("rpc_error", `${host} answered ${pathname} with something else than a JSON object`);
	}
	return value;
}

/** Reads a response that may be any JSON value except an error. @throws {Failure} */
function readAnyAnswer(answer: RawAnswer, url: string): Json {
	const text = Buffer.from(answer.body).toString("utf8").trim();
	const { pathname, host } = new URL(url);
	if (answer.status === 404 || answer.status === 405 || answer.status === 501 || text === LITE_NODE) {
		const why = text === LITE_NODE ? "it is a lite node without history" : `status ${answer.status}`;
		throw new Failure("not_served", `${host} doesn't serve ${pathname} (${why})`);
	}
	if (answer.status === 429) throw new Failure("rate_limited", `${host} limits the rate of requests`);
	if (answer.status === 503) throw new Failure("node_busy", `${host} is busy (status 503)`);
	if (answer.status >= 400) {
		throw new Failure("rpc_error", `${host} answered ${pathname} with status ${answer.status}`, {
			node: { code: String(answer.status), message: text.slice(0, 500) },
		});
	}
	let value: Json;
	try {
		value = readJson(text);
	} catch {
		const shown = text === "" ? "an empty body" : `no JSON: ${text.slice(0, 80)}`;
		throw new Failure("rpc_error", `${host} answered ${pathname} with ${shown}`);
	}
	if (isRecord(value)) {
		const { Error: error, error: lowerCase } = value;
		const refusal = error ?? lowerCase;
		if (typeof refusal === "string") throw refusalByNode(refusal);
	}
	return value;
}
