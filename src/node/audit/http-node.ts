/**
 * Client for an audited node's public HTTP API: rate-limited, with backoff when the node is busy. Answers are
 * untrusted: bytes, time, digits and retries are bounded.
 */

import { type ExactJson, type ExactRecord, parseExactJson } from "../../protocol/json/exact-json.js";
import { isModestJson } from "../../protocol/json/modest-json.js";
import { MAX_TIMER_MS } from "../../protocol/timing.js";

/** The node is unreachable or doesn't answer: the audit can't continue now. */
export class UnansweredError extends Error {
	override readonly name: string = "UnansweredError";
}

/** The node answers but doesn't serve this: the method is missing or refused. */
export class NotServedError extends UnansweredError {
	override readonly name = "NotServedError";
}

export type NodeAnswer = ExactJson;

export const isObject = (value: NodeAnswer | undefined): value is ExactRecord =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** The server to ask: `full` for the head with pending transactions, `solidity` for the solidified state. */
export type AuditView = "full" | "solidity";

/** A node's API addresses. */
export interface NodeAddresses {
	/** Base URLs without a trailing slash. */
	readonly full: string;
	/** Absent: the same as `full`. */
	readonly solidity?: string | undefined;
	/** Absent: JSON-RPC is not used. */
	readonly jsonrpc?: string | undefined;
	/** For gateways; never printed. */
	readonly headers?: Readonly<Record<string, string>>;
}

/** Limits of requests to a node. */
interface AskLimits {
	/** Maximum requests a second. */
	readonly rate: number;
	/** Timeout of a request, in milliseconds. */
	readonly timeoutMs: number;
	/** Monotonic milliseconds. */
	readonly now: () => number;
	readonly sleep: (ms: number) => Promise<void>;
	/** Aborts everything that waits. */
	readonly signal: AbortSignal;
	/** Called when a request is retried the second time. */
	readonly onBusy?: (reason: string) => void;
}

/** The block after which state is read. */
export interface AskedState {
	readonly number: bigint;
	/** 64 hex digits. */
	readonly id: string;
}

/** Maximum answer bytes: a full block is 2 MB, in JSON twice as hex text and once as members. */
const MAX_ANSWER_BYTES: ReadonlyMap<string, number> = new Map([
	["getblock", 16 << 20],
	["getblockbynum", 16 << 20],
	["getnowblock", 16 << 20],
	["gettransactioninfobyblocknum", 32 << 20],
	["getaccount", 4 << 20],
	["getcontractinfo", 4 << 20],
	["listwitnesses", 4 << 20],
	["debug_traceTransaction", 8 << 20],
	["eth_getStorageAt", 4 << 10],
]);
const MAX_OTHER_BYTES = 64 << 10;
/** Far more digits than any number of the network has. */
const MAX_NUMBER_DIGITS = 100;
const MAX_TRIES = 8;
/** Retries before a busy node is reported: a single refusal is normal. */
const TELLING_TRIES = 2;
/** Maximum nesting of an answer. */
export const MAX_ANSWER_DEPTH = 40;
const ANSWER_LIMITS = { values: 1_000_000, depth: MAX_ANSWER_DEPTH };
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const MAX_REASON_LENGTH = 300;

const NOT_SERVED: ReadonlySet<number> = new Set([400, 404, 405, 500, 501]);

export class HttpNode {
	/** Its address without anything that may be secret. */
	readonly name: string;
	private nextMs = Number.NEGATIVE_INFINITY;
	/** How often it was busy or didn't answer. */
	busy = 0;

	constructor(
		private readonly addresses: NodeAddresses,
		private readonly limits: AskLimits,
	) {
		this.name = new URL(addresses.full).origin;
	}

	/** Whether JSON-RPC is available. */
	get hasJsonRpc(): boolean {
		return this.addresses.jsonrpc !== undefined;
	}

	/**
	 * Calls an endpoint.
	 * @param state the block after which state is read; refused if the node ignores it
	 * @throws {UnansweredError | NotServedError}
	 */
	async call(
		endpoint: string,
		request: Readonly<Record<string, string | number | boolean>>,
		view: AuditView,
		state?: AskedState,
	): Promise<NodeAnswer> {
		const { full, solidity = full } = this.addresses;
		const url = view === "full" ? `${full}/wallet/${endpoint}` : `${solidity}/walletsolidity/${endpoint}`;
		// Some endpoints read query parameters, others bodies.
		const { value, headers } = await (state
			? this.ask(endpoint, `${url}?block=${state.id}`, { ...request, block: state.id })
			: this.ask(endpoint, url, request));
		if (state && !headers.has("state-block"))
			throw new NotServedError(`${this.name} keeps no state of past blocks`);
		if (isObject(value)) {
			const error = value["Error"] ?? value["error"];
			if (typeof error === "string")
				throw new NotServedError(`${this.name} refuses ${endpoint}: ${error.slice(0, MAX_REASON_LENGTH)}`);
		}
		return value;
	}

