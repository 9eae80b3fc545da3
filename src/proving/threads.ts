/** Worker threads that run the tasks of proofs. */

import { Worker } from "node:worker_threads";
import { ProvingError } from "../protocol/sapling/prover.js";
import type { CompiledModule } from "./compiled.js";
import type { Question, TaskFailure, Tasks } from "./tasks.js";

interface Waiting {
	readonly question: Question;
	/** The only thread that can run it; undefined: any. */
	readonly thread: number | undefined;
	readonly done: (answer: never) => void;
	readonly fail: (error: Error) => void;
}

interface Thread {
	readonly worker: Worker;
	doing: Waiting | undefined;
}

/** How a task is queued. */
interface TaskOptions {
	/** The thread that must run it; undefined: any. */
	readonly thread?: number;
	/** Whether it goes before the tasks already queued. */
	readonly isUrgent?: boolean;
}

/** Threads sharing one queue. When one of them fails, all become unusable. */
export class Threads {
	private readonly threads: Thread[];
	private readonly waiting: Waiting[] = [];
	private ended: Error | undefined;

	/** @param script the bundled `prover.worker.ts`. @param count how many threads, at least one */
	constructor(
		script: URL,
		module: CompiledModule,
		readonly count: number,
	) {
		this.threads = Array.from({ length: count }, () => this.start(script, module));
	}

	get hasFailed(): boolean {
		return this.ended !== undefined;
	}

	/** Runs a task. Scalars in the question are transferred, not copied. */
	run<K extends keyof Tasks>(
		task: K,
		ask: Tasks[K]["ask"],
		{ thread, isUrgent }: TaskOptions = {},
	): Promise<Tasks[K]["answer"]> {
		if (this.ended) return Promise.reject(this.ended);
		return new Promise((done, fail) => {
			const entry: Waiting = { question: { task, ask }, thread, done, fail };
			if (isUrgent) this.waiting.unshift(entry);
			else this.waiting.push(entry);
			this.dispatch();
		});
	}

	/** Ends all threads and their tasks. @param reason the error for pending tasks */
	async close(reason: Error): Promise<void> {
		this.end(reason);
		await Promise.all(this.threads.map(({ worker }) => worker.terminate()));
	}

	private start(script: URL, module: CompiledModule): Thread {
		const worker = new Worker(script, { workerData: { module } });
		const thread: Thread = { worker, doing: undefined };
		// Idle threads must not keep the process alive.
		worker.unref();
		worker.on("message", (message: { readonly answer: never } | TaskFailure) => {
			const { doing } = thread;
			thread.doing = undefined;
			worker.unref();
			if ("answer" in message) doing?.done(message.answer);
			else doing?.fail(new ProvingError(message.failure, message.message));
			this.dispatch();
		});
		worker.on("error", (error) => {
			this.end(
				new ProvingError("failed", `a proving thread failed: ${(error as Error).message}`, { cause: error }),
			);
		});
		worker.on("exit", (code) => {
			this.end(new ProvingError("failed", `a proving thread ended with code ${code}`));
		});
		return thread;
	}

	private dispatch(): void {
		if (this.ended) return;
		for (const [i, thread] of this.threads.entries()) {
			if (thread.doing) continue;
			const at = this.waiting.findIndex((entry) => entry.thread === undefined || entry.thread === i);
			if (at < 0) continue;
			const [entry] = this.waiting.splice(at, 1) as [Waiting];
			thread.doing = entry;
			thread.worker.ref();
			thread.worker.postMessage(entry.question, movable(entry.question.ask));
		}
	}

	private end(reason: Error): void {
		if (this.ended) return;
		this.ended = reason;
		for (const { fail } of this.waiting.splice(0)) fail(reason);
		for (const thread of this.threads) {
			thread.doing?.fail(reason);
			thread.doing = undefined;
		}
	}
}

/** Scalars can be transferred, since they are made for a single task. */
function movable(ask: Question["ask"]): ArrayBuffer[] {
	return ask !== null && "scalars" in ask ? [ask.scalars.buffer as ArrayBuffer] : [];
}
