/**
 * Hashes entries on threads: each has its own sums, which are added up when the hash is requested. A program
 * running from source has no threads and hashes inline.
 */

import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { bundledScript } from "../../../diagnostics/bundled-script.js";
import { DecodeError } from "../../../protocol/codec/reader.js";
import { storeDefinitions } from "../definition.js";
import { EntryBatch } from "./entry-batch.js";
import { type HashAnswer, type HashRequest, HashWorker } from "./hash-worker.js";
import { StateHash, type StateHashValue } from "./state-hash.js";

/** Bytes per message: some thousand entries. */
const BATCH_BYTES = 256 << 10;
/** Bytes in flight per thread before senders have to wait (backpressure). */
const MAX_UNHASHED_BYTES = 4 << 20;

const indexes: ReadonlyMap<string, number> = new Map(
	storeDefinitions.map(({ name, index }) => [name, index]),
);

/** Number of threads worth using for a pass over a whole state on this machine. */
export const hashingThreads = (): number => Math.min(availableParallelism(), MAX_THREADS);

/** More could not be kept busy by the reads. */
const MAX_THREADS = 4;

/** A hashing thread exited by itself. */
class HashThreadError extends Error {
	override readonly name = "HashThreadError";
}

interface HashThread {
	send(request: HashRequest): void;
	close(): Promise<unknown>;
}

type Waiting = {
	done: (answer: Exclude<HashAnswer, { kind: "applied" | "unreadable" }>) => void;
	fail: (error: Error) => void;
};

export class HashThreads {
	private readonly threads: HashThread[] = [];
	private readonly batch = new EntryBatch();
	private next = 0;
	private unhashed = 0;
	private lastId = 0;
	private readonly waiting = new Map<number, Waiting>();
	private room: (() => void)[] = [];
	private failure: Error | undefined;
	private isClosed = false;

	/** @param threads how many; 0: none, as in a program that runs from source */
	constructor(threads: number) {
		const script = threads > 0 ? bundledScript("node/state/state-hash/hash.worker.js") : undefined;
		for (let i = 0; i < (script ? threads : 1); i++) {
			this.threads.push(script ? this.workerThread(script) : this.ownThread());
		}
	}

	private workerThread(script: URL): HashThread {
		const worker = new Worker(script);
		worker.unref();
		worker.on("message", (answer: HashAnswer) => this.take(answer));
		worker.on("error", (error) => this.fail(new HashThreadError(error.message, { cause: error })));
		worker.on("exit", (code) => {
			if (!this.isClosed) this.fail(new HashThreadError(`a hashing thread ended with code ${code}`));
		});
		return {
			send: (request) => {
				const bytes =
					"batch" in request ? request.batch : request.kind === "merge" ? request.sums : undefined;
				worker.postMessage(request, bytes ? [bytes.buffer as ArrayBuffer] : []);
			},
			close: () => worker.terminate(),
		};
	}

	private ownThread(): HashThread {
		const worker = new HashWorker((answer) => this.take(answer));
		return { send: (request) => worker.take(request), close: () => Promise.resolve() };
	}

	private take(answer: HashAnswer): void {
		if (answer.kind === "unreadable") this.fail(new DecodeError(answer.message));
		else if (answer.kind === "applied") {
			this.unhashed -= answer.bytes;
			if (this.hasRoom) for (const go of this.room.splice(0)) go();
		} else {
			const waiting = this.waiting.get(answer.id);
			this.waiting.delete(answer.id);
			waiting?.done(answer);
		}
	}

	private fail(error: Error): void {
		this.failure ??= error;
		for (const { fail } of this.waiting.values()) fail(error);
		this.waiting.clear();
		for (const go of this.room.splice(0)) go();
	}

	/** Whether more can be sent without waiting. */
	get hasRoom(): boolean {
		return this.unhashed < MAX_UNHASHED_BYTES * this.threads.length;
	}

	/** Adds an entry of a store that belongs to the state. */
	add(store: string, key: Uint8Array, value: Uint8Array): void {
		this.batch.write(true, indexes.get(store) as number, key, value);
		if (this.batch.length >= BATCH_BYTES) this.send("apply", this.batch.take());
	}

	/**
	 * Adds entries of stores that belong to the state.
	 * @param run some hundred KiB of them, as a chunk of a snapshot has them
	 */
	addRun(run: Uint8Array): void {
		this.send("add", new Uint8Array(run));
	}

	/** Adds or removes an entry. @param store its index @param key a character for each byte */
	change(isAdded: boolean, store: number, key: string, value: Uint8Array): void {
		this.batch.writeText(isAdded, store, key, value);
		if (this.batch.length >= BATCH_BYTES) this.send("apply", this.batch.take());
	}

	/** Adds the result of {@link sums}. */
	merge(sums: Uint8Array): void {
		this.threads[0]?.send({ kind: "merge", sums: sums.slice() });
	}

	/** Resolves once the threads have caught up enough to send more. @throws {DecodeError | HashThreadError} */
	async untilRoom(): Promise<void> {
		if (!this.failure && !this.hasRoom) await new Promise<void>((go) => this.room.push(go));
		if (this.failure) throw this.failure;
	}

	private send(kind: "apply" | "add", batch: Uint8Array): void {
		this.unhashed += batch.length;
		this.threads[this.next]?.send({ kind, batch });
		this.next = (this.next + 1) % this.threads.length;
	}

	/** The hash of everything sent so far. @throws {DecodeError | HashThreadError} */
	async value(): Promise<StateHashValue> {
		if (this.threads.length > 1) {
			return StateHash.of(await this.sums()).value();
		}
		const answer = await this.ask(this.threads[0] as HashThread, "value");
		if (answer.kind !== "value") throw new HashThreadError("a hashing thread answered something else");
		return answer.value;
	}

	/** The sums of everything sent so far. @throws {DecodeError | HashThreadError} */
	async sums(): Promise<Uint8Array> {
		const answers = await Promise.all(this.threads.map((thread) => this.ask(thread, "sums")));
		const all = new StateHash();
		for (const answer of answers) if (answer.kind === "sums") all.merge(answer.sums);
		return all.sums();
	}

	private ask(thread: HashThread, kind: "value" | "sums"): Promise<Parameters<Waiting["done"]>[0]> {
		if (this.batch.length > 0) this.send("apply", this.batch.take());
		if (this.failure) return Promise.reject(this.failure);
		return new Promise((done, fail) => {
			const id = ++this.lastId;
			this.waiting.set(id, { done, fail });
			thread.send({ kind, id });
		});
	}

	async close(): Promise<void> {
		this.isClosed = true;
		this.fail(new HashThreadError("hashing has ended"));
		await Promise.all(this.threads.map((thread) => thread.close()));
	}
}
