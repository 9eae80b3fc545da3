/** Worker threads that verify shielded proofs; started with the first proof, since most chains have none. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { ProofQuestion } from "./proof-questions.js";
import type { ProofThreads } from "./proof-queue.js";
import type { VerifyingKey } from "./verifying-key.js";

/** Startup data of a thread. */
export interface ProofKeys {
	readonly spendKey: VerifyingKey;
	readonly outputKey: VerifyingKey;
}

/** A question as sent to a thread. */
export interface NumberedQuestion extends ProofQuestion {
	readonly id: number;
}

export interface ProofAnswer {
	readonly id: number;
	readonly holds: boolean;
}

interface Waiting {
	readonly done: (holds: boolean) => void;
	readonly fail: (error: Error) => void;
}

interface Thread {
	readonly worker: Worker;
	readonly waiting: Map<number, Waiting>;
}

const SCRIPT = join("node", "shielded", "proof.worker.js");

/** URL of the worker script in the bundle; undefined when running from source. */
export function proofWorkerScript(): URL | undefined {
	for (let folder = dirname(fileURLToPath(import.meta.url)); ; ) {
		const path = join(folder, SCRIPT);
		if (existsSync(path)) return pathToFileURL(path);
		const parent = dirname(folder);
		if (parent === folder) return undefined;
		folder = parent;
	}
}

/** Questions in flight per thread: the one being verified, and the next. */
const FOR_EACH_THREAD = 2;

export class WorkerProofThreads implements ProofThreads {
	readonly atOnce: number;
	private readonly running: Thread[] = [];
	private nextId = 0;
	private isClosed = false;

	/** @param script of {@link proofWorkerScript} */
	constructor(
		private readonly script: URL,
		private readonly keys: ProofKeys,
		private readonly threads: number,
	) {
		this.atOnce = FOR_EACH_THREAD * threads;
	}

	/** @throws {Error} if a thread fails; the next call begins with new ones */
	async check({ kind, bytes }: ProofQuestion): Promise<boolean> {
		const { worker, waiting } = this.idlest();
		const id = this.nextId++;
		return new Promise((done, fail) => {
			waiting.set(id, { done, fail });
			worker.postMessage({ id, kind, bytes: Uint8Array.from(bytes) } satisfies NumberedQuestion);
		});
	}

	private idlest(): Thread {
		if (this.isClosed) throw new Error("the threads for proofs are closed");
		const sorted = [...this.running].sort((a, b) => a.waiting.size - b.waiting.size);
		const [idlest] = sorted;
		if (idlest && (idlest.waiting.size === 0 || this.running.length >= this.threads)) return idlest;
		return this.addThread();
	}

	private addThread(): Thread {
		const worker = new Worker(this.script, { workerData: this.keys });
		const thread: Thread = { worker, waiting: new Map() };
		// An idle thread must not keep the process alive.
		worker.unref();
		worker.on("message", ({ id, holds }: ProofAnswer) => {
			const asked = thread.waiting.get(id);
			thread.waiting.delete(id);
			asked?.done(holds);
		});
		worker.on("error", (error) => this.fail(thread, error as Error));
		worker.on("exit", (code) => this.fail(thread, new Error(`a thread for proofs ended with code ${code}`)));
		this.running.push(thread);
		return thread;
	}

	private fail(thread: Thread, error: Error): void {
		const place = this.running.indexOf(thread);
		if (place >= 0) this.running.splice(place, 1);
		void thread.worker.terminate();
		for (const { fail } of thread.waiting.values()) fail(error);
		thread.waiting.clear();
	}

	async close(): Promise<void> {
		this.isClosed = true;
		await Promise.all(this.running.map(({ worker }) => worker.terminate()));
	}
}
