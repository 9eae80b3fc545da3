/** Contract code made ready to run: where jumps may go and what the instructions push (protocol/machine §9.3). */

import { toKey } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import type { CompiledProgram, Compiles } from "./compiled/compiler.js";
import { type Word, wordFromBytes } from "./word.js";

export const JUMPDEST = 0x5b;
export const PUSH1 = 0x60;
export const PUSH32 = 0x7f;

/** What kept programs may hold together, and about what an operand takes beside its program. */
const MAX_BYTES = 32 << 20;
const OPERAND_BYTES = 112;

/** Bytes past the end of the code that may be read as operands or as a STOP. */
const PADDING = 33;

export interface Program {
	readonly code: Uint8Array;
	/** The code with zeros behind it: running off the end meets a STOP. */
	readonly instructions: Uint8Array;
	/** 1 where a jump may go, as far as the code was looked at: {@link isDestination} knows. */
	readonly destinations: Uint8Array;
	/** Where {@link destinations} ends for now. */
	scanned: number;
	/** Operands of pushes longer than {@link SHORT_PUSH} that have run, by position. */
	readonly operands: Map<number, Word>;
	/** Counts what its operands take; undefined: it isn't kept. */
	keeper: ProgramCache | undefined;
	/** What the interpreter spent on it, in energy, since it was compiled last. */
	heat: number;
	/** The same program compiled; undefined: it isn't. */
	compiled: CompiledProgram | undefined;
	/** It is being compiled, or can't be. */
	isSettled: boolean;
}

/** Code, instructions and destinations. */
const bytesOf = ({ code, operands, compiled }: Program): number =>
	3 * code.length + OPERAND_BYTES * (1 + operands.size) + (compiled?.bytes ?? 0);

function prepare(code: Uint8Array): Program {
	const instructions = new Uint8Array(code.length + PADDING);
	instructions.set(code);
	const destinations = new Uint8Array(code.length);
	return {
		code,
		instructions,
		destinations,
		scanned: 0,
		operands: new Map(),
		keeper: undefined,
		heat: 0,
		compiled: undefined,
		isSettled: false,
	};
}

/** Whether a jump may go there; scans the code up to there if that wasn't done before. */
export function isDestination(program: Program, target: number): boolean {
	const { instructions, destinations } = program;
	let at = program.scanned;
	for (; at <= target && at < destinations.length; at++) {
		const op = instructions[at] as number;
		if (op === JUMPDEST) destinations[at] = 1;
		else if (op >= PUSH1 && op <= PUSH32) at += op - PUSH1 + 1;
	}
	program.scanned = at;
	return destinations[target] === 1;
}

/** The operand of a long push, kept for the next time. */
export function readOperand({ instructions, operands, keeper }: Program, at: number): Word {
	const length = (instructions[at] as number) - PUSH1 + 1;
	const operand = wordFromBytes(instructions.subarray(at + 1, at + 1 + length));
	operands.set(at, operand);
	keeper?.grow(OPERAND_BYTES);
	return operand;
}

/**
 * Programs of code that was run, by the hash of the code; the longest unused is dropped first. Any call may create contracts and
 * run them, whatever is undone afterwards: what is kept is bounded in bytes, too.
 */
export class ProgramCache {
	private readonly byBytes = new WeakMap<Uint8Array, Program>();
	private readonly byHash = new Map<string, Program>();

	private bytes = 0;

	/**
	 * @param capacity programs kept (`vm.lruCacheSize`)
	 * @param maxBytes what they may take
	 * @param compiles which of them are compiled
	 */
	constructor(
		private readonly capacity: number,
		private readonly maxBytes = MAX_BYTES,
		readonly compiles: Compiles = "hot",
	) {}

	/** Bytes of the programs that are kept. */
	get size(): number {
		return this.bytes;
	}

	/** The program of stored code. */
	get(code: Uint8Array): Program {
		const same = this.byBytes.get(code);
		if (same?.keeper) return same;
		const hash = toKey(keccak256(code));
		let program = this.byHash.get(hash);
		if (program) this.byHash.delete(hash);
		else {
			program = same ?? prepare(code);
			program.keeper = this;
			this.bytes += bytesOf(program);
		}
		this.byHash.set(hash, program);
		this.trim();
		this.byBytes.set(code, program);
		return program;
	}

	/** A program that is kept takes more than before. */
	grow(bytes: number): void {
		this.bytes += bytes;
		if (this.bytes > this.maxBytes) this.trim();
	}

	private trim(): void {
		for (const [hash, oldest] of this.byHash) {
			if (this.byHash.size <= this.capacity && this.bytes <= this.maxBytes) return;
			this.byHash.delete(hash);
			this.bytes -= bytesOf(oldest);
			oldest.keeper = undefined;
			oldest.compiled = undefined;
		}
	}
}

/** The program of code that runs once, as constructors do. */
export function prepareOnce(code: Uint8Array): Program {
	return prepare(code);
}
