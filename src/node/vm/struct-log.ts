/** Records an execution operation by operation, in the form that debuggers of contracts read (protocol/development-chain §4.6). */

import { toHex } from "../../protocol/bytes.js";
import type { Frame } from "./frame.js";
import type { Tracer } from "./machine.js";
import { MEMORY_LIMIT } from "./memory.js";
import { type Word, wordToBytes } from "./word.js";

export interface TraceStep {
	/** 1 for the code that the transaction calls. */
	readonly depth: number;
	/** Energy left before the operation. */
	readonly gas: bigint;
	/** What it used, with what it gave on to a call. */
	gasCost: bigint;
	/** Words of 32 bytes, hexadecimal. */
	readonly memory: readonly string[];
	readonly op: string;
	readonly pc: number;
	/** Words of 32 bytes, hexadecimal; the bottom first. */
	readonly stack: readonly string[];
	/** The slots that this contract has touched so far, hexadecimal. */
	readonly storage: Readonly<Record<string, string>>;
}

/** Steps that are kept: an endless loop must not fill the memory. */
const MAX_STEPS = 200_000;

export class StructLog {
	readonly steps: TraceStep[] = [];
	private readonly touched = new Map<string, Readonly<Record<string, string>>>();
	private last: { readonly step: TraceStep; readonly frame: Frame } | undefined;

	readonly tracer: Tracer = (frame, op, pc, height) => {
		this.finish();
		if (this.steps.length >= MAX_STEPS) {
			this.last = undefined;
			return;
		}
		const step: TraceStep = {
			depth: frame.context.depth + 1,
			gas: BigInt(frame.remaining),
			gasCost: 0n,
			memory: memoryWords(frame),
			op,
			pc,
			stack: frame.stack.slice(0, height).map(wordHex),
			storage: this.storageOf(frame, op, height),
		};
		this.steps.push(step);
		this.last = { step, frame };
	};

	/** Says what the last operation cost, once the next one begins or all is over. */
	finish(): void {
		if (!this.last) return;
		const { step, frame } = this.last;
		const used = step.gas - BigInt(frame.remaining);
		// A call that gave energy back has more than before.
		step.gasCost = used > 0n ? used : 0n;
		this.last = undefined;
	}

	/** The touched slots, with the one that this operation reads or writes. */
	private storageOf(frame: Frame, op: string, height: number): Readonly<Record<string, string>> {
		const address = toHex(frame.context.address);
		const before = this.touched.get(address) ?? {};
		if ((op !== "SLOAD" && op !== "SSTORE") || height < 1) return before;
		const slot = frame.stack[height - 1] as Word;
		const value = op === "SLOAD" ? (frame.storage.load(slot) ?? 0) : (frame.stack[height - 2] as Word);
		const after = { ...before, [wordHex(slot)]: wordHex(value) };
		this.touched.set(address, after);
		return after;
	}
}

function wordHex(word: Word): string {
	return toHex(wordToBytes(word));
}

function memoryWords({ memory }: Frame): string[] {
	const words: string[] = [];
	const bytes = memory.peek(0, Math.min(memory.size, MEMORY_LIMIT));
	for (let at = 0; at < bytes.length; at += 32)
		words.push(toHex(bytes.subarray(at, at + 32)).padEnd(64, "0"));
	return words;
}
