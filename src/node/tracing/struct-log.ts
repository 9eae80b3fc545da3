/** Records an execution operation by operation. Each step is written at once, so that what it takes is what it is long. */

import { toHex } from "../../protocol/bytes.js";
import type { ExecutionObserver } from "../vm/execution-observer.js";
import type { Frame } from "../vm/frame.js";
import { MEMORY_LIMIT } from "../vm/memory.js";
import { type Word, wordToBytes } from "../vm/word.js";
import type { TraceBudget } from "./limits.js";

export interface TraceStep {
	readonly pc: number;
	readonly op: string;
	/** 1 for the code that the transaction calls. */
	readonly depth: number;
	/** Energy left before the operation. */
	readonly energy: bigint;
	/** What it used, with what it gave on to a call; of what ended a frame by failing, all that was left. */
	readonly cost: bigint;
	/** Dynamic energy's share of it. */
	readonly penalty: number;
	/** Why the frame failed here; undefined: it didn't. */
	readonly error: string | undefined;
	/** The bottom first; undefined: not asked for. */
	readonly stack: readonly Word[] | undefined;
	/** Words of 32 bytes, hexadecimal; undefined: not asked for. */
	readonly memory: readonly string[] | undefined;
	/** What the last call returned; undefined: not asked for. */
	readonly returnData: Uint8Array | undefined;
	/** The slots that this contract has touched so far, words of 32 bytes, hexadecimal; undefined: not asked for. */
	readonly storage: Readonly<Record<string, string>> | undefined;
}

export interface StructLogOptions {
	readonly stack: boolean;
	readonly memory: boolean;
	readonly storage: boolean;
	readonly returnData: boolean;
	/** Steps that are kept. */
	readonly limit: number;
	/** How a step is written. */
	readonly write: (step: TraceStep) => string;
}

/** A step under way: what it cost is known when the next one begins. */
interface Pending {
	readonly step: Omit<TraceStep, "cost" | "penalty" | "storage" | "error">;
	readonly frame: Frame;
	readonly height: number;
	readonly penalty: number;
	/** For operations of the storage: the slot. */
	readonly slot: Word | undefined;
}

export class StructLog {
	private written: string[] = [];
	private touched = new Map<string, Readonly<Record<string, string>>>();
	private pending: Pending | undefined;

	constructor(
		private readonly options: StructLogOptions,
		private readonly budget: TraceBudget,
	) {}

	/** The steps as they were written. */
	get steps(): readonly string[] {
		return this.written;
	}

	readonly observer: ExecutionObserver = {
		began: () => {
			this.written = [];
			this.touched = new Map();
			this.pending = undefined;
		},
		step: (frame, op, pc, height) => this.step(frame, op, pc, height),
		closed: ({ depth, failure }) => {
			if (this.pending && this.pending.frame.context.depth >= depth) this.finish(failure?.message);
		},
	};

	private step(frame: Frame, op: string, pc: number, height: number): void {
		this.finish();
		if (this.written.length >= this.options.limit) return;
		const { stack, memory, returnData } = this.options;
		const isStorage = (op === "SLOAD" || op === "SSTORE") && height > 0;
		this.pending = {
			frame,
			height,
			penalty: frame.penalty,
			slot: this.options.storage && isStorage ? (frame.stack[height - 1] as Word) : undefined,
			step: {
				pc,
				op,
				depth: frame.context.depth + 1,
				energy: BigInt(frame.remaining),
				stack: stack ? frame.stack.slice(0, height) : undefined,
				memory: memory ? memoryWords(frame) : undefined,
				returnData: returnData ? Uint8Array.from(frame.returnData) : undefined,
			},
		};
		this.budget.take((stack ? height : 0) + (this.pending.step.memory?.length ?? 0));
	}

	/** Writes the last step. */
	private finish(error?: string): void {
		const { pending } = this;
		if (!pending) return;
		this.pending = undefined;
		const { step, frame } = pending;
		const used = step.energy - BigInt(frame.remaining);
		const text = this.options.write({
			...step,
			// A call that gave energy back has more than before.
			cost: used > 0n ? used : 0n,
			penalty: frame.penalty - pending.penalty,
			storage: this.options.storage ? this.storageAfter(pending, error !== undefined) : undefined,
			error,
		});
		this.budget.take(text.length + 1);
		this.written.push(text);
	}

	/** The touched slots, with the one that this operation has read or written. */
	private storageAfter(
		{ step, frame, slot, height }: Pending,
		failed: boolean,
	): Readonly<Record<string, string>> {
		const address = toHex(frame.context.address);
		const before = this.touched.get(address) ?? {};
		if (slot === undefined || failed) return before;
		// What was read lies where the slot lay; what was written lay below it, and nothing has been put there yet.
		const value = frame.stack[step.op === "SLOAD" ? height - 1 : height - 2] as Word;
		const after = { ...before, [wordHex(slot)]: wordHex(value) };
		this.touched.set(address, after);
		return after;
	}
}

export function wordHex(word: Word): string {
	return toHex(wordToBytes(word));
}

function memoryWords({ memory }: Frame): string[] {
	const words: string[] = [];
	const bytes = memory.peek(0, Math.min(memory.size, MEMORY_LIMIT));
	for (let at = 0; at < bytes.length; at += 32)
		words.push(toHex(bytes.subarray(at, at + 32)).padEnd(64, "0"));
	return words;
}
