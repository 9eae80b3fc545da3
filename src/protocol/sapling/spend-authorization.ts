/**
 * The signatures of a shielded transaction: one authorizes each spend, one binds all values to their balance
 * (protocol/shielded §6.3 and §10.2). Where there is nothing to sign with, the network answers 64 zero bytes and goes on.
 */

import { concatBytes } from "../bytes.js";
import type { Described, Randomness } from "./descriptions.js";
import {
	decodePoint,
	encodePoint,
	GROUP_ORDER,
	multiplySecret,
	readScalar,
	spendGenerator,
	valueRandomnessGenerator,
} from "./jubjub.js";
import { signRedJubjub, verifyRedJubjub } from "./redjubjub.js";
import { bindingKey } from "./value-commitment.js";

const SIGNATURE_RANDOMNESS = 80;
const NO_SIGNATURE = new Uint8Array(64);

/** rk: ak + [alpha] of the spend generator. @returns undefined if ak is not a point or alpha not reduced */
export function randomizedKey(ak: Uint8Array, alpha: Uint8Array): Uint8Array | undefined {
	const key = decodePoint(ak);
	const scalar = readScalar(alpha);
	if (!key || scalar === undefined) return undefined;
	return encodePoint(key.add(multiplySecret(spendGenerator(), scalar)));
}

/**
 * Authorizes a spend.
 * @param signHash of the transaction, 32 bytes
 * @returns 64 bytes; zeros if a scalar is not reduced
 */
export function authorizeSpend(
	ask: Uint8Array,
	alpha: Uint8Array,
	signHash: Uint8Array,
	random: Randomness,
): Uint8Array {
	const [secret, mask] = [readScalar(ask), readScalar(alpha)];
	if (secret === undefined || mask === undefined) return NO_SIGNATURE;
	const key = (secret + mask) % GROUP_ORDER;
	const rk = encodePoint(multiplySecret(spendGenerator(), key));
	return signRedJubjub(key, spendGenerator(), concatBytes(rk, signHash), random(SIGNATURE_RANDOMNESS));
}

/** Signs as {@link authorizeSpend} does, with a key that stays where it is. */
export type SpendAuthorizer = (alpha: Uint8Array, signHash: Uint8Array) => Promise<Uint8Array>;

/** What authorizes spends: the key, or somebody who holds it and signs. Without either spends are left unsigned. */
export interface SpendAuthority {
	readonly ask?: Uint8Array | undefined;
	/** In place of `ask`. */
	readonly authorize?: SpendAuthorizer | undefined;
}

/**
 * The authorizations of spends, one for each mask.
 * @returns undefined without an authority
 */
export async function authorizeSpends(
	{ ask, authorize }: SpendAuthority,
	alphas: readonly Uint8Array[],
	signHash: Uint8Array,
	random: Randomness,
): Promise<readonly Uint8Array[] | undefined> {
	if (!authorize) return ask && alphas.map((alpha) => authorizeSpend(ask, alpha, signHash, random));
	const signatures: Uint8Array[] = [];
	for (const alpha of alphas) signatures.push(await authorize(alpha, signHash));
	return signatures;
}

/** Whether a signature authorizes the spend of a key's note. @param ak of the holder */
export function isAuthorizedBy(
	ak: Uint8Array,
	alpha: Uint8Array,
	signHash: Uint8Array,
	signature: Uint8Array,
): boolean {
	const rk = randomizedKey(ak, alpha);
	const key = rk && decodePoint(rk);
	return (
		key !== undefined &&
		verifyRedJubjub(key, spendGenerator(), concatBytes(rk as Uint8Array, signHash), signature)
	);
}

/**
 * Binds the values of all spends and outputs.
 * @param balance what leaves the pool
 * @returns 64 bytes; zeros if the values don't make that balance
 */
export function bindValues(
	spends: readonly Described<unknown>[],
	outputs: readonly Described<unknown>[],
	balance: bigint,
	signHash: Uint8Array,
	random: Randomness,
): Uint8Array {
	let secret = 0n;
	for (const { randomness } of spends) secret += randomness;
	for (const { randomness } of outputs) secret -= randomness;
	secret = ((secret % GROUP_ORDER) + GROUP_ORDER) % GROUP_ORDER;
	const commitments = (list: readonly Described<unknown>[]) => list.map(({ commitment }) => commitment);
	const key = bindingKey(commitments(spends), commitments(outputs), balance);
	if (!key?.equals(multiplySecret(valueRandomnessGenerator(), secret))) return NO_SIGNATURE;
	return signRedJubjub(
		secret,
		valueRandomnessGenerator(),
		concatBytes(encodePoint(key), signHash),
		random(SIGNATURE_RANDOMNESS),
	);
}
