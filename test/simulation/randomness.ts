/** Reproducible random numbers, the only source of randomness in a simulation. */

/** The generator sfc32 (Chris Doty-Humphrey), seeded through splitmix32. */
export class Randomness {
	private a: number;
	private b: number;
	private c: number;
	private counter = 1;

	constructor(private readonly seed: number) {
		let state = seed | 0;
		const next = () => {
			state = (state + 0x9e3779b9) | 0;
			let z = state ^ (state >>> 16);
			z = Math.imul(z, 0x21f0aaad);
			z ^= z >>> 15;
			z = Math.imul(z, 0x735a2d97);
			return z ^ (z >>> 15);
		};
		this.a = next();
		this.b = next();
		this.c = next();
		for (let i = 0; i < 12; i++) this.word();
	}

	/** A separate generator for one part of a simulation, unaffected by use of others. */
	branch(label: string): Randomness {
		let hash = this.seed ^ 0x811c9dc5;
		for (let i = 0; i < label.length; i++) hash = Math.imul(hash ^ label.charCodeAt(i), 0x01000193);
		return new Randomness(hash);
	}

	/** Unsigned, 32 bits. */
	word(): number {
		const result = (((this.a + this.b) | 0) + this.counter) | 0;
		this.counter = (this.counter + 1) | 0;
		this.a = this.b ^ (this.b >>> 9);
		this.b = (this.c + (this.c << 3)) | 0;
		this.c = ((this.c << 21) | (this.c >>> 11)) + result;
		this.c |= 0;
		return result >>> 0;
	}

	/** From 0 (inclusive) to 1 (exclusive). */
	fraction(): number {
		return this.word() / 0x1_0000_0000;
	}

	/** An integer from 0 below `limit`. */
	below(limit: number): number {
		return Math.floor(this.fraction() * limit);
	}

	/** An integer from `low` to `high`, inclusive. */
	between(low: number, high: number): number {
		return low + this.below(high - low + 1);
	}

	chance(probability: number): boolean {
		return probability > 0 && this.fraction() < probability;
	}

	/** @throws {RangeError} if the list is empty */
	pick<T>(from: readonly T[]): T {
		if (from.length === 0) throw new RangeError("nothing to pick from");
		return from[this.below(from.length)] as T;
	}

	/** A copy in random order. */
	shuffled<T>(values: readonly T[]): T[] {
		const copy = [...values];
		for (let i = copy.length - 1; i > 0; i--) {
			const j = this.below(i + 1);
			[copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
		}
		return copy;
	}

	bytes(count: number): Uint8Array {
		const out = new Uint8Array(count);
		for (let i = 0; i < count; i++) out[i] = this.word() & 0xff;
		return out;
	}
}
