/** Searches for a key whose address begins with given letters. */

import { randomBytes } from "node:crypto";
import { normalizeZ } from "@noble/curves/abstract/curve.js";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import {
	ALPHABET,
	addressFromHash,
	addressFromPublicKey,
	addressPrefix,
	toBase58Check,
} from "../protocol/address.js";
import { KeystoreError } from "./keystore-error.js";

const { Point } = secp256k1;

/** Number of points converted to affine form with a single inversion. */
const BATCH = 256;

/** A search that is expected to need more tries than this is refused. */
const MAX_TRIES = 5e9;

interface VanitySearch {
	/** Average number of keys to try. */
	readonly expectedTries: number;
	/** Tries one batch of keys. @returns 32 bytes, or undefined if no key of the batch matches */
	next(): Uint8Array | undefined;
	readonly tries: number;
}

/**
 * Prepares a search.
 * @param prefix beginning of the Base58 address
 * @throws {KeystoreError} `bad_value` if no address begins so, or if the search would take too long
 */
export function searchPrefix(prefix: string): VanitySearch {
	const share = shareOf(prefix);
	if (share === 0) {
		throw new KeystoreError(
			"bad_value",
			`no address begins with "${prefix}": they begin with ${toBase58Check(addressFromHash(new Uint8Array(20)))[0]} and have the letters of Base58, which lack 0, O, I and l`,
		);
	}
	const expectedTries = 1 / share;
	if (expectedTries > MAX_TRIES) {
		throw new KeystoreError("bad_value", `"${prefix}" is too long: a search would take years`);
	}
	let tries = 0;
	return {
		expectedTries,
		get tries() {
			return tries;
		},
		next: () => {
			tries += BATCH;
			return tryBatch(prefix);
		},
	};
}

/** Starts each batch at a fresh random key, so that found keys are independent of each other. */
function tryBatch(prefix: string): Uint8Array | undefined {
	const start = Point.Fn.fromBytes(secp256k1.utils.randomSecretKey(randomBytes(48)));
	const points = [Point.BASE.multiply(start)];
	for (let i = 1; i < BATCH; i++) points.push((points[i - 1] as typeof Point.BASE).add(Point.BASE));
	const found = normalizeZ(Point, points).findIndex((point) =>
		toBase58Check(addressFromPublicKey(point.toBytes(false))).startsWith(prefix),
	);
	return found < 0 ? undefined : Point.Fn.toBytes(Point.Fn.create(start + BigInt(found)));
}

/**
 * The fraction of all addresses that begin with a text: an address is a base-58 number of 34 digits, so these addresses form a
 * range of numbers.
 */
function shareOf(prefix: string): number {
	const digits = [...prefix].map((letter) => ALPHABET.indexOf(letter));
	if (digits.length === 0 || digits.length > 34 || digits.includes(-1)) return 0;
	const rest = 34 - digits.length;
	const from = digits.reduce((value, digit) => value * 58n + BigInt(digit), 0n) * 58n ** BigInt(rest);
	const to = from + 58n ** BigInt(rest);
	// 21 bytes of address and 4 of checksum.
	const bottom = BigInt(addressPrefix()) << 192n;
	const top = (BigInt(addressPrefix()) + 1n) << 192n;
	const overlap = (to < top ? to : top) - (from > bottom ? from : bottom);
	return overlap <= 0n ? 0 : Number((overlap * 10n ** 15n) / (top - bottom)) / 1e15;
}
