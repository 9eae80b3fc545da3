/** A node's side of the thread of a live audit; a program that runs from source compares where it is. */

import { Worker } from "node:worker_threads";
import { bundledScript } from "../../diagnostics/bundled-script.js";
import type { AuditCounts } from "./audit.js";
import {
	type AuditAnswer,
	type AuditRequest,
	type AuditWork,
	AuditWorker,
	type RecordedDifference,
} from "./audit-worker.js";
import { UnansweredError } from "./http-node.js";

/** What the thread holds at most, in MiB: two of the longest answers, read. */
const HEAP_MB = 512;

/** The thread ended by itself. */
class AuditThreadError extends Error {
	override readonly name = "AuditThreadError";
}

/** Called with what can't be compared, once a kind of it, and with each wait for a node that is busy. */
interface AuditListener {
	notCompared(reason: string): void;
	waiting(reason: string): void;
}

interface Waiting {
	readonly done: (answer: AuditAnswer) => void;
	readonly fail: (error: Error) => void;
}

export class AuditThread {
	private readonly send: (request: AuditRequest) => void;
	private readonly end: () => Promise<unknown>;
	private readonly waiting = new Map<number, Waiting>();
	private lastId = 0;
	private failure: Error | undefined;
	/** What was compared, as of the last answer. */
	counts: Readonly<AuditCounts> = { blocks: 0, transactions: 0, state: 0, slots: 0, blocksWithoutState: 0 };
	/** How often the other node said that it is busy, or didn't answer. */
	busy = 0;

	constructor(
		work: AuditWork,
		private readonly on: AuditListener,
	) {
		const script = bundledScript("node/audit/audit.worker.js");
		if (!script) {
			const worker = new AuditWorker(work, (answer) => this.take(answer));
			this.send = (request) => void worker.take(request);
			this.end = async () => worker.close();
			return;
		}
		const worker = new Worker(script, {
			workerData: work,
			resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
		});
		worker.unref();
		worker.on("message", (answer: AuditAnswer) => this.take(answer));
		worker.on("error", (error) => this.fail(new AuditThreadError(error.message, { cause: error })));
		worker.on("exit", (code) =>
			this.fail(new AuditThreadError(`the thread of the audit ended with ${code}`)),
		);
		this.send = (request) => worker.postMessage(request);
		this.end = () => worker.terminate();
	}

	/** Whether nothing can be asked any more. */
	get hasEnded(): boolean {
		return this.failure !== undefined;
	}

	/** The newest block that both have. @throws {UnansweredError} */
	async commonHead(): Promise<bigint> {
		const answer = await this.ask(undefined);
		return answer.kind === "head" ? answer.head : 0n;
	}

	/** The first difference of a block; undefined: there is none. @throws {UnansweredError} */
	async block(number: bigint): Promise<RecordedDifference | undefined> {
		const answer = await this.ask(number);
		return answer.kind === "block" ? answer.found : undefined;
	}

	private ask(number: bigint | undefined): Promise<AuditAnswer> {
		return new Promise((done, fail) => {
			if (this.failure) return fail(this.failure);
			const id = ++this.lastId;
			this.waiting.set(id, { done, fail });
			this.send(number === undefined ? { id } : { id, number });
		});
	}

	private take(answer: AuditAnswer): void {
		if (answer.kind === "notCompared" || answer.kind === "waiting") {
			this.on[answer.kind](answer.reason);
			return;
		}
		this.counts = answer.counts;
		this.busy = answer.busy;
		const waiting = this.waiting.get(answer.id);
		this.waiting.delete(answer.id);
		if (answer.kind !== "failed") waiting?.done(answer);
		else if (answer.isUnanswered) waiting?.fail(new UnansweredError(answer.message));
		else waiting?.fail(new AuditThreadError(answer.message));
	}

	private fail(error: Error): void {
		this.failure ??= error;
		for (const { fail } of this.waiting.values()) fail(error);
		this.waiting.clear();
	}

	async close(): Promise<void> {
		this.fail(new AuditThreadError("the audit has ended"));
		await this.end();
	}
}
