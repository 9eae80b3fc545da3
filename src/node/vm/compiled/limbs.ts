/**
 * Words during translation: four 64-bit limbs, lowest first, each a known constant or a local of the
 * function. Known limbs cost nothing at run time; most words have upper limbs of zero.
 */

import { Op, type WasmWriter } from "./wasm-writer.js";

/** Constant if it has a value; otherwise in a local, which is freed when the limb has no more uses. */
export interface Limb {
	readonly value: bigint | undefined;
	readonly local: number;
	uses: number;
	/** Its local has been freed. */
	isFree?: true;
}

export type Limbs = readonly [Limb, Limb, Limb, Limb];

const known = (value: bigint): Limb => ({ value, local: -1, uses: 0 });

export const ZERO = known(0n);
const ONE = known(1n);
export const ZERO_LIMBS: Limbs = [ZERO, ZERO, ZERO, ZERO];

const U64 = (value: bigint): bigint => BigInt.asUintN(64, value);

export function constantLimb(value: bigint): Limb {
	const limb = U64(value);
	return limb === 0n ? ZERO : known(limb);
}

export function constantWord(value: bigint): Limbs {
	return [
		constantLimb(value),
		constantLimb(value >> 64n),
		constantLimb(value >> 128n),
		constantLimb(value >> 192n),
	];
}

/** A word of one limb. */
export const shortWord = (limb: Limb): Limbs => [limb, ZERO, ZERO, ZERO];

export const isZero = (limb: Limb): boolean => limb.value === 0n;

/** Whether all limbs but the lowest are known to be zero. */
export const isShort = (word: Limbs): boolean => isZero(word[1]) && isZero(word[2]) && isZero(word[3]);

/** The value of a fully known word. */
export function knownWord(word: Limbs): bigint | undefined {
	let value = 0n;
	for (let i = 3; i >= 0; i--) {
		const limb = (word[i] as Limb).value;
		if (limb === undefined) return undefined;
		value = (value << 64n) | limb;
	}
	return value;
}

export function retain(word: Limbs): void {
	for (const limb of word) limb.uses++;
}

/** Writes a function's calculations on limbs, and allocates their locals. */
export class LimbWriter {
	private readonly free: number[] = [];
	/** Limbs in locals that had no uses when last checked. */
	private readonly loose: Limb[] = [];
	/** The next unused local. */
	private next: number;

	/** @param first the first of the free 64-bit locals */
	constructor(
		readonly code: WasmWriter,
		private readonly first: number,
	) {
		this.next = first;
	}

	/** Number of 64-bit locals used. */
	get locals(): number {
		return this.next - this.first;
	}

	/** Pops WebAssembly's stack into a limb, which lasts until {@link settle} unless it is retained. */
	take(): Limb {
		const limb: Limb = { value: undefined, local: this.free.pop() ?? this.next++, uses: 0 };
		this.code.set(limb.local);
		this.loose.push(limb);
		return limb;
	}

	/** Ends one use of a word. */
	release(word: Limbs): void {
		for (const limb of word) {
			limb.uses--;
			if (limb.uses === 0 && limb.local >= 0) this.loose.push(limb);
		}
	}

	/** Frees the locals of unused limbs; call after an operation is written and its results are retained. */
	settle(): void {
		for (const limb of this.loose) {
			if (limb.uses > 0 || limb.isFree) continue;
			limb.isFree = true;
			this.free.push(limb.local);
		}
		this.loose.length = 0;
	}

	push(limb: Limb): void {
		if (limb.value === undefined) this.code.get(limb.local);
		else this.code.i64(limb.value);
	}

	private binary(op: number, a: Limb, b: Limb): Limb {
		this.push(a);
		this.push(b);
		this.code.op(op);
		return this.take();
	}

	/** A comparison of limbs, giving 0 or 1. */
	private compare(op: number, a: Limb, b: Limb): Limb {
		this.push(a);
		this.push(b);
		this.code.op(op, Op.I64_EXTEND_I32_U);
		return this.take();
	}

	and(a: Limb, b: Limb): Limb {
		if (a.value !== undefined && b.value !== undefined) return constantLimb(a.value & b.value);
		if (isZero(a) || isZero(b)) return ZERO;
		if (a.value === MASK) return b;
		if (b.value === MASK) return a;
		return this.binary(Op.I64_AND, a, b);
	}

	or(a: Limb, b: Limb): Limb {
		if (a.value !== undefined && b.value !== undefined) return constantLimb(a.value | b.value);
		if (isZero(a) || a === b) return b;
		if (isZero(b)) return a;
		return this.binary(Op.I64_OR, a, b);
	}

	xor(a: Limb, b: Limb): Limb {
		if (a.value !== undefined && b.value !== undefined) return constantLimb(a.value ^ b.value);
		if (a === b) return ZERO;
		if (isZero(a)) return b;
		if (isZero(b)) return a;
		return this.binary(Op.I64_XOR, a, b);
	}

	private plus(a: Limb, b: Limb): Limb {
		if (a.value !== undefined && b.value !== undefined) return constantLimb(a.value + b.value);
		if (isZero(a)) return b;
		if (isZero(b)) return a;
		return this.binary(Op.I64_ADD, a, b);
	}

	private minus(a: Limb, b: Limb): Limb {
		if (a.value !== undefined && b.value !== undefined) return constantLimb(a.value - b.value);
		if (a === b) return ZERO;
		if (isZero(b)) return a;
		return this.binary(Op.I64_SUB, a, b);
	}

