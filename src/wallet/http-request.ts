/**
 * One HTTP request with the runtime's own client, which costs a command no time to load; through a proxy, where the
 * environment names one, with the client that knows proxies.
 */

import type { IncomingHttpHeaders, IncomingMessage, RequestOptions } from "node:http";

/** An HTTP answer as it came. */
export interface RawAnswer {
	readonly status: number;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	readonly body: Uint8Array;
}

export interface RawRequest {
	readonly method: "GET" | "POST";
	readonly url: string;
	readonly body?: string | undefined;
	readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends a request and reads the whole answer.
 * @throws the runtime's error of a broken connection; an `AbortError` or `TimeoutError` when the signal ends it
 */
export async function sendRequest(request: RawRequest, signal: AbortSignal): Promise<RawAnswer> {
	const { HTTP_PROXY, HTTPS_PROXY, http_proxy, https_proxy } = process.env;
	return HTTP_PROXY || HTTPS_PROXY || http_proxy || https_proxy
		? sendThroughProxy(request, signal)
		: sendDirectly(request, signal);
}

async function sendDirectly(
	{ url, method, headers, body }: RawRequest,
	signal: AbortSignal,
): Promise<RawAnswer> {
	const target = new URL(url);
	const { request } = target.protocol === "https:" ? await import("node:https") : await import("node:http");
	const bytes = body === undefined ? undefined : Buffer.from(body, "utf8");
	const options: RequestOptions = {
		method,
		headers: bytes ? { ...headers, "content-length": bytes.length } : headers,
		signal,
	};
	return new Promise((resolve, reject) => {
		const outgoing = request(target, options, (answer) => {
			readBody(answer).then(
				(read) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: read }),
				reject,
			);
		});
		outgoing.once("error", reject);
		outgoing.end(bytes);
	});
}

async function readBody(answer: IncomingMessage): Promise<Uint8Array> {
	const chunks: Buffer[] = [];
	for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
	return Buffer.concat(chunks);
}

async function sendThroughProxy(
	{ url, method, headers, body }: RawRequest,
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
		body: new Uint8Array(await answer.body.arrayBuffer()),
	};
}
