/** Addresses of deployed contracts. */

import { addressFromHash, contractAddress } from "./address.js";
import { concatBytes, EMPTY, utf8 } from "./bytes.js";
import { keccak256 } from "./hash.js";
import type { SignedTransaction } from "./transaction.js";

/** Marks a transaction with its sender's nonce on development chains; the network doesn't use `scripts`. */
const MARK = /^nonce=(0|[1-9]\d{0,8})$/;

/** Value of `raw_data.scripts` that marks a nonce. @param nonce below 10^9 */
export const nonceMark = (nonce: number): Uint8Array => utf8(`nonce=${nonce}`);

/** The nonce a transaction is marked with, if any. */
export function markedNonce({ raw }: SignedTransaction): number | undefined {
	const scripts = raw?.scripts;
	if (!scripts || scripts.length === 0 || scripts.length > 16) return undefined;
	const digits = MARK.exec(Buffer.from(scripts).toString("latin1"))?.[1];
	return digits === undefined ? undefined : Number(digits);
}

/**
 * Contract address as Ethereum tools compute it: from the RLP list of sender and nonce.
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
 * Address of the contract a transaction deploys (protocol/blocks §1.1, protocol/development-chain §4.8).
 * @param countsNonces whether nonce marks apply, on development chains only
 */
export function deploymentAddress(
	transaction: SignedTransaction,
	owner: Uint8Array,
	countsNonces: boolean,
): Uint8Array {
	const nonce = countsNonces ? markedNonce(transaction) : undefined;
	return nonce === undefined ? contractAddress(transaction.id, owner) : contractAddressByNonce(owner, nonce);
}
