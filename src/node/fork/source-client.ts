/** Calls another node's JSON-RPC, whose answers are not trusted. */

import { RequestError, type Requests } from "./requests.js";
import { ForkReadError } from "./state-source.js";

/** Part of an answer, to be validated before use. */
export type Unknown = Readonly<Record<string, unknown>>;

export const isAnswerObject = (value: unknown): value is Unknown =>
	typeof value === "object" && value !== null && !Array.isArray(value);

/** The source refused a call; the message is its own. */
export class SourceRefusedError extends ForkReadError {
	constructor(
		message: string,
		readonly code: number,
	) {
		super(message);
	}
}

/** Longer refusals are truncated: they go into logs and responses. */
const MAX_REFUSAL = 300;

/** An address without potential secrets: path, user, query. @throws {TypeError} */
export const originOf = (url: string): string => new URL(url).origin;

export class SourceClient {
	readonly name: string;

	/** @param url of the JSON-RPC endpoint */
	constructor(
		private readonly requests: Requests,
		readonly url: string,
	) {
		this.name = originOf(url);
	}

	/** Sleeps until the answer arrives. @throws {ForkReadError} */
	now(method: string, ...params: readonly unknown[]): unknown {
		return this.caught(() => resultOf(this.name, this.requests.now(this.url, callOf(method, params))));
	}

	/** @throws {ForkReadError} */
	async later(method: string, ...params: readonly unknown[]): Promise<unknown> {
		let text: string;
		try {
			text = await this.requests.later(this.url, callOf(method, params));
		} catch (error) {
			throw this.named(error);
		}
		return resultOf(this.name, text);
	}

	private caught<T>(work: () => T): T {
		try {
			return work();
		} catch (error) {
			throw this.named(error);
		}
	}

	private named(error: unknown): unknown {
		return error instanceof RequestError
			? new ForkReadError(`the fork's source ${this.name} can't be read: ${error.message}`)
			: error;
	}
}

const callOf = (method: string, params: readonly unknown[]): string =>
	JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

/** The result of a call. @throws {ForkReadError} */
export function resultOf(name: string, text: string): unknown {
	let answer: unknown;
	try {
		answer = JSON.parse(text);
	} catch {
		throw new ForkReadError(`the fork's source ${name} doesn't answer in JSON`);
	}
	if (isAnswerObject(answer)) {
		const { error, result } = answer;
		if (isAnswerObject(error)) throw new SourceRefusedError(refusalOf(name, error), Number(error["code"]));
		if (result !== undefined) return result;
	}
	throw new ForkReadError(`the fork's source ${name} doesn't answer as JSON-RPC does`);
}

function refusalOf(name: string, { message }: Unknown): string {
	const text = typeof message === "string" ? message.slice(0, MAX_REFUSAL) : "without a reason";
	return `the fork's source ${name} refuses: ${text}`;
}
