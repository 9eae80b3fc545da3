/** Commitments to amounts, and the key under which those of a transaction are balanced (protocol/shielded §6.3). */

import {
	GROUP_ORDER,
	INFINITY,
	multiplyPublic,
	multiplySecret,
	type Point,
	valueGenerator,
	valueRandomnessGenerator,
} from "./jubjub.js";

const LOWEST = -(2n ** 63n);

/** cv. @param randomness rcv, a reduced scalar */
export const valueCommitment = (value: bigint, randomness: bigint): Point =>
	multiplySecret(valueGenerator(), value).add(multiplySecret(valueRandomnessGenerator(), randomness));

/**
 * The key of the signature that binds all amounts of a transaction.
 * @param balance what leaves the pool, negative where it enters: a signed number of 64 bits
 * @returns undefined for the lowest such number, whose opposite has no place in 64 bits
 */
export function bindingKey(
	spent: readonly Point[],
	created: readonly Point[],
	balance: bigint,
): Point | undefined {
	if (balance <= LOWEST) return undefined;
	let key = INFINITY;
	for (const commitment of spent) key = key.add(commitment);
	for (const commitment of created) key = key.subtract(commitment);
	return key.subtract(
		multiplyPublic(valueGenerator(), ((balance % GROUP_ORDER) + GROUP_ORDER) % GROUP_ORDER),
	);
}
