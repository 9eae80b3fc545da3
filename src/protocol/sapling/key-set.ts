/**
 * The known keys of one holder of notes (protocol/shielded §7.1): a spending key implies all others; a full
 * viewing key sees incoming, outgoing and spent notes; an incoming one only incoming notes.
 */

import { blake2b } from "@noble/hashes/blake2.js";
import { concatBytes, utf8 } from "../bytes.js";
import type { PaymentAddress } from "./payment-address.js";
import {
	authorizationKey,
	defaultDiversifier,
	diversifiedBase,
	expandSpendingKey,
	incomingViewingKey,
	nullifierKey,
	transmissionKey,
} from "./shielded-keys.js";
import { DIVERSIFIER_SIZE } from "./sizes.js";
import type { SpendAuthorizer } from "./spend-authorization.js";

/** The strongest known key. */
export type KeyReach = "spending" | "viewing" | "incoming";

export interface ShieldedKeys {
	readonly reach: KeyReach;
	/** Only with the spending key; 32 bytes, like all keys below. */
	readonly spending?: { readonly sk: Uint8Array; readonly ask: Uint8Array; readonly nsk: Uint8Array };
	/** Used instead if the spending key is held elsewhere: the proving key, and a remote authorizer. */
	readonly delegated?: { readonly nsk: Uint8Array; readonly authorize: SpendAuthorizer };
	/** With a full viewing key. */
	readonly full?: { readonly ak: Uint8Array; readonly nk: Uint8Array };
	/** Decrypts incoming notes. */
	readonly ivk: Uint8Array;
	/** Decrypts outgoing notes. */
	readonly ovk?: Uint8Array;
	/** Of the default address, 11 bytes. */
	readonly diversifier: Uint8Array;
}

/** Diversifiers tried; each is valid with probability one half. */
const TRIES = 255;
const IVK_TOP_BITS = 0xf8;

/** @returns undefined for unused keys: the first byte is above 15, or derivation fails */
export function keysOfSpendingKey(sk: Uint8Array): ShieldedKeys | undefined {
	if (sk.length !== 32 || (sk[0] as number) > 0x0f) return undefined;
	const { ask, nsk, ovk } = expandSpendingKey(sk);
	const full = { ak: authorizationKey(ask), nk: nullifierKey(nsk) };
	const ivk = incomingViewingKey(full.ak, full.nk);
	const diversifier = defaultDiversifier(sk);
	if (!diversifier || ivk.every((byte) => byte === 0)) return undefined;
	return { reach: "spending", spending: { sk, ask, nsk }, full, ivk, ovk, diversifier };
}

/**
 * @param diversifier of the default address; absent: the first one derived from the key
 * @returns undefined for an invalid diversifier
 */
export function keysOfViewingKey(
	ak: Uint8Array,
	nk: Uint8Array,
	ovk: Uint8Array,
	diversifier?: Uint8Array,
): ShieldedKeys | undefined {
	const ivk = incomingViewingKey(ak, nk);
	const usual = diversifier ?? diversifierAt(ivk, 0);
	if (!diversifiedBase(usual)) return undefined;
	return { reach: "viewing", full: { ak, nk }, ivk, ovk, diversifier: usual };
}

/** @returns undefined if the key has more than 251 bits, or the diversifier is invalid */
export function keysOfIncomingKey(
	ivk: Uint8Array,
	ovk?: Uint8Array,
	diversifier?: Uint8Array,
): ShieldedKeys | undefined {
	if (ivk.length !== 32 || ((ivk[31] as number) & IVK_TOP_BITS) !== 0 || ivk.every((byte) => byte === 0))
		return undefined;
	const usual = diversifier ?? diversifierAt(ivk, 0);
	if (!diversifiedBase(usual)) return undefined;
	return { reach: "incoming", ivk, ...(ovk ? { ovk } : {}), diversifier: usual };
}

/** The keys restricted to a weaker view. */
export function narrowed(keys: ShieldedKeys, reach: "viewing" | "incoming"): ShieldedKeys {
	const { full, ivk, ovk, diversifier } = keys;
	const outgoing = ovk ? { ovk } : {};
	return reach === "viewing" && full
		? { reach, full, ivk, ...outgoing, diversifier }
		: { reach: "incoming", ivk, ...outgoing, diversifier };
}

/**
 * One of a holder's diversifiers, unlinkable to the others without the key.
 * @param index from 0
 */
export function diversifierAt(ivk: Uint8Array, index: number): Uint8Array {
	const place = Buffer.alloc(8);
	place.writeUInt32LE(index);
	for (let i = 0; i < TRIES; i++) {
		place.writeUInt32LE(i, 4);
		const digest = blake2b(concatBytes(ivk, place), { personalization: utf8("coin diversifier"), dkLen: 64 });
		const diversifier = digest.slice(0, DIVERSIFIER_SIZE);
		if (diversifiedBase(diversifier)) return diversifier;
	}
	throw new RangeError("no diversifier follows from the key");
}

/** @param diversifier a valid one; default: that of the default address */
export function addressOfKeys(keys: ShieldedKeys, diversifier = keys.diversifier): PaymentAddress {
	const key = transmissionKey(keys.ivk, diversifier);
	if (!key) throw new RangeError("the diversifier is not valid");
	return { diversifier, transmissionKey: key };
}

/** Overwrites keys that are no longer needed. */
export function forgetKeys({ spending, full, ivk, ovk, diversifier }: ShieldedKeys): void {
	const parts = [spending?.sk, spending?.ask, spending?.nsk, full?.ak, full?.nk, ivk, ovk, diversifier];
	for (const part of parts) part?.fill(0);
}
