/** Records an execution step by step, each serialized at once, so that the limit counts actual bytes. */

import { toHex } from "../../protocol/bytes.js";
import type { ExecutionObserver } from "../vm/execution-observer.js";
import type { Frame } from "../vm/frame.js";
import { MEMORY_LIMIT } from "../vm/memory.js";
import { type Word, wordToBytes } from "../vm/word.js";
import type { TraceBudget } from "./limits.js";

export interface TraceStep {
	readonly pc: number;
	readonly op: string;
	/** 1 for the outermost code. */
	readonly depth: number;
	/** Energy left before the operation. */
	readonly energy: bigint;
	/** Energy used, including what was forwarded to a call; if the frame fails here, all that was left. */
	readonly cost: bigint;
	/** The part of it that is the dynamic energy penalty. */
	readonly penalty: number;
	/** Why the frame failed here, if it did. */
	readonly error: string | undefined;
	/** Bottom first; undefined: not requested. */
	readonly stack: readonly Word[] | undefined;
	/** Words of 32 bytes, hexadecimal; undefined: not requested. */
	readonly memory: readonly string[] | undefined;
	/** Return data of the last call; undefined: not requested. */
	readonly returnData: Uint8Array | undefined;
	/** Slots this contract has touched so far, as 32-byte hexadecimal words; undefined: not requested. */
	readonly storage: Readonly<Record<string, string>> | undefined;
}

export interface StructLogOptions {
	readonly stack: boolean;
	readonly memory: boolean;
	readonly storage: boolean;
	readonly returnData: boolean;
	/** Maximum number of steps kept. */
	readonly limit: number;
	/** Serializes a step. */
	readonly write: (step: TraceStep) => string;
}

/** A step in progress; its cost is known only when the next one begins. */
interface Pending {
	readonly step: Omit<TraceStep, "cost" | "penalty" | "storage" | "error">;
	readonly frame: Frame;
	readonly height: number;
	readonly penalty: number;
	/** The slot, for storage operations. */
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

	/** The serialized steps. */
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

	/** Completes the pending step. */
	private finish(error?: string): void {
		const { pending } = this;
		if (!pending) return;
		this.pending = undefined;
		const { step, frame } = pending;
		const used = step.energy - BigInt(frame.remaining);
		const text = this.options.write({
			...step,
			// After a call gave energy back, there is more than before.
			cost: used > 0n ? used : 0n,
			penalty: frame.penalty - pending.penalty,
			storage: this.options.storage ? this.storageAfter(pending, error !== undefined) : undefined,
			error,
		});
		this.budget.take(text.length + 1);
		this.written.push(text);
	}

	/** The touched slots, including the one this operation reads or writes. */
	private storageAfter(
		{ step, frame, slot, height }: Pending,
		failed: boolean,
	): Readonly<Record<string, string>> {
		const address = toHex(frame.context.address);
		const before = this.touched.get(address) ?? {};
		if (slot === undefined || failed) return before;
		// A value read is where the slot was; a value written was below it, and hasn't been overwritten yet.
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
