/**
 * Keys of shielded addresses (protocol/shielded §7.1), 32 bytes each, except 11-byte diversifiers. A
 * *spending key* yields an *expanded* one (ask, nsk, ovk), that a *full viewing key* (ak, nk, ovk), that an
 * *incoming viewing key*, and that with a diversifier an address.
 */

import { blake2b, blake2s } from "@noble/hashes/blake2.js";
import { concatBytes, fromHex, utf8 } from "../bytes.js";
import {
	encodePoint,
	groupHash,
	littleBytes,
	multiplySecret,
	type Point,
	proofGenerator,
	readLittle,
	reduceScalar,
	spendGenerator,
} from "./jubjub.js";
import { DIVERSIFIER_SIZE } from "./sizes.js";

/** The network's own personalisations (protocol/shielded §7.1). */
const EXPAND = fromHex("5a74726f6e5f457870616e6453656564");

const DEFAULT_DIVERSIFIERS = 255;

interface ExpandedKey {
	/** Authorizes spends. */
	readonly ask: Uint8Array;
	/** Derives nullifiers. */
	readonly nsk: Uint8Array;
	/** Decrypts outgoing notes. */
	readonly ovk: Uint8Array;
}

function expand(spendingKey: Uint8Array, ...tag: number[]): Uint8Array {
	return blake2b(concatBytes(spendingKey, Uint8Array.from(tag)), { personalization: EXPAND, dkLen: 64 });
}

/** @param bytes 64, random or hashed */
const toScalar = (bytes: Uint8Array): Uint8Array => littleBytes(reduceScalar(bytes));

export function expandSpendingKey(spendingKey: Uint8Array): ExpandedKey {
	return {
		ask: toScalar(expand(spendingKey, 0)),
		nsk: toScalar(expand(spendingKey, 1)),
		ovk: expand(spendingKey, 2).slice(0, 32),
	};
}

/** ak: verifies spend authorizations. @param ask any 32 bytes; reduced */
export const authorizationKey = (ask: Uint8Array): Uint8Array =>
	encodePoint(multiplySecret(spendGenerator(), reduceScalar(ask)));

/** nk: derives nullifiers. @param nsk any 32 bytes; reduced */
export const nullifierKey = (nsk: Uint8Array): Uint8Array =>
	encodePoint(multiplySecret(proofGenerator(), reduceScalar(nsk)));

/** ivk: 251 bits. Spending keys for which it is zero are not used. */
export function incomingViewingKey(ak: Uint8Array, nk: Uint8Array): Uint8Array {
	const key = blake2s(concatBytes(ak, nk), { personalization: utf8("Zcashivk"), dkLen: 32 });
	key[31] = (key[31] as number) & 0x07;
	return key;
}

/** A diversifier's base point. @returns undefined for about half of all diversifiers: they are invalid */
export const diversifiedBase = (diversifier: Uint8Array): Point | undefined =>
	groupHash(diversifier, "Zcash_gd");

/** The first valid diversifier of a spending key. @returns undefined if none of 255 candidates is */
export function defaultDiversifier(spendingKey: Uint8Array): Uint8Array | undefined {
	for (let i = 0; i < DEFAULT_DIVERSIFIERS; i++) {
		const diversifier = expand(spendingKey, 3, i).slice(0, DIVERSIFIER_SIZE);
		if (diversifiedBase(diversifier)) return diversifier;
	}
	return undefined;
}

/** pk_d: the key of an address. @returns undefined if the diversifier is invalid, or ivk exceeds 251 bits */
export function transmissionKey(ivk: Uint8Array, diversifier: Uint8Array): Uint8Array | undefined {
	if ((ivk[31] as number) >> 3 !== 0) return undefined;
	const base = diversifiedBase(diversifier);
	return base && encodePoint(multiplySecret(base, readLittle(ivk)));
}
