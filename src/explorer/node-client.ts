/** Client for the node behind the page. */

import { isJson, type Json, readJson, textOf } from "./answer.js";
import type { ChangeEndpoint, ReadEndpoint } from "./node-paths.js";

/** The node refused, or didn't answer. */
export class NodeError extends Error {
	override readonly name: string = "NodeError";

	constructor(
		message: string,
		/** HTTP status; 0: no answer. */
		readonly status: number,
	) {
		super(message);
	}
}

/** The node serves no JSON-RPC method of this name. */
class MethodNotFoundError extends NodeError {
	override readonly name = "MethodNotFoundError";
}

/** JSON-RPC's "method not found". */
const UNKNOWN_METHOD = -32601;

/** The failure for a JSON-RPC error. */
export function failureOf(error: Json): NodeError {
	const isUnknown = Number(error["code"]) === UNKNOWN_METHOD;
	return new (isUnknown ? MethodNotFoundError : NodeError)(textOf(error, "message"), 200);
}

/** The part of `fetch` in use. */
type Fetch = (
	path: string,
	options: { method: "GET" | "POST"; headers: Record<string, string>; body?: string; signal: AbortSignal },
) => Promise<{ readonly status: number; text(): Promise<string> }>;

const PATIENCE_MS = 15_000;
/** Longer answers are rejected. */
const LONGEST = 64 << 20;

/** Calls JSON-RPC over another transport than HTTP requests. */
type Carrier = (method: string, params: readonly unknown[]) => Promise<unknown>;

export class NodeClient {
	private requests = 0;
	private carrier: Carrier | undefined;
	/** Whether this port refused JSON-RPC requests. */
	private isElsewhere = false;

	constructor(
		private readonly fetch: Fetch,
		private readonly patienceMs = PATIENCE_MS,
	) {}

	/** Calls an endpoint below `/wallet/`; addresses are in Base58Check. @throws {NodeError} */
	call(endpoint: ReadEndpoint, parameters: Json = {}): Promise<Json> {
		return this.post(endpoint, { visible: true, ...parameters });
	}

	/**
	 * Calls an endpoint below `/wallet/` that builds or broadcasts a transaction; keeps addresses as given.
	 * @throws {NodeError}
	 */
	change(endpoint: ChangeEndpoint, parameters: Json): Promise<Json> {
		return this.post(endpoint, parameters);
	}

	private async post(endpoint: string, parameters: Json): Promise<Json> {
		const answer = await this.ask(`/wallet/${endpoint}`, "POST", JSON.stringify(parameters));
		if (!isJson(answer)) return Array.isArray(answer) ? { list: answer } : {};
		const error = textOf(answer, "Error");
		if (error !== "") throw new NodeError(error, 200);
		return answer;
	}

	/** Queries a path of the history interface. @throws {NodeError} 404: the node has no index */
	async history(path: string): Promise<Json> {
		const answer = await this.ask(`/v1/${path}`, "GET");
		return isJson(answer) ? answer : {};
	}

	/** Sets the fallback transport for JSON-RPC if requests are refused: the open WebSocket. */
	carryBy(carrier: Carrier): void {
		this.carrier = carrier;
	}

	/** Calls a JSON-RPC method. @throws {NodeError} 404 or 405: not on this port */
	async rpc(method: string, params: readonly unknown[] = []): Promise<unknown> {
		if (this.isElsewhere && this.carrier) return this.carried(this.carrier, method, params);
		try {
			return await this.rpcByRequest(method, params);
		} catch (error) {
			if (!isElsewhere(error) || !this.carrier) throw error;
			this.isElsewhere = true;
			return this.carried(this.carrier, method, params);
		}
	}

	/** @throws {NodeError} 404 if there is no connection either */
	private async carried(carrier: Carrier, method: string, params: readonly unknown[]): Promise<unknown> {
		try {
			return await carrier(method, params);
		} catch (error) {
			if (!(error instanceof NodeError) || error.status !== 0) throw error;
			throw new NodeError(`JSON-RPC isn't on this port (${error.message})`, 404);
		}
	}

	private async rpcByRequest(method: string, params: readonly unknown[]): Promise<unknown> {
		this.requests++;
		const body = JSON.stringify({ jsonrpc: "2.0", id: this.requests, method, params });
		const answer = await this.ask("/jsonrpc", "POST", body);
		if (!isJson(answer)) throw new NodeError("the answer is not one of JSON-RPC", 200);
		const { error } = answer;
		if (isJson(error)) throw failureOf(error);
		return answer["result"];
	}

	private async ask(path: string, method: "GET" | "POST", body?: string): Promise<unknown> {
		const headers: Record<string, string> = body === undefined ? {} : { "Content-Type": "application/json" };
		const signal = AbortSignal.timeout(this.patienceMs);
		const options = { method, headers, signal, ...(body === undefined ? {} : { body }) };
		let text: string;
		let status: number;
		try {
			const response = await this.fetch(path, options);
			status = response.status;
			text = await response.text();
		} catch {
			throw new NodeError("the node doesn't answer", 0);
		}
		if (text.length > LONGEST) throw new NodeError("the answer is too long", status);
		let answer: unknown = {};
		try {
			if (text.trim() !== "") answer = readJson(text);
		} catch {
			throw new NodeError(`the node answered with status ${status}, which is not JSON`, status);
		}
		if (status >= 400) throw new NodeError(errorOf(answer) ?? `status ${status}`, status);
		return answer;
	}
}

/** Whether a server has no such path or JSON-RPC method: 404 or 405, or JSON-RPC's error. */
export function isMissing(error: unknown): boolean {
	return error instanceof MethodNotFoundError || isElsewhere(error);
}

/** Whether a port doesn't serve the path of a request. */
const isElsewhere = (error: unknown): boolean =>
	error instanceof NodeError && (error.status === 404 || error.status === 405);

function errorOf(answer: unknown): string | undefined {
	if (!isJson(answer)) return undefined;
	return textOf(answer, "error") || textOf(answer, "Error") || undefined;
}
