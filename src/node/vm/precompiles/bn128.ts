/** The curve alt_bn128: addition, multiplication, pairing (protocol/precompiles §1). */

import type { Curve } from "./alt-bn128.js";
import { portableCurve } from "./curve-portable.js";
import { LoadedLibrary } from "./loaded-library.js";
import {
	checkTime,
	failed,
	ONE_WORD,
	type Precompile,
	paddedSlice,
	succeed,
	ZERO_WORD,
} from "./precompile.js";

/** Which library calculates on the curve alt_bn128. The compiled one takes 70 ms to load, and 15 MB. */
const library = new LoadedLibrary<Curve>(portableCurve, async () =>
	(await import("./curve-compiled.js")).compiledCurve(),
);

/** The best curve there is now; the first question starts to load a better one. */
export const curve = (): Curve => library.best();

/** Loads the compiled library if it can run here. @returns the curve in use from now on */
export const loadCurve = (): Promise<Curve> => library.loaded();

const PAIR = 192;

export const bn128Add: Precompile = {
	name: "bn128Add",
	word: 0x06,
	energy: (_input, gates) => (gates.istanbul ? 150n : 500n),
	run(input) {
		const sum = curve().add(paddedSlice(input, 0, 128));
		return sum ? succeed(sum) : failed;
	},
};

export const bn128Multiply: Precompile = {
	name: "bn128Mul",
	word: 0x07,
	energy: (_input, gates) => (gates.istanbul ? 6000n : 40_000n),
	run(input) {
		const product = curve().multiply(paddedSlice(input, 0, 96));
		return product ? succeed(product) : failed;
	},
};

export const bn128Pairing: Precompile = {
	name: "bn128Pairing",
	word: 0x08,
	energy(input, gates) {
		const pairs = BigInt(Math.floor(input.length / PAIR));
		return gates.istanbul ? 45_000n + 34_000n * pairs : 100_000n + 80_000n * pairs;
	},
	run(input, { machine }) {
		if (input.length % PAIR !== 0) return failed;
		const product = curve().pairings();
		for (let at = 0; at < input.length; at += PAIR) {
			checkTime(machine, "bn128Pairing");
			if (!product.multiply(input.subarray(at, at + PAIR))) return failed;
		}
		return succeed(product.isOne() ? ONE_WORD : ZERO_WORD);
	},
};