	/** Calls a JSON-RPC method. @throws {UnansweredError | NotServedError} */
	async rpc(method: string, params: readonly unknown[]): Promise<NodeAnswer> {
		const { jsonrpc } = this.addresses;
		if (jsonrpc === undefined) throw new NotServedError(`${this.name} is not asked over JSON-RPC`);
		const { value } = await this.ask(method, jsonrpc, { jsonrpc: "2.0", id: 1, method, params });
		const result = isObject(value) && !isObject(value["error"]) ? value["result"] : undefined;
		if (result === undefined) throw new NotServedError(`${this.name} refuses ${method}`);
		return result;
	}

	private async ask(
		what: string,
		url: string,
		body: object,
	): Promise<{ readonly value: NodeAnswer; readonly headers: Headers }> {
		let pauseMs = FIRST_PAUSE_MS;
		for (let tries = 1; ; tries++) {
			await this.turn();
			const answer = await this.send(url, body, MAX_ANSWER_BYTES.get(what) ?? MAX_OTHER_BYTES);
			if ("value" in answer) return answer;
			this.busy++;
			if (tries >= MAX_TRIES) throw new UnansweredError(`${this.name} doesn't answer: ${answer.busy}`);
			if (tries === TELLING_TRIES) this.limits.onBusy?.(`${this.name} doesn't answer: ${answer.busy}`);
			await this.limits.sleep(Math.min(Math.max(pauseMs, answer.afterMs), LONGEST_PAUSE_MS));
			this.limits.signal.throwIfAborted();
			pauseMs *= 2;
		}
	}

	/** Waits until the rate limit allows a request. */
	private async turn(): Promise<void> {
		const { now, sleep, rate, signal } = this.limits;
		signal.throwIfAborted();
		const at = Math.max(now(), this.nextMs);
		this.nextMs = at + 1000 / rate;
		if (at > now()) await sleep(at - now());
		signal.throwIfAborted();
	}

	private async send(
		url: string,
		body: object,
		maxBytes: number,
	): Promise<
		| { readonly value: NodeAnswer; readonly headers: Headers }
		| { readonly busy: string; readonly afterMs: number }
	> {
		const { signal, timeoutMs } = this.limits;
		let status: number;
		let text: string;
		let headers: Headers;
		try {
			const answer = await fetch(url, {
				method: "POST",
				redirect: "manual",
				headers: {
					...this.addresses.headers,
					"content-type": "application/json",
					accept: "application/json",
				},
				body: JSON.stringify(body),
				signal: AbortSignal.any([signal, AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMER_MS))]),
			});
			({ status, headers } = answer);
			text = await bodyOf(answer, this.name, maxBytes);
		} catch (error) {
			signal.throwIfAborted();
			if (error instanceof UnansweredError) throw error;
			return { busy: reasonOf(error), afterMs: 0 };
		}
		if (status === 429 || status === 502 || status === 503 || status === 504) {
			const seconds = Number(headers.get("retry-after"));
			return { busy: `status ${status}`, afterMs: Number.isFinite(seconds) ? seconds * 1000 : 0 };
		}
		if (NOT_SERVED.has(status)) throw new NotServedError(`${this.name} answers with status ${status}`);
		if (status !== 200) throw new UnansweredError(`${this.name} answers with status ${status}`);
		if (!isModestJson(text, ANSWER_LIMITS))
			throw new UnansweredError(`${this.name} answers with too many parts`);
		try {
			return { value: parseExactJson(text.trim() === "" ? "{}" : text, MAX_NUMBER_DIGITS), headers };
		} catch {
			throw new UnansweredError(`${this.name} answers with something else than JSON`);
		}
	}
}

/** @throws {UnansweredError} */
async function bodyOf({ body }: Response, name: string, maxBytes: number): Promise<string> {
	const parts: Uint8Array[] = [];
	let length = 0;
	for await (const part of body ?? []) {
		length += part.length;
		if (length > maxBytes) throw new UnansweredError(`${name} answers with more than ${maxBytes} bytes`);
		parts.push(part);
	}
	return Buffer.concat(parts).toString("utf8");
}

function reasonOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const { cause } = error;
	return (cause instanceof Error ? cause.message : error.message).slice(0, MAX_REASON_LENGTH);
}
