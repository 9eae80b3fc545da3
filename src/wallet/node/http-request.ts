/**
 * One HTTP request with the runtime's own client, which costs a command no time to load; through a proxy, where the
 * environment names one, with the client that knows proxies.
 */

import type { IncomingHttpHeaders, RequestOptions } from "node:http";

/** An HTTP answer as it came. */
export interface RawAnswer {
	readonly status: number;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	readonly body: Uint8Array;
}

interface RawRequest {
	readonly method: "GET" | "POST";
	readonly url: string;
	readonly body?: string | undefined;
	readonly headers: Readonly<Record<string, string>>;
	/** Bytes of the answer; absent: {@link MAX_ANSWER}. */
	readonly maxBytes?: number | undefined;
	/** It changes nothing, and may be asked a second time. */
	readonly isReading?: boolean | undefined;
}

/** Answers may be so long, in bytes: far more than any but a hundred full blocks are. */
const MAX_ANSWER = 64 << 20;

/** An answer is longer than asked for. */
export class AnswerTooLong extends Error {
	override readonly name = "AnswerTooLong";

	constructor(limit: number) {
		super(`its answer is longer than ${Math.floor(limit / (1 << 20))} MiB, nothing of it was used`);
	}
}

/**
 * Sends a request and reads the whole answer.
 * @throws {AnswerTooLong}
 * @throws the runtime's error of a broken connection; an `AbortError` or `TimeoutError` when the signal ends it
 */
export async function sendRequest(request: RawRequest, signal: AbortSignal): Promise<RawAnswer> {
	const { HTTP_PROXY, HTTPS_PROXY, http_proxy, https_proxy } = process.env;
	return HTTP_PROXY || HTTPS_PROXY || http_proxy || https_proxy
		? sendThroughProxy(request, signal)
		: sendDirectly(request, signal);
}

/** @param isRepeat on a connection of its own */
async function sendDirectly(asked: RawRequest, signal: AbortSignal, isRepeat = false): Promise<RawAnswer> {
	const { url, method, headers, body, maxBytes = MAX_ANSWER, isReading } = asked;
	const target = new URL(url);
	const { request } = target.protocol === "https:" ? await import("node:https") : await import("node:http");
	const bytes = body === undefined ? undefined : Buffer.from(body, "utf8");
	const options: RequestOptions = {
		method,
		headers: bytes ? { ...headers, "content-length": bytes.length } : headers,
		signal,
		...(isRepeat ? { agent: false } : {}),
	};
	return new Promise((resolve, reject) => {
		const outgoing = request(target, options, (answer) => {
			readBody(answer, maxBytes).then(
				(read) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: read }),
				reject,
			);
		});
		outgoing.once("error", (error: NodeJS.ErrnoException) => {
			// While a compiler blocks the program, servers close what it has kept open.
			const isStale = outgoing.reusedSocket && /^(ECONNRESET|EPIPE)$/.test(error.code ?? "");
			if (isStale && isReading && !isRepeat) resolve(sendDirectly(asked, signal, true));
			else reject(error);
		});
		outgoing.end(bytes);
	});
}

/** Leaving the loop closes the connection. */
async function readBody(answer: AsyncIterable<Buffer>, maxBytes: number): Promise<Uint8Array> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of answer) {
		size += chunk.length;
		if (size > maxBytes) throw new AnswerTooLong(maxBytes);
		chunks.push(chunk);
	}
	return Buffer.concat(chunks, size);
}

async function sendThroughProxy(
	{ url, method, headers, body, maxBytes = MAX_ANSWER }: RawRequest,
	signal: AbortSignal,
): Promise<RawAnswer> {
	// A CommonJS package has only its default inside the bundle.
	const { default: undici } = await import("undici");
	const answer = await undici.request(url, {
		method,
		headers,
		...(body === undefined ? {} : { body }),
		dispatcher: new undici.EnvHttpProxyAgent(),
		signal,
	});
	const answered: IncomingHttpHeaders = answer.headers;
	return {
		status: answer.statusCode,
		headers: answered,
		body: await readBody(answer.body, maxBytes),
	};
}
