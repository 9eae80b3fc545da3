/** Random choices that a seed repeats. */

import { keccak256 } from "../../../../src/protocol/hash.js";

export class Chance {
	private a: number;
	private b: number;
	private c: number;
	private d: number;

	/** The choices of one program of a seed. */
	constructor(seed: number, index: number) {
		const view = new DataView(Uint8Array.from(keccak256(Buffer.from(`${seed}/${index}`))).buffer);
		[this.a, this.b, this.c, this.d] = [
			view.getInt32(0),
			view.getInt32(4),
			view.getInt32(8),
			view.getInt32(12),
		];
	}

	/** 32 random bits, not negative. */
	bits(): number {
		// Small fast counter: Bob Jenkins' generator after Chris Doty-Humphrey.
		const sum = (((this.a + this.b) | 0) + this.d) | 0;
		this.d = (this.d + 1) | 0;
		this.a = this.b ^ (this.b >>> 9);
		this.b = (this.c + (this.c << 3)) | 0;
		this.c = ((this.c << 21) | (this.c >>> 11)) + sum;
		return sum >>> 0;
	}

	/** An integer from 0 to `below` - 1. */
	below(below: number): number {
		return Math.floor((this.bits() / 2 ** 32) * below);
	}

	happens(probability: number): boolean {
		return this.bits() < probability * 2 ** 32;
	}

	of<T>(list: readonly T[]): T {
		return list[this.below(list.length)] as T;
	}

	/** Calls one of several functions. */
	one<T>(...ways: readonly (() => T)[]): T {
		return this.of(ways)();
	}

	bytes(length: number): Uint8Array {
		return Uint8Array.from({ length }, () => this.bits() & 0xff);
	}

	/** A word of 256 bits: often small, at the edge of a form, or of many bits. */
	word(): bigint {
		return BigInt.asUintN(
			256,
			this.one(
				() => BigInt(this.below(40)),
				() => BigInt(this.below(300)),
				() => BigInt(this.bits()),
				() => (1n << BigInt(this.below(257))) + BigInt(this.below(7) - 3),
				() => -BigInt(this.below(300)),
				() => (1n << BigInt(32 * this.below(9))) + BigInt(this.below(7) - 3),
				() => (1n << 53n) + BigInt(this.below(11) - 5),
				() => BigInt(this.bits()) * BigInt(this.bits()),
				() => this.long(),
				() => this.long() >> BigInt(this.below(256)),
				() => this.long() << BigInt(this.below(256)),
			),
		);
	}

	private long(): bigint {
		return BigInt(`0x${Buffer.from(this.bytes(32)).toString("hex")}`);
	}
}
