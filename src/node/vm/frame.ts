/** A running call or creation: its stack, memory, energy and context. */

import { EMPTY } from "../../protocol/bytes.js";
import { addressWord } from "./addresses.js";
import { add } from "./arithmetic.js";
import type { CompiledRun } from "./compiled/driver.js";
import type { ContractStorage } from "./contract-storage.js";
import { STACK_LIMIT } from "./instruction.js";
import type { Identified } from "./internal-transactions.js";
import type { Machine, MachineMark } from "./machine.js";
import { expansionCost, MEMORY_LIMIT, Memory } from "./memory.js";
import type { Program } from "./program.js";
import { outOfMemory, type VmError } from "./vm-error.js";
import { MAX_SMALL, narrow, type Word } from "./word.js";

/** Energy that a frame tracks as a number; anything above goes into the bigint reserve. */
const ENERGY_AT_HAND = 2 ** 52;

/** Immutable context of a frame. Amounts in sun. */
interface FrameContext {
	readonly program: Program;
	/** The account that the code runs as. */
	readonly address: Uint8Array;
	readonly caller: Uint8Array;
	readonly callValue: Word;
	readonly tokenValue: Word;
	readonly tokenId: Word;
	readonly input: Uint8Array;
	readonly isStatic: boolean;
	/** Version of the contract whose code runs (#60). */
	readonly version: number;
	readonly depth: number;
	readonly energy: Word;
	/** What internal transactions of the frame belong to: the one that opened it, or the transaction itself. */
	readonly openedBy: Identified;
}

/** Resumes the opener when its child has ended. */
type Resume = (opener: Frame, ended: Frame) => void;

const stackPool: Word[][] = [];

/** A new stack. Starting it with both forms of words keeps the engine to one kind of array in the loop. */
function newStack(): Word[] {
	const stack: Word[] = [0n];
	while (stack.length <= STACK_LIMIT) stack.push(0);
	return stack;
}

export class Frame {
	readonly stack: Word[];
	sp = 0;
	pc = 0;
	readonly memory = Memory.take();
	/** Energy left, excluding the reserve. */
	left: number;
	private reserve: bigint;
	/** Return data of the last call or creation. */
	returnData: Uint8Array = EMPTY;
	/** The memory that {@link returnData} points into, if it was lent. */
	private returnOwner: Memory | undefined;
	output: Uint8Array = EMPTY;
	/** The frame has ended, or is waiting for {@link child}. */
	interrupted = false;
	halted = false;
	/** The frame has executed code. */
	began = false;
	reverted = false;
	failure: VmError | undefined;
	/** The frame that the current operation opened. */
	child: Frame | undefined;
	opener: Frame | undefined;
	resume: Resume | undefined;
	/** The compiled code it runs; undefined: none, "begins": not decided yet. */
	compiled: CompiledRun | undefined | "begins" = "begins";
	/** Runs when the frame has ended without failing; it may still make it fail. */
	settle: ((frame: Frame) => void) | undefined;
	/** State of the machine when the frame was opened, to revert to. */
	mark: MachineMark | undefined;
	/** Energy spent other than on operations: forwarded, or paid for storing code. Tracked only with dynamic energy. */
	spentOutside = 0n;
	/** Dynamic energy's penalty within what the frame's own operations spent. */
	penalty = 0;
	/** Penalties of the frames it opened. */
	inheritedPenalty = 0;
	/** Dynamic energy factor, in ten-thousandths; 10,000: none. */
	factor = 10_000;
	private addressWordCache: Word | undefined;
	private callerWordCache: Word | undefined;
	private storageCache: ContractStorage | undefined;

	constructor(
		readonly machine: Machine,
		readonly context: FrameContext,
	) {
		this.stack = stackPool.pop() ?? newStack();
		const { energy } = context;
		const atHand = typeof energy === "number" && energy <= ENERGY_AT_HAND ? energy : ENERGY_AT_HAND;
		this.left = atHand;
		this.reserve = typeof energy === "number" && energy === atHand ? 0n : BigInt(energy) - BigInt(atHand);
	}

