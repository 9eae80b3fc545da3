/** Fields of post-quantum signatures, good and damaged, behind the other fields of a message (protocol/post-quantum §1). */

import { concatBytes } from "../../../../src/protocol/bytes.js";
import type { Randomness } from "../../../simulation/randomness.js";

function varint(value: number): Uint8Array {
	const bytes: number[] = [];
	let rest = value;
	for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
	bytes.push(rest);
	return Uint8Array.from(bytes);
}

const field = (number: number, content: Uint8Array): Uint8Array =>
	concatBytes(varint(number * 8 + 2), varint(content.length), content);

function entry(random: Randomness): Uint8Array {
	const [scheme, key, signature] = random.pick([
		[1, 896, 650],
		[2, 1312, 2420],
		[0, 0, 0],
		[9, 1, 1],
		[1, 1312, 60_000],
	] as const);
	const members = [
		concatBytes(Uint8Array.of(8), varint(scheme)),
		field(2, random.bytes(key)),
		field(3, random.bytes(signature)),
	];
	if (random.chance(0.2)) members.push(field(random.between(4, 2000), random.bytes(5)));
	if (random.chance(0.2)) members.reverse();
	if (random.chance(0.2)) members.push(random.pick(members));
	const bytes = concatBytes(...members);
	return random.chance(0.1) ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes;
}

/** @param number of the field that holds them */
export function randomEntries(random: Randomness, number: number): Uint8Array {
	const one = (): Uint8Array => {
		if (random.chance(0.1))
			return concatBytes(varint(number * 8 + random.pick([0, 1, 3, 4, 5])), random.bytes(9));
		return random.chance(0.1) ? field(number, random.bytes(random.below(40))) : field(number, entry(random));
	};
	if (random.chance(0.05)) {
		const empty = field(number, new Uint8Array());
		return concatBytes(...Array.from({ length: random.between(60, 20_000) }, () => empty));
	}
	return concatBytes(...Array.from({ length: random.between(0, 7) }, one));
}

/** A list with one message in its field 1. */
export const listOf = (message: Uint8Array): Uint8Array => field(1, message);

/** A block of some transactions and a header. */
export const blockOf = (transactions: readonly Uint8Array[], header: Uint8Array): Uint8Array =>
	concatBytes(...transactions.map((each) => field(1, each)), field(2, header));
