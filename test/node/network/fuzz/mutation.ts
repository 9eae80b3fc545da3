/** Small damages of byte strings. */

import { concatBytes } from "../../../../src/protocol/bytes.js";
import type { Randomness } from "../../../simulation/randomness.js";

/** One to four damages, or none at all. */
export function mutate(bytes: Uint8Array, random: Randomness, corpus: readonly Uint8Array[]): Uint8Array {
	let out = new Uint8Array(bytes);
	for (let i = random.below(5); i > 0; i--) out = new Uint8Array(mutateOnce(out, random, corpus));
	return out;
}

function mutateOnce(bytes: Uint8Array, random: Randomness, corpus: readonly Uint8Array[]): Uint8Array {
	if (bytes.length === 0) return random.bytes(random.between(1, 20));
	const at = random.below(bytes.length);
	const out = new Uint8Array(bytes);
	switch (random.below(9)) {
		case 0:
			out[at] = (out[at] as number) ^ (1 << random.below(8));
			return out;
		case 1:
			out[at] = random.pick([0, 1, 0x7f, 0x80, 0xff]);
			return out;
		case 2:
			return out.subarray(0, at);
		case 3:
			return concatBytes(out.subarray(0, at), random.bytes(random.between(1, 12)), out.subarray(at));
		case 4:
			return concatBytes(out.subarray(0, at), out.subarray(Math.min(out.length, at + random.between(1, 12))));
		case 5:
			return concatBytes(out, out.subarray(at));
		case 6: {
			const other = random.pick(corpus);
			return concatBytes(out.subarray(0, at), other.subarray(random.below(other.length + 1)));
		}
		case 7:
			// A length or number that goes on and on.
			return concatBytes(
				out.subarray(0, at),
				new Uint8Array(random.between(1, 11)).fill(0xff),
				out.subarray(at),
			);
		default:
			out.fill(0, at, at + random.between(1, 16));
			return out;
	}
}
