/**
 * Which web pages may read a node's answers: `node.http.cors`, empty by default. Answers never depend on
 * cookies, and browsers are never allowed to send any.
 */

import type { HttpAnswer } from "./http-answer.js";
import type { HttpRequest } from "./plain-request.js";

type Handle = (request: HttpRequest, answer: HttpAnswer) => Promise<void> | void;

/** How long a browser may cache a preflight response. */
const MAX_AGE_SECONDS = 600;

/**
 * Adds CORS headers for these origins and answers preflight requests.
 * @param origins as browsers write them; `*`: all. Without any, requests are handled as they come.
 */
export function withCors(origins: readonly string[], handle: Handle): Handle {
	if (origins.length === 0) return handle;
	const allowed = new Set(origins);
	return (request, answer) => {
		const { origin } = request.headers;
		if (!allowed.has("*")) answer.header("Vary", "Origin");
		if (origin === undefined || !(allowed.has("*") || allowed.has(origin))) return handle(request, answer);
		answer.header("Access-Control-Allow-Origin", allowed.has("*") ? "*" : origin);
		const isAsking =
			request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined;
		if (!isAsking) return handle(request, answer);
		answer.header("Access-Control-Allow-Methods", "GET, POST");
		answer.header("Access-Control-Allow-Headers", "Content-Type, X-Coin-Min-Block");
		answer.header("Access-Control-Max-Age", String(MAX_AGE_SECONDS));
		answer.empty(204);
	};
}
