/**
 * Asking another node in the middle of a rule.
 *
 * Rules read the state synchronously, since LevelDB is, and a fork finds out what it lacks when a rule reads it. So the main
 * thread sleeps on a shared number (`Atomics.wait`, with a time limit) while a worker thread makes the request: no rule has to be
 * written a second time, and every path that reads the state works on a fork. Starting an execution again whenever an entry
 * has come would do without a thread, but runs everything as often as it reads entries; a child process for each request
 * takes forty milliseconds. The thread is asked for what is known ahead without waiting, by the same messages.
 *
 * A node sleeps meanwhile: it is a development chain's, whose one client waits for this answer.
 */

import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import { bundledScript } from "../../diagnostics/bundled-script.js";
import type { Answer, Request } from "./request-thread.js";

/** The other node didn't answer as it should; the message is a clause without its address. */
export class RequestError extends Error {
	override readonly name = "RequestError";
}

/** What a request may take. */
export interface RequestLimits {
	readonly mostBytes: number;
	readonly timeoutMs: number;
}

/** A body is JSON; so is an answer, which is not looked at here. */
export interface Requests {
	/** Sleeps until the answer is there. @throws {RequestError} */
	now(url: string, body: string): string;
	/** @throws {RequestError} */
	later(url: string, body: string): Promise<string>;
	close(): Promise<void>;
}

/** The thread needs a moment more than its requests to tell that their time is over. */
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
			// Whoever waits for it needs the process.
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

/** The bundled script of the thread; undefined in a program that runs from source. */
export const requestScript = (): URL | undefined => bundledScript("node/fork/requests.worker.js");
