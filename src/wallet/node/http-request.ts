/**
 * Sends one HTTP request with the runtime's own client, which takes a command no time to load; if the environment names a proxy,
 * uses the client that supports proxies.
 */

import type { IncomingHttpHeaders, RequestOptions } from "node:http";

/** An HTTP response as received. */
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
	/** Limit in bytes of the response; {@link MAX_ANSWER} if absent. */
	readonly maxBytes?: number | undefined;
	/** Read-only, so it may be retried. */
	readonly isReading?: boolean | undefined;
}

/** Default limit in bytes of a response: far more than any response except a hundred full blocks. */
const MAX_ANSWER = 64 << 20;

/** Thrown if a response exceeds its limit. */
export class AnswerTooLong extends Error {
	override readonly name = "AnswerTooLong";

	constructor(limit: number) {
		super(`its answer is longer than ${Math.floor(limit / (1 << 20))} MiB, nothing of it was used`);
	}
}

/**
 * Sends a request and reads the whole response.
 * @throws {AnswerTooLong}
 * @throws the runtime's error for a broken connection; an `AbortError` or `TimeoutError` if the signal aborts it
 */
export async function sendRequest(request: RawRequest, signal: AbortSignal): Promise<RawAnswer> {
	const { HTTP_PROXY, HTTPS_PROXY, http_proxy, https_proxy } = process.env;
	return HTTP_PROXY || HTTPS_PROXY || http_proxy || https_proxy
		? sendThroughProxy(request, signal)
		: sendDirectly(request, signal);
}

/** @param isRepeat a retry, on a new connection */
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

/** Reads a body; throwing inside the loop closes the connection. */
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
	// Inside the bundle, a CommonJS package has only a default export.
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
