/** Account addresses: 21 bytes, the first of which identifies the network (protocol/blocks §1.1). */

import { base58 } from "@scure/base";
import { asBuffer, concatBytes, equalBytes, fromHex, toHex } from "./bytes.js";
import { keccak256, sha256 } from "./hash.js";

export const ADDRESS_LENGTH = 21;

/** First byte of every address; `net.type = testnet` in the configuration selects 0xa0. */
export const MAIN_PREFIX = 0x41;
export const TEST_PREFIX = 0xa0;

let prefix = MAIN_PREFIX;

/** Address prefix of the network this process serves. */
export function addressPrefix(): number {
	return prefix;
}

/** Sets the address prefix for the whole process. */
export function setAddressPrefix(value: number): void {
	prefix = value;
}

/** Whether bytes are an address of this network; checks only the length and the prefix. */
export function isAddress(bytes: Uint8Array): boolean {
	return bytes.length === ADDRESS_LENGTH && bytes[0] === prefix;
}

/** The prefix followed by the last 20 bytes of a hash. @throws {RangeError} if the hash is shorter */
export function addressFromHash(hash: Uint8Array): Uint8Array {
	if (hash.length < 20) throw new RangeError(`${hash.length} bytes are no hash`);
	const address = Buffer.allocUnsafe(ADDRESS_LENGTH);
	address[0] = prefix;
	address.set(hash.subarray(hash.length - 20), 1);
	return address;
}

/** Address of an uncompressed public key: 64 bytes X‖Y, or 65 with the leading 0x04. */
export function addressFromPublicKey(publicKey: Uint8Array): Uint8Array {
	return addressFromHash(keccak256(publicKey.length === 65 ? publicKey.subarray(1) : publicKey));
}

/** Address of the contract created by a transaction (protocol/blocks §1.1). */
export function contractAddress(transactionId: Uint8Array, owner: Uint8Array): Uint8Array {
	return addressFromHash(keccak256(concatBytes(transactionId, owner)));
}

/**
 * Address of the contract created by CREATE2 (protocol/machine §4).
 * @param salt 32 bytes
 * @param codeHash Keccak-256 of the creation code
 */
export function saltedContractAddress(
	deployer: Uint8Array,
	salt: Uint8Array,
	codeHash: Uint8Array,
): Uint8Array {
	return addressFromHash(keccak256(concatBytes(deployer, salt, codeHash)));
}

/** Base58Check text; an address encodes to 34 characters. */
export function toBase58Check(bytes: Uint8Array): string {
	const checksum = sha256(sha256(bytes)).subarray(0, 4);
	return base58.encode(concatBytes(bytes, checksum));
}

/** Base58 decoding is quadratic; nothing the network encodes this way is nearly as long. */
const MAX_TEXT_LENGTH = 128;

export const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** A character outside the Base58 alphabet. */
export class Base58Error extends Error {
	override readonly name = "IllegalArgumentException";
}

/**
 * Decodes Base58Check text.
 * @returns the payload; undefined if the text is too short or too long, or its checksum is wrong
 * @throws {Base58Error} `Illegal character <c> at <i>`
 */
export function fromBase58Check(text: string): Uint8Array | undefined {
	for (let i = 0; i < text.length; i++) {
		if (!ALPHABET.includes(text.charAt(i)))
			throw new Base58Error(`Illegal character ${text.charAt(i)} at ${i}`);
	}
	if (text.length > MAX_TEXT_LENGTH) return undefined;
	const decoded = base58.decode(text);
	if (decoded.length <= 4) return undefined;
	const bytes = asBuffer(decoded.subarray(0, decoded.length - 4));
	const checksum = sha256(sha256(bytes)).subarray(0, 4);
	return equalBytes(checksum, decoded.subarray(decoded.length - 4)) ? bytes : undefined;
}

/** Parses a Base58Check address of this network; undefined if it is not one. */
export function parseAddress(text: string): Uint8Array | undefined {
	let bytes: Uint8Array | undefined;
	try {
		bytes = fromBase58Check(text);
	} catch (error) {
		if (error instanceof Base58Error) return undefined;
		throw error;
	}
	return bytes && isAddress(bytes) ? bytes : undefined;
}

/** Length of a Base58Check address. */
const VISIBLE_LENGTH = 34;

/** Decodes a 34-character Base58Check address; undefined for any other text. */
export function visibleAddress(text: string): Uint8Array | undefined {
	if (text.length !== VISIBLE_LENGTH) return undefined;
	try {
		const bytes = fromBase58Check(text);
		return bytes && isAddress(bytes) ? bytes : undefined;
	} catch (error) {
		if (error instanceof Base58Error) return undefined;
		throw error;
	}
}

/**
 * Parses an address as users write it: Base58, 42 hex digits (optionally with `0x`), or `0x` and 40 digits.
 * @param hasRightCase whether the letter case of 40 digits matches their checksum
 * @returns 21 bytes; an error text if it resembles an address; undefined otherwise
 */
export function addressOfText(
	text: string,
	hasRightCase: (digits: string) => boolean,
): Uint8Array | string | undefined {
	const [, mark, digits] = /^(0x)?([0-9a-fA-F]+)$/.exec(text) ?? [];
	if (digits?.length === 2 * ADDRESS_LENGTH) {
		const bytes = fromHex(digits);
		const begin = toHex(Uint8Array.of(prefix));
		return isAddress(bytes) ? bytes : `${text}: an address of this network begins with ${begin}`;
	}
	if (digits?.length === 2 * ADDRESS_LENGTH - 2) {
		if (mark === undefined) return `${text} may be 20 bytes of an address: write 0x${text} if it is`;
		if (!hasRightCase(digits)) return `checksum of ${text}, its capital letters, doesn't match`;
		return concatBytes(Uint8Array.of(prefix), fromHex(digits));
	}
	if (/^0x/i.test(text))
		return `${text}: an address has 40 hexadecimal digits after 0x, or 42 with its prefix`;
	if (!/^T[0-9A-Za-z]{30,36}$/.test(text)) return undefined;
	try {
		const bytes = fromBase58Check(text);
		if (!bytes) return `checksum of ${text} doesn't match`;
		return isAddress(bytes) ? bytes : `${text} is not an address of this network`;
	} catch (error) {
		if (!(error instanceof Base58Error)) throw error;
		return `${text}: ${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}`;
	}
}
