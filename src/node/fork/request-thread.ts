/** The request thread: one HTTP request per message, bounded in bytes and time, retried if that may help. */

import type { MessagePort } from "node:worker_threads";
import { isModestJson } from "../../protocol/json/modest-json.js";

/** Input of the thread. */
export interface WorkerSide {
	readonly port: MessagePort;
	/** A counter incremented with each response, to wake the sleeping thread. */
	readonly answers: Int32Array;
}

export interface Request {
	readonly id: number;
	readonly url: string;
	/** JSON. */
	readonly body: string;
	readonly mostBytes: number;
	/** For all attempts together. */
	readonly timeoutMs: number;
}

export interface Answer {
	readonly id: number;
	/** The body of an answer with status 200. */
	readonly text?: string;
	/** Why it failed, without the address: that may contain a key. */
	readonly failure?: string;
}

/** A busy or starting server may respond a moment later. */
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 100;

/** A retry may succeed. */
class PassingFailure extends Error {}

interface Surroundings {
	/** The runtime's function. */
	readonly fetch: typeof fetch;
	pause(ms: number): Promise<unknown>;
}

/** Answers requests until the port is closed. */
export function answerRequests({ port, answers }: WorkerSide, around: Surroundings): void {
	port.on("message", (request: Request) => {
		void answer(request, around).then((given) => {
			port.postMessage(given);
			Atomics.add(answers, 0, 1);
			Atomics.notify(answers, 0);
		});
	});
}

async function answer(request: Request, around: Surroundings): Promise<Answer> {
	const { id, timeoutMs } = request;
	const signal = AbortSignal.timeout(timeoutMs);
	for (let attempt = 1; ; attempt++) {
		try {
			return { id, text: await attemptOne(request, around.fetch, signal) };
		} catch (error) {
			if (signal.aborted) return { id, failure: `no answer within ${timeoutMs / 1000} s` };
			if (!(error instanceof PassingFailure) || attempt === ATTEMPTS)
				return { id, failure: (error as Error).message };
			await around.pause(FIRST_PAUSE_MS * 2 ** attempt);
		}
	}
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

async function attemptOne(
	{ url, body, mostBytes }: Request,
	ask: typeof fetch,
	signal: AbortSignal,
): Promise<string> {
	let response: Response;
	const place = new URL(url);
	const headers: Record<string, string> = { "content-type": "application/json", accept: "application/json" };
	if (place.username !== "") {
		const user = `${decodeURIComponent(place.username)}:${decodeURIComponent(place.password)}`;
		headers["authorization"] = `Basic ${Buffer.from(user).toString("base64")}`;
		place.username = "";
		place.password = "";
	}
	try {
		response = await ask(place, {
			method: "POST",
			headers,
			body,
			signal,
			// A key in the address is for one server only.
			redirect: "manual",
		});
	} catch (error) {
		const reason = reasonOf(error);
		// Nothing is listening there; the waiting thread must be woken.
		throw reason === "ECONNREFUSED" ? new Error(reason) : new PassingFailure(reason);
	}
	if (REDIRECTS.has(response.status)) {
		await response.body?.cancel();
		throw new PassingFailure("it sends elsewhere");
	}
	if (response.status !== 200) {
		await response.body?.cancel();
		const failure = `status ${response.status}`;
		throw response.status === 429 || response.status >= 500
			? new PassingFailure(failure)
			: new Error(failure);
	}
	return readText(response, mostBytes);
}

/** System error code of a failed connection; messages may quote the address. */
function reasonOf(error: unknown): string {
	const { cause } = error as { readonly cause?: { readonly code?: unknown } };
	return typeof cause?.code === "string" ? cause.code : "it can't be reached";
}

/** The longest lists are pages of ten thousand keys. */
const ANSWER_LIMITS = { values: 1_000_000, depth: 64 };

async function readText(response: Response, mostBytes: number): Promise<string> {
	const parts: Uint8Array[] = [];
	let bytes = 0;
	const reader = response.body?.getReader();
	for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
		bytes += part.value.length;
		if (bytes > mostBytes) {
			await reader?.cancel();
			throw new Error(`an answer of more than ${mostBytes} bytes`);
		}
		parts.push(part.value);
	}
	const text = Buffer.concat(parts).toString("utf8");
	if (!isModestJson(text, ANSWER_LIMITS)) throw new Error("an answer of too many values");
	return text;
}
