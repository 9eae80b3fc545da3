/** Reports of what the servers do, for metrics. Without an observer nothing is counted or timed. */

import type { HttpAnswer } from "./http-answer.js";
import type { HttpRequest } from "./plain-request.js";

export interface AnsweredRequest {
	/** `full`, `solidity`, `pbft`, or the name of a JSON-RPC server. */
	readonly server: string;
	/** The path of the endpoint that answered; undefined: there is none under the path, or not for the method. */
	readonly path: string | undefined;
	readonly status: number;
	/** Of the answer's body. */
	readonly bytes: number;
	readonly ms: number;
}

/** What a server answers before any endpoint is asked. */
const WITHOUT_ENDPOINT: ReadonlySet<number> = new Set([302, 404, 405]);

/** What a listener tells an observer of the requests to a server. */
export function reportAnswers(
	observer: ApiObserver | undefined,
	server: string,
	pathOf: (request: HttpRequest) => string | undefined,
): ((request: HttpRequest, answer: HttpAnswer, ms: number) => void) | undefined {
	return (
		observer?.answered &&
		((request, { status, bytes }, ms) => {
			const path = WITHOUT_ENDPOINT.has(status) ? undefined : pathOf(request);
			observer.answered?.({ server, path, status, bytes, ms });
		})
	);
}

export interface ApiObserver {
	/** A request over HTTP was answered. */
	answered?(request: AnsweredRequest): void;
	/** A call of gRPC (`protocol.Wallet/GetAccount`, spelled as clients do) or JSON-RPC (`eth_call`) was answered. */
	called?(kind: "grpc" | "jsonrpc", method: string, ms: number): void;
	/** A call of JSON-RPC was refused by its method. */
	refused?(method: string): void;
	/** The work behind a request is done. @param endpoint of HTTP, a method of gRPC in small letters, or one of JSON-RPC */
	worked?(endpoint: string, ms: number): void;
	/** A client's transaction was accepted or refused. @param code `Return.response_code` */
	broadcast?(code: number): void;
}

/** Does the work behind a request, and tells of it; what throws has done none. */
export function observed<R>(
	observer: ApiObserver | undefined,
	endpoint: string,
	work: () => R | Promise<R>,
): R | Promise<R> {
	if (!observer?.worked) return work();
	const startedMs = performance.now();
	const told = (result: R): R => {
		observer.worked?.(endpoint, performance.now() - startedMs);
		return result;
	};
	const result = work();
	return result instanceof Promise ? result.then(told) : told(result);
}