	/** Keeps a child's output as return data until the next call. */
	keepOutput(child: Frame): void {
		this.forgetReturnData();
		this.returnData = child.output;
		if (child.memory.lent) this.returnOwner = child.memory;
	}

	/** Clears the return data when a call begins. */
	forgetReturnData(): void {
		this.returnData = EMPTY;
		this.returnOwner?.takeBack();
		this.returnOwner = undefined;
	}

	/**
	 * Returns stack and memory to their pools; the frame must not run afterwards. Its output stays valid if
	 * the opener kept it, or if there is no opener.
	 */
	release(): void {
		this.forgetReturnData();
		if (this.opener && this.opener.returnOwner !== this.memory) this.memory.takeBack();
		else this.memory.release();
		if (stackPool.length < 64) stackPool.push(this.stack);
	}

	get addressWord(): Word {
		this.addressWordCache ??= addressWord(this.context.address);
		return this.addressWordCache;
	}

	get callerWord(): Word {
		this.callerWordCache ??= addressWord(this.context.caller);
		return this.callerWordCache;
	}

	get storage(): ContractStorage {
		if (!this.storageCache) {
			this.storageCache = this.machine.storage.of(this.context.address);
			this.storageCache.usedBy(this);
		}
		return this.storageCache;
	}

	/** Energy left. */
	get remaining(): Word {
		return this.reserve === 0n ? this.left : narrow(BigInt(this.left) + this.reserve);
	}

	/** Energy spent so far. */
	get used(): Word {
		const { energy } = this.context;
		if (this.reserve === 0n && typeof energy === "number") return energy - this.left;
		return narrow(BigInt(energy) - BigInt(this.left) - this.reserve);
	}

	/** Spends energy; false if there isn't enough. */
	spend(cost: Word): boolean {
		if (typeof cost === "number" && cost <= this.left) {
			this.left -= cost;
			return true;
		}
		if (this.reserve === 0n) return false;
		const total = BigInt(this.left) + this.reserve - BigInt(cost);
		if (total < 0n) return false;
		this.setRemaining(total);
		return true;
	}

	/** Adds energy back; possibly more than was spent, with a stipend. */
	refund(energy: Word): void {
		const total = add(this.remaining, energy);
		if (typeof total === "number" && total <= MAX_SMALL && this.reserve === 0n) this.left = total;
		else this.setRemaining(BigInt(total));
	}

	spendAll(): void {
		this.left = 0;
		this.reserve = 0n;
	}

	private setRemaining(total: bigint): void {
		const atHand = total < BigInt(ENERGY_AT_HAND) ? total : BigInt(ENERGY_AT_HAND);
		this.left = Number(atHand);
		this.reserve = total - atHand;
	}

	pop(): Word {
		return this.stack[--this.sp] as Word;
	}

	push(word: Word): void {
		this.stack[this.sp++] = word;
	}

	/** The word `depth` below the top of the stack; 0 is the top. */
	peek(depth: number): Word {
		return this.stack[this.sp - 1 - depth] as Word;
	}

	/** Ends the frame with its output. */
	halt(output: Uint8Array): void {
		this.output = output;
		this.halted = true;
		this.interrupted = true;
	}

	/** Ends the frame as reverted. */
	revert(output: Uint8Array): void {
		this.reverted = true;
		this.halt(output);
	}

	/** Runs a child frame before the next operation. */
	open(child: Frame, resume: Resume): void {
		child.opener = this;
		child.resume = resume;
		this.child = child;
		this.interrupted = true;
	}

	/** Energy to expand memory up to `end`. @throws {VmError} out of memory */
	memoryCost(end: number, operation: string): number {
		if (end > MEMORY_LIMIT) throw outOfMemory(operation);
		return expansionCost(this.memory.size, end);
	}
}
