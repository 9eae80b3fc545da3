/**
 * Signatures of shielded transactions: one per spend, and one binding all values to the balance
 * (protocol/shielded §§6.3, 10.2). If signing is impossible, the network returns 64 zero bytes.
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

/** rk: ak + [alpha] of the spend generator. @returns undefined if ak is invalid or alpha not reduced */
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

/** Signs like {@link authorizeSpend}, with a key held elsewhere. */
export type SpendAuthorizer = (alpha: Uint8Array, signHash: Uint8Array) => Promise<Uint8Array>;

/** The authorizing key, or a remote signer holding it. Without either, spends stay unsigned. */
export interface SpendAuthority {
	readonly ask?: Uint8Array | undefined;
	/** In place of `ask`. */
	readonly authorize?: SpendAuthorizer | undefined;
}

/**
 * Authorizes spends, one per alpha.
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

/** Whether a signature authorizes a spend of this key. @param ak of the holder */
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
 * Signs the balance of all spends and outputs.
 * @param balance amount leaving the pool
 * @returns 64 bytes; zeros if the values don't add up to the balance
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