	/** 1 if a < b. */
	private less(a: Limb, b: Limb): Limb {
		if (a.value !== undefined && b.value !== undefined) return a.value < b.value ? ONE : ZERO;
		if (a === b || isZero(b)) return ZERO;
		if (isZero(a)) return this.compare(Op.I64_NE, b, ZERO);
		return this.compare(Op.I64_LT_U, a, b);
	}

	private equal(a: Limb, b: Limb): Limb {
		if (a.value !== undefined && b.value !== undefined) return a.value === b.value ? ONE : ZERO;
		if (a === b) return ONE;
		return this.compare(Op.I64_EQ, a, b);
	}

	/** 1 if the limb is 0. */
	private none(a: Limb): Limb {
		if (a.value !== undefined) return isZero(a) ? ONE : ZERO;
		this.push(a);
		this.code.op(Op.I64_EQZ, Op.I64_EXTEND_I32_U);
		return this.take();
	}

	add(a: Limbs, b: Limbs): Limbs {
		const sums: Limb[] = [];
		let carry = ZERO;
		for (let i = 0; i < 4; i++) {
			const [x, y] = [a[i] as Limb, b[i] as Limb];
			const partial = this.plus(x, y);
			const sum = this.plus(partial, carry);
			if (i < 3) {
				const first = partial === x || partial === y ? ZERO : this.less(partial, y);
				const second = sum === partial || sum === carry ? ZERO : this.less(sum, carry);
				carry = this.or(first, second);
			}
			sums.push(sum);
		}
		return sums as unknown as Limbs;
	}

	sub(a: Limbs, b: Limbs): Limbs {
		const differences: Limb[] = [];
		let borrow = ZERO;
		for (let i = 0; i < 4; i++) {
			const [x, y] = [a[i] as Limb, b[i] as Limb];
			const partial = this.minus(x, y);
			const difference = this.minus(partial, borrow);
			if (i < 3) {
				const first = this.less(x, y);
				const second = this.less(partial, borrow);
				borrow = this.or(first, second);
			}
			differences.push(difference);
		}
		return differences as unknown as Limbs;
	}

	/** 1 if a < b, optionally as signed words. */
	lessWord(a: Limbs, b: Limbs, signed = false): Limb {
		let below = ZERO;
		for (let i = 0; i < 4; i++) {
			const flips = signed && i === 3;
			const x = flips ? this.xor(a[3], SIGN) : (a[i] as Limb);
			const y = flips ? this.xor(b[3], SIGN) : (b[i] as Limb);
			const less = this.less(x, y);
			below = isZero(below) ? less : this.or(less, this.and(this.equal(x, y), below));
		}
		return below;
	}

	/** 0 if all limbs are 0, else nonzero. */
	any(limbs: readonly Limb[]): Limb {
		return limbs.reduce((x, y) => this.or(x, y));
	}

	isNone(a: Limbs): Limb {
		return this.none(this.any(a));
	}

	equalWord(a: Limbs, b: Limbs): Limb {
		return this.isNone(this.map(a, b, (x, y) => this.xor(x, y)));
	}

	map(a: Limbs, b: Limbs, join: (x: Limb, y: Limb) => Limb): Limbs {
		return a.map((limb, i) => join(limb, b[i] as Limb)) as unknown as Limbs;
	}

	not(a: Limbs): Limbs {
		return a.map((limb) => this.xor(limb, ONES)) as unknown as Limbs;
	}

	/** Shifts a limb by 1 to 63 bits, to the left or right. */
	private shiftLimb(op: number, a: Limb, by: number): Limb {
		if (a.value !== undefined) {
			if (op === Op.I64_SHL) return constantLimb(a.value << BigInt(by));
			return constantLimb((op === Op.I64_SHR_S ? BigInt.asIntN(64, a.value) : a.value) >> BigInt(by));
		}
		return this.binary(op, a, constantLimb(BigInt(by)));
	}

	/** The lower limb of `high:low` shifted right by less than 64 bits. */
	private funnel(high: Limb, low: Limb, by: number): Limb {
		if (by === 0) return low;
		const fromLow = this.shiftLimb(Op.I64_SHR_U, low, by);
		const fromHigh = this.shiftLimb(Op.I64_SHL, high, 64 - by);
		return this.or(fromHigh, fromLow);
	}

	/** @param by less than 256 */
	shiftRight(a: Limbs, by: number, signed = false): Limbs {
		const fill = signed ? this.signOf(a) : ZERO;
		const at = (i: number): Limb => (i < 4 ? (a[i] as Limb) : fill);
		const whole = by >> 6;
		const rest = by & 63;
		return [0, 1, 2, 3].map((i) =>
			i + whole > 3 ? fill : this.funnel(at(i + whole + 1), at(i + whole), rest),
		) as unknown as Limbs;
	}

	/** A limb filled with the sign bit. */
	private signOf(a: Limbs): Limb {
		return this.shiftLimb(Op.I64_SHR_S, a[3], 63);
	}

	/** @param by less than 256 */
	shiftLeft(a: Limbs, by: number): Limbs {
		const at = (i: number): Limb => (i >= 0 ? (a[i] as Limb) : ZERO);
		const whole = by >> 6;
		const rest = by & 63;
		return [0, 1, 2, 3].map((i) =>
			rest === 0 ? at(i - whole) : this.funnel(at(i - whole), at(i - whole - 1), 64 - rest),
		) as unknown as Limbs;
	}
}

const MASK = U64(-1n);
const ONES = known(MASK);
const SIGN = known(1n << 63n);
