/** Value commitments, and the key of the binding signature (protocol/shielded §6.3). */

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
 * The public key of the binding signature.
 * @param balance amount leaving the pool (negative: entering), a signed 64-bit integer
 * @returns undefined for the minimum, which can't be negated in 64 bits
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
