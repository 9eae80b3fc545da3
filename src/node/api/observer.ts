/** Reports server activity for metrics. Without an observer, nothing is counted or timed. */

import type { HttpAnswer } from "./http-answer.js";
import type { HttpRequest } from "./plain-request.js";

export interface AnsweredRequest {
	/** `full`, `solidity`, `pbft`, or the name of a JSON-RPC server. */
	readonly server: string;
	/** The endpoint's path; undefined if there is none under the path or for the method. */
	readonly path: string | undefined;
	readonly status: number;
	/** Size of the response body. */
	readonly bytes: number;
	readonly ms: number;
}

/** Statuses sent without reaching an endpoint. */
const WITHOUT_ENDPOINT: ReadonlySet<number> = new Set([302, 404, 405]);

/** Creates the callback through which a listener reports requests to an observer. */
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
	/** An HTTP request was answered. */
	answered?(request: AnsweredRequest): void;
	/** A gRPC call (`protocol.Wallet/GetAccount`, as spelled by the client) or JSON-RPC call (`eth_call`) was answered. */
	called?(kind: "grpc" | "jsonrpc", method: string, ms: number): void;
	/** A JSON-RPC call was rejected by its method. */
	refused?(method: string): void;
	/**
	 * The work behind a request is done.
	 * @param endpoint of HTTP, a method of gRPC in small letters, or one of JSON-RPC
	 */
	worked?(endpoint: string, ms: number): void;
	/** A client's transaction was accepted or refused. @param code `Return.response_code` */
	broadcast?(code: number): void;
}

/** Does and times the work behind a request; failures aren't reported. */
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
