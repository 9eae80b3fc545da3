/**
 * Queries another node in the middle of a rule.
 *
 * Rules read state synchronously, as LevelDB does, and a fork discovers what it lacks only when a rule reads it. So the main
 * thread sleeps on a shared counter (`Atomics.wait`, with a timeout) while a worker thread makes the request: no rule needs a
 * second version, and every code path that reads state works on a fork. Re-running an execution after each fetched entry
 * would need no thread, but runs everything as often as it reads entries; a child process per request takes forty
 * milliseconds. Prefetches use the same thread without blocking.
 *
 * The node sleeps meanwhile, which is acceptable for a development chain, whose only client waits for this anyway.
 */

import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import { bundledScript } from "../../diagnostics/bundled-script.js";
import type { Answer, Request } from "./request-thread.js";

/** The other node failed to respond properly; the message is a clause without its address. */
export class RequestError extends Error {
	override readonly name = "RequestError";
}

/** Limits of a request. */
export interface RequestLimits {
	readonly mostBytes: number;
	readonly timeoutMs: number;
}

/** Bodies are JSON; so are responses, which are not validated here. */
export interface Requests {
	/** Sleeps until the response arrives. @throws {RequestError} */
	now(url: string, body: string): string;
	/** @throws {RequestError} */
	later(url: string, body: string): Promise<string>;
	close(): Promise<void>;
}

/** Extra time for the thread to report that a request timed out. */
const GRACE_MS = 2_000;

export class ThreadRequests implements Requests {
	private readonly worker: Worker;
	private readonly port: MessagePort;
	private readonly answers = new Int32Array(new SharedArrayBuffer(4));
	private readonly waiting = new Map<number, (answer: Answer) => void>();
	private lastId = 0;
	private failure: string | undefined;

	/** @param script the bundled `requests.worker.ts` */
	constructor(
		script: URL,
		private readonly limits: RequestLimits,
	) {
		const { port1, port2 } = new MessageChannel();
		this.port = port1;
		this.worker = new Worker(script, {
			workerData: { port: port2, answers: this.answers },
			transferList: [port2],
		});
		this.worker.unref();
		this.port.on("message", (answer: Answer) => this.answered(answer));
		this.port.unref();
		this.worker.on("error", (error) => this.end(`the thread of requests failed: ${error.message}`));
		this.worker.on("exit", () => this.end("the thread of requests has ended"));
	}

	now(url: string, body: string): string {
		const id = this.send(url, body);
		const endsAt = performance.now() + this.limits.timeoutMs + GRACE_MS;
		for (;;) {
			const seen = Atomics.load(this.answers, 0);
			for (let next = this.received(); next; next = this.received()) {
				if (next.id === id) return textOf(next);
				this.answered(next);
			}
			const leftMs = endsAt - performance.now();
			if (leftMs <= 0 || this.failure !== undefined)
				throw new RequestError(this.failure ?? `no answer within ${this.limits.timeoutMs / 1000} s`);
			Atomics.wait(this.answers, 0, seen, leftMs);
		}
	}

	private received(): Answer | undefined {
		return (receiveMessageOnPort(this.port) as { readonly message: Answer } | undefined)?.message;
	}

	later(url: string, body: string): Promise<string> {
		return new Promise((done, fail) => {
			const id = this.send(url, body);
			this.waiting.set(id, (answer) => {
				try {
					done(textOf(answer));
				} catch (error) {
					fail(error);
				}
			});
			// Awaiting callers need the process to stay alive.
			this.port.ref();
		});
	}

	private send(url: string, body: string): number {
		if (this.failure !== undefined) throw new RequestError(this.failure);
		const id = ++this.lastId;
		this.port.postMessage({ id, url, body, ...this.limits } satisfies Request);
		return id;
	}

	private answered(answer: Answer): void {
		const done = this.waiting.get(answer.id);
		this.waiting.delete(answer.id);
		if (this.waiting.size === 0) this.port.unref();
		done?.(answer);
	}

	private end(failure: string): void {
		this.failure ??= failure;
		for (const id of [...this.waiting.keys()]) this.answered({ id, failure: this.failure });
	}

	async close(): Promise<void> {
		this.end("the node is stopping");
		this.port.close();
		await this.worker.terminate();
	}
}

function textOf({ text, failure }: Answer): string {
	if (text === undefined) throw new RequestError(failure ?? "no answer");
	return text;
}

/** The thread's bundled script; undefined when running from source. */
export const requestScript = (): URL | undefined => bundledScript("node/fork/requests.worker.js");
