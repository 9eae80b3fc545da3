/** Worker threads that check shielded proofs; they begin with the first proof, since most chains have none. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { ProofQuestion } from "./proof-questions.js";
import type { ProofThreads } from "./remembered-proofs.js";
import type { VerifyingKey } from "./verifying-key.js";

/** What a thread is started with. */
export interface ProofKeys {
	readonly spendKey: VerifyingKey;
	readonly outputKey: VerifyingKey;
}

export interface ProofBatch {
	readonly id: number;
	readonly questions: readonly ProofQuestion[];
}

interface ProofAnswer {
	readonly id: number;
	readonly results: readonly boolean[];
}

interface Waiting {
	readonly done: (results: readonly boolean[]) => void;
	readonly fail: (error: Error) => void;
}

const SCRIPT = join("node", "shielded", "proof.worker.js");

/** The worker's script in the bundle that this code runs from; undefined when it runs from source. */
export function proofWorkerScript(): URL | undefined {
	for (let folder = dirname(fileURLToPath(import.meta.url)); ; ) {
		const path = join(folder, SCRIPT);
		if (existsSync(path)) return pathToFileURL(path);
		const parent = dirname(folder);
		if (parent === folder) return undefined;
		folder = parent;
	}
}

export class WorkerProofThreads implements ProofThreads {
	private readonly workers: Worker[] = [];
	private readonly waiting = new Map<number, Waiting>();
	private nextId = 0;
	private isClosed = false;

	/** @param script of {@link proofWorkerScript} */
	constructor(
		private readonly script: URL,
		private readonly keys: ProofKeys,
		private readonly threads: number,
	) {}

	/** @throws {Error} if a thread fails; the next call begins with new ones */
	async check(questions: readonly ProofQuestion[]): Promise<readonly boolean[]> {
		const workers = this.started();
		const shares = workers.map((_, i) => questions.filter((__, j) => j % workers.length === i));
		const answers = await Promise.all(
			workers.map((worker, i) => this.ask(worker, shares[i] as ProofQuestion[])),
		);
		return questions.map((_, j) => answers[j % workers.length]?.[Math.floor(j / workers.length)] as boolean);
	}

	private started(): readonly Worker[] {
		if (this.isClosed) throw new Error("the threads for proofs are closed");
		while (this.workers.length < this.threads) this.addWorker();
		return [...this.workers];
	}

	private addWorker(): void {
		const worker = new Worker(this.script, { workerData: this.keys });
		// An idle thread must not keep the process alive.
		worker.unref();
		worker.on("message", ({ id, results }: ProofAnswer) => {
			this.waiting.get(id)?.done(results);
			this.waiting.delete(id);
		});
		worker.on("error", (error) => this.fail(error as Error));
		worker.on("exit", (code) => this.fail(new Error(`a thread for proofs ended with code ${code}`)));
		this.workers.push(worker);
	}

	private ask(worker: Worker, questions: readonly ProofQuestion[]): Promise<readonly boolean[]> {
		if (questions.length === 0) return Promise.resolve([]);
		const id = this.nextId++;
		return new Promise((done, fail) => {
			this.waiting.set(id, { done, fail });
			const copies = questions.map(({ kind, bytes }) => ({ kind, bytes: Uint8Array.from(bytes) }));
			worker.postMessage({ id, questions: copies } satisfies ProofBatch);
		});
	}

	private fail(error: Error): void {
		for (const worker of this.workers.splice(0)) void worker.terminate();
		for (const { fail } of this.waiting.values()) fail(error);
		this.waiting.clear();
	}

	async close(): Promise<void> {
		this.isClosed = true;
		await Promise.all(this.workers.map((worker) => worker.terminate()));
	}
}
