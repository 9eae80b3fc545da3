/**
 * Compares a running node with another one, block by block, as blocks become solidified. It runs in the
 * background over this node's own HTTP API: nothing waits for it, and its failures don't affect the node.
 */

import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { bundledScript } from "../../diagnostics/bundled-script.js";
import { addressPrefix } from "../../protocol/address.js";
import { budgetOfBytes } from "../../protocol/codec/budget.js";
import { TransactionInfo } from "../../protocol/messages.js";
import { transactionInfosOf } from "../chain/block-store.js";
import type { Chain } from "../chain/chain.js";
import type { AuditConfig } from "../config/service-config.js";
import { DIFFERS, type FaultWatch } from "../faults/fault-watch.js";
import type { AuditCounts } from "./audit.js";
import {
	type AuditAnswer,
	type AuditRequest,
	type AuditWork,
	AuditWorker,
	type RecordedDifference,
} from "./audit-worker.js";
import { type NodeAddresses, UnansweredError } from "./http-node.js";

/** Maximum lag in blocks; older ones are skipped. */
const MAX_BEHIND = 1_000n;
const POLL_MS = 500;
/** Polls for which the other node may lag before it is reported. */
const STILL_POLLS = 120;
/** Pause after the other node didn't answer. */
const PAUSE_MS = 30_000;

interface LiveAuditOptions {
	readonly chain: Chain;
	readonly config: AuditConfig;
	/** This node's own servers. */
	readonly own: NodeAddresses;
	readonly faults: Pick<FaultWatch, "note">;
	readonly log: {
		info(fields: object, message: string): void;
		warn(fields: object, message: string): void;
		error(fields: object, message: string): void;
	};
	readonly report: (error: unknown, where: string) => void;
}

/** Heap limit of the thread in MiB: two parsed answers of maximum size. */
const HEAP_MB = 512;

/** The thread ended unexpectedly. */
class AuditThreadError extends Error {
	override readonly name = "AuditThreadError";
}

/** Notified once per kind of data that can't be compared, and of each wait for a busy node. */
interface AuditListener {
	notCompared(reason: string): void;
	waiting(reason: string): void;
}

interface Waiting {
	readonly done: (answer: AuditAnswer) => void;
	readonly fail: (error: Error) => void;
}

/** The node's handle of the audit thread; a program run from source compares in-process. */
class AuditThread {
	private readonly send: (request: AuditRequest) => void;
	private readonly end: () => Promise<unknown>;
	private readonly waiting = new Map<number, Waiting>();
	private lastId = 0;
	private failure: Error | undefined;
	/** What was compared, as of the last answer. */
	counts: Readonly<AuditCounts> = { blocks: 0, transactions: 0, state: 0, slots: 0, blocksWithoutState: 0 };
	/** How often the other node was busy or didn't answer. */
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

	/** Whether the thread has failed. */
	get hasEnded(): boolean {
		return this.failure !== undefined;
	}

	/** The newest block that both nodes have. @throws {UnansweredError} */
	async commonHead(): Promise<bigint> {
		const answer = await this.ask(undefined);
		return answer.kind === "head" ? answer.head : 0n;
	}

	/** The first difference of a block, if any. @throws {UnansweredError} */
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

export class LiveAudit {
	private readonly ending = new AbortController();
	private thread: AuditThread;
	/** Origin of the other node. */
	private readonly against: string;
	private readonly running: Promise<void>;
	private readonly start: () => AuditThread;
	/** The last compared block; 0: none. */
	last = 0n;
	/** Blocks skipped because the other node was too slow. */
	skipped = 0n;
	/** The block of the first difference; 0: none. */
	different = 0n;
	/** Why nothing is compared at the moment; undefined while comparing. */
	private away: string | undefined;

	constructor(private readonly options: LiveAuditOptions) {
		const { config, own, log } = options;
		const { signal } = this.ending;
		const { against: full, solidity, jsonrpc, sample, rate } = config;
		this.against = new URL(full).origin;
		const work = { own, theirs: { full, solidity, jsonrpc }, sample, rate, addressPrefix: addressPrefix() };
		this.start = () =>
			new AuditThread(work, {
				notCompared: (reason) => log.warn({}, `audit: ${reason}`),
				waiting: (reason) => this.awayFor(`${reason}; it is asked again`),
			});
		this.thread = this.start();
		this.running = this.run().catch((error: unknown) => {
			if (!signal.aborted) options.report(error, "audit");
		});
	}

	private async sleep(ms: number): Promise<void> {
		await delay(ms, undefined, { signal: this.ending.signal, ref: false });
	}

	get counts(): Readonly<AuditCounts> {
		return this.thread.counts;
	}

	/** How often the other node was busy or didn't answer. */
	get busy(): number {
		return this.thread.busy;
	}

	private async run(): Promise<void> {
		const { chain } = this.options;
		let next = chain.solidifiedNumber + 1n;
		let common = 0n;
		let polls = 0;
		while (!this.ending.signal.aborted) {
			const final = chain.solidifiedNumber;
			if (final - next > MAX_BEHIND) {
				this.skipped += final - next;
				next = final;
			}
			if (next > final) {
				await this.sleep(POLL_MS);
				continue;
			}
			try {
				if (common < next) common = await this.thread.commonHead();
				if (common < next) {
					if (++polls === STILL_POLLS) this.awayFor(`the other node has no block ${next} yet`);
					await this.sleep(POLL_MS);
					continue;
				}
				const found = await this.thread.block(next);
				polls = 0;
				this.away = undefined;
				if (found) return this.differs(found);
				this.last = next++;
			} catch (error) {
				this.ending.signal.throwIfAborted();
				await this.failed(error);
			}
		}
	}

	/** Continues after any failure; if the thread ended, with a new one. */
	private async failed(error: unknown): Promise<void> {
		const { report } = this.options;
		const message = error instanceof Error ? error.message : String(error);
		if (!(error instanceof UnansweredError) && this.away === undefined) report(error, "audit");
		this.awayFor(`${message}; it goes on when there are answers`);
		if (this.thread.hasEnded) {
			await this.thread.close();
			this.thread = this.start();
		}
		await this.sleep(PAUSE_MS);
	}

	/** Logs once that nothing is compared, and why. */
	private awayFor(reason: string): void {
		if (this.away === undefined) this.options.log.warn({ after: Number(this.last) }, `audit: ${reason}`);
		this.away ??= reason;
	}

	/** A warning for the operator, if any. */
	warning(): string | undefined {
		const { away, last, against } = this;
		if (away === undefined || this.different !== 0n) return undefined;
		return `this node isn't compared with ${against} (node.audit.against) since block ${last}: ${away}`;
	}

	/** All later state would differ too: the audit ends with the first difference, reported once as a fault. */
	private differs({ number, id, seenAt, differences, recorded }: RecordedDifference): void {
		const { chain, faults, log } = this.options;
		this.different = number;
		const block = chain.blockByNumber(number);
		const known = block?.idHex === id && {
			...{ kind: "audit" as const, block, refusal: undefined },
			differences:
				seenAt === undefined
					? differences
					: differences.map((each) => ({ ...each, what: `${each.what} (after block ${seenAt})` })),
			recorded: recorded.map((bytes) => TransactionInfo.decode(bytes, budgetOfBytes(bytes.length))),
			stored: transactionInfosOf(chain.state, block),
		};
		if (known && faults.note(known)) return;
		const [first] = differences;
		log.error({ block: Number(number), against: this.against, ...first }, DIFFERS);
	}

	async close(): Promise<void> {
		this.ending.abort();
		await this.thread.close();
		await this.running;
	}
}
