/** Where a transaction's contract comes to lie. */

import { addressFromHash, contractAddress } from "./address.js";
import { concatBytes, EMPTY, utf8 } from "./bytes.js";
import { keccak256 } from "./hash.js";
import type { SignedTransaction } from "./transaction.js";

/** How a development chain marks a transaction with its sender's nonce; `scripts` has no use on the network. */
const MARK = /^nonce=(0|[1-9]\d{0,8})$/;

/** The mark of a nonce, for `raw_data.scripts`. @param nonce below 10^9 */
export const nonceMark = (nonce: number): Uint8Array => utf8(`nonce=${nonce}`);

/** The nonce that a transaction is marked with; undefined: it has none. */
export function markedNonce({ raw }: SignedTransaction): number | undefined {
	const scripts = raw?.scripts;
	if (!scripts || scripts.length === 0 || scripts.length > 16) return undefined;
	const digits = MARK.exec(Buffer.from(scripts).toString("latin1"))?.[1];
	return digits === undefined ? undefined : Number(digits);
}

/**
 * Address that Ethereum's tools compute of a contract: of the list of sender and nonce in Ethereum's encoding (RLP).
 * @param owner 21 bytes
 */
export function contractAddressByNonce(owner: Uint8Array, nonce: number): Uint8Array {
	const sender = concatBytes(Uint8Array.of(0x94), owner.subarray(1));
	const digits = nonce === 0 ? EMPTY : Buffer.from(evenHex(nonce), "hex");
	const number =
		digits.length === 1 && (digits[0] as number) < 0x80
			? digits
			: concatBytes(Uint8Array.of(0x80 + digits.length), digits);
	const list = concatBytes(Uint8Array.of(0xc0 + sender.length + number.length), sender, number);
	return addressFromHash(keccak256(list));
}

function evenHex(value: number): string {
	const digits = value.toString(16);
	return digits.length % 2 === 0 ? digits : `0${digits}`;
}

/**
 * Address of the contract that a transaction deploys (protocol/blocks §1.1, protocol/development-chain §4.8).
 * @param countsNonces whether marks count: on development chains alone
 */
export function deploymentAddress(
	transaction: SignedTransaction,
	owner: Uint8Array,
	countsNonces: boolean,
): Uint8Array {
	const nonce = countsNonces ? markedNonce(transaction) : undefined;
	return nonce === undefined ? contractAddress(transaction.id, owner) : contractAddressByNonce(owner, nonce);
}
