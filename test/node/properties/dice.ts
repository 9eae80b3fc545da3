/**
 * The choices of one step of a random sequence, thrown beforehand: a list of small numbers. What they choose depends
 * on the state in which the step runs, so a shorter or simpler list still means something.
 */

import fc from "fast-check";
import { MAX_INT64, MIN_INT64 } from "../../../src/protocol/int64.js";

/** Faces of a die. */
const FACES = 720;
const DICE = 12;

/** The numbers of one step; they shrink to 0. */
export const throwsOfDice: fc.Arbitrary<readonly number[]> = fc.array(fc.nat(FACES - 1), {
	minLength: DICE,
	maxLength: DICE,
});

/** Amounts that rules refuse, or hardly let pass. */
const ODD_AMOUNTS = [0n, 1n, -1n, 999_999n, 1_000_000n, MAX_INT64, MIN_INT64];

export class Dice {
	private at = 0;

	constructor(private readonly numbers: readonly number[]) {}

	/** A number from 0 to `bound` - 1. */
	next(bound: number): number {
		return (this.numbers[this.at++] ?? 0) % bound;
	}

	/** True once in this many times. */
	once(times: number): boolean {
		return this.next(times) === times - 1;
	}

	/** One of the values; undefined if there is none. */
	pick<T>(values: readonly T[]): T | undefined {
		return values[this.next(Math.max(values.length, 1))];
	}

	/** One of the first values, or now and then, or where there are none, one of the others. */
	prefer<T>(likely: readonly T[], others: readonly T[]): T | undefined {
		return this.once(12) || likely.length === 0 ? this.pick(others) : this.pick(likely);
	}

	/** One of the likely values; now and then one of the others; undefined, mostly, where nothing is likely. */
	orElse<T>(likely: readonly T[], others: readonly T[]): T | undefined {
		return this.once(12) ? this.pick(others) : this.pick(likely);
	}

	/** Mostly a share of what there is; sometimes all of it, a little more, or an odd amount. */
	amount(available: bigint): bigint {
		const kind = this.next(20);
		if (kind < 15) return (available * BigInt(1 + this.next(99))) / 100n;
		if (kind < 17) return available;
		if (kind === 17) return available + 1n;
		return this.pick(ODD_AMOUNTS) as bigint;
	}
}
