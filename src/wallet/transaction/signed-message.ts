/**
 * Signatures of messages that are not transactions (protocol/wallet-formats §3). Each scheme yields the 32 bytes that are signed;
 * signatures are 65 bytes r‖s‖v with v = 27 or 28.
 */

import { hashTypedData, type TypedDataDigest, TypedDataError } from "../../abi/typed-data.js";
import { concatBytes, fromHex, toHex, utf8 } from "../../protocol/bytes.js";
import { SIGNED_MESSAGE_PREFIX } from "../../protocol/dialect.js";
import { keccak256 } from "../../protocol/hash.js";
import { messageHash, recoverAddress, SIGNATURE_LENGTH, SignatureError } from "../../protocol/signature.js";
import { Failure } from "../failure.js";
import { readAddress } from "../values/address-text.js";
import { parseHexBytes } from "../values/bytes-text.js";

export { messageHash };

export type MessageScheme = "v1" | "v2" | "typed" | "hash";

/** Hashes typed data. @throws {Failure} `bad_value` naming the member that is wrong or not in the type */
export function typedDataDigest(text: string): TypedDataDigest {
	try {
		return hashTypedData(text, readAddress);
	} catch (error) {
		if (!(error instanceof TypedDataError)) throw error;
		throw new Failure("bad_value", error.message);
	}
}

/** The hash that scheme v1 signs: its prefix says 32 whatever the message's length, since it was designed for hashes. */
export function messageHashV1(message: Uint8Array): Uint8Array {
	return keccak256(concatBytes(utf8(`${SIGNED_MESSAGE_PREFIX}32`), message));
}

/** Reads a hash of 32 bytes that is signed as it is. @throws {Failure} `bad_value` */
export function parseHash(text: string): Uint8Array {
	const digits = text.trim().replace(/^0x/i, "");
	if (!/^[0-9a-fA-F]{64}$/.test(digits))
		throw new Failure("bad_value", "the hash must have 64 hexadecimal digits");
	return fromHex(digits);
}

/** A signature as text. */
export function signatureText(signature: Uint8Array): string {
	return `0x${toHex(signature)}`;
}

/**
 * The address that made a signature.
 * @throws {Failure} `bad_value` if the text is not a signature or yields no key
 */
export function signerOf(hash: Uint8Array, text: string): Uint8Array {
	const signature = parseHexBytes(text);
	if (signature.length !== SIGNATURE_LENGTH) {
		throw new Failure("bad_value", `a signature has ${SIGNATURE_LENGTH} bytes, this one ${signature.length}`);
	}
	try {
		return recoverAddress(hash, signature);
	} catch (error) {
		if (!(error instanceof SignatureError)) throw error;
		throw new Failure("bad_value", "the signature yields no key");
	}
}
