/** Asking the node behind the page. */

import { isJson, type Json, readJson, textOf } from "./answer.js";
import type { ReadEndpoint } from "./node-paths.js";

/** The node said no, or nothing. */
export class NodeError extends Error {
	override readonly name = "NodeError";

	constructor(
		message: string,
		/** Of HTTP; 0: no answer. */
		readonly status: number,
	) {
		super(message);
	}
}

/** What the page needs of `fetch`. */
export type Fetch = (
	path: string,
	options: { method: "GET" | "POST"; headers: Record<string, string>; body?: string; signal: AbortSignal },
) => Promise<{ readonly status: number; text(): Promise<string> }>;

const PATIENCE_MS = 15_000;
/** Longer answers aren't looked at. */
const LONGEST = 64 << 20;

export class NodeClient {
	private requests = 0;

	constructor(
		private readonly fetch: Fetch,
		private readonly patienceMs = PATIENCE_MS,
	) {}

	/** An endpoint below `/wallet/`; addresses come in Base58Check. @throws {NodeError} */
	async call(endpoint: ReadEndpoint, parameters: Json = {}): Promise<Json> {
		const body = JSON.stringify({ visible: true, ...parameters });
		const answer = await this.ask(`/wallet/${endpoint}`, "POST", body);
		if (!isJson(answer)) return Array.isArray(answer) ? { list: answer } : {};
		const error = textOf(answer, "Error");
		if (error !== "") throw new NodeError(error, 200);
		return answer;
	}

	/** A path of the history interface. @throws {NodeError} 404: the node has no index */
	async history(path: string): Promise<Json> {
		const answer = await this.ask(`/v1/${path}`, "GET");
		return isJson(answer) ? answer : {};
	}

	/** A method of JSON-RPC. @throws {NodeError} 404 or 405: not on this port */
	async rpc(method: string, params: readonly unknown[] = []): Promise<unknown> {
		this.requests++;
		const body = JSON.stringify({ jsonrpc: "2.0", id: this.requests, method, params });
		const answer = await this.ask("/jsonrpc", "POST", body);
		if (!isJson(answer)) throw new NodeError("the answer is not one of JSON-RPC", 200);
		const { error } = answer;
		if (isJson(error)) throw new NodeError(textOf(error, "message"), 200);
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

function errorOf(answer: unknown): string | undefined {
	if (!isJson(answer)) return undefined;
	return textOf(answer, "error") || textOf(answer, "Error") || undefined;
}
