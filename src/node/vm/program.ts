/** Contract code prepared for execution: jump destinations and push operands (protocol/machine §9.3). */

import { toKey } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import type { CompiledProgram, Compiles } from "./compiled/compiler.js";
import { type Word, wordFromBytes } from "./word.js";

export const JUMPDEST = 0x5b;
export const PUSH1 = 0x60;
export const PUSH32 = 0x7f;

/** Maximum bytes of cached programs, and an estimate for each stored operand. */
const MAX_BYTES = 32 << 20;
const OPERAND_BYTES = 112;

/** Zero bytes appended to the code, readable as operands or as a STOP. */
const PADDING = 33;

export interface Program {
	readonly code: Uint8Array;
	/** The code with zeros appended, so that running off the end hits a STOP. */
	readonly instructions: Uint8Array;
	/** 1 for valid jump destinations, as far as the code has been scanned; use {@link isDestination}. */
	readonly destinations: Uint8Array;
	/** Position up to which {@link destinations} is filled. */
	scanned: number;
	/** Cached operands of executed pushes longer than {@link SHORT_PUSH}, by position. */
	readonly operands: Map<number, Word>;
	/** The cache that accounts for its size; undefined: not cached. */
	keeper: ProgramCache | undefined;
	/** Energy the interpreter has spent on it since it was last compiled. */
	heat: number;
	/** The compiled program; undefined: not compiled. */
	compiled: CompiledProgram | undefined;
	/** Being compiled, or found not compilable. */
	isSettled: boolean;
}

/** Size of code, instructions, destinations, operands and compiled code. */
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

/** Whether a position is a valid jump destination; scans the code up to there if necessary. */
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

/** Decodes and caches the operand of a long push. */
export function readOperand({ instructions, operands, keeper }: Program, at: number): Word {
	const length = (instructions[at] as number) - PUSH1 + 1;
	const operand = wordFromBytes(instructions.subarray(at + 1, at + 1 + length));
	operands.set(at, operand);
	keeper?.grow(OPERAND_BYTES);
	return operand;
}

/**
 * LRU cache of executed programs, keyed by code hash. Bounded in bytes too, since any call can create and run
 * contracts, even if everything is reverted afterwards.
 */
export class ProgramCache {
	private readonly byBytes = new WeakMap<Uint8Array, Program>();
	private readonly byHash = new Map<string, Program>();

	private bytes = 0;

	/**
	 * @param capacity number of programs (`vm.lruCacheSize`)
	 * @param maxBytes size limit in bytes
	 * @param compiles which programs are compiled
	 */
	constructor(
		private readonly capacity: number,
		private readonly maxBytes = MAX_BYTES,
		readonly compiles: Compiles = "hot",
	) {}

	/** Bytes of the cached programs. */
	get size(): number {
		return this.bytes;
	}

	/** The program for stored code. */
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

	/** Accounts for growth of a cached program. */
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

/** The program for code that runs once, such as a constructor; not cached. */
export function prepareOnce(code: Uint8Array): Program {
	return prepare(code);
}
