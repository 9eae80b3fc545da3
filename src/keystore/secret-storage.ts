/** Encrypts secrets into key files, and decrypts them (protocol/wallet-formats §1: AES-128-CTR, scrypt or PBKDF2, Keccak MAC). */

import {
	createCipheriv,
	createDecipheriv,
	pbkdf2,
	randomBytes,
	randomUUID,
	timingSafeEqual,
} from "node:crypto";
import { promisify } from "node:util";
import { concatBytes, fromHex, toHex, utf8 } from "../protocol/bytes.js";
import { keccak256 } from "../protocol/hash.js";
import type { PostQuantumScheme } from "../protocol/post-quantum/schemes.js";
import { CURVE_ORDER } from "../protocol/signature.js";
import { type KeyDerivation, type KeyFile, POST_QUANTUM_VERSION } from "./key-file.js";
import { KeystoreError } from "./keystore-error.js";
import { deriving, scrypt } from "./scrypt.js";

/** scrypt costs of new files: the standard of the network's wallets, and their light variant for machines with little memory. */
const STRENGTHS = {
	standard: { n: 262144, r: 8, p: 1, dklen: 32 },
	light: { n: 4096, r: 8, p: 6, dklen: 32 },
} as const;

export type Strength = keyof typeof STRENGTHS;

/** Members of a new key file besides the crypto block. */
interface KeyFileLabel {
	/** Base58 address, or 40 hex digits for Ethereum's programs. */
	readonly address: string;
	/** Scheme of a post-quantum key. */
	readonly scheme?: PostQuantumScheme | undefined;
	/** Further members, such as `name`; undefined ones are omitted. */
	readonly extra?: Readonly<Record<string, string | undefined>>;
}

/** Source of randomness for the salt (32 bytes), iv (16 bytes) and id of a new file. */
interface Entropy {
	bytes(length: number): Uint8Array;
	uuid(): string;
}

const systemEntropy: Entropy = { bytes: (length) => randomBytes(length), uuid: () => randomUUID() };

/**
 * Encrypts a secret: the bytes of a private key, or the words of a mnemonic.
 * @returns the text of a key file, with members in the order used by the network's wallets
 */
export async function encryptSecret(
	secret: Uint8Array,
	password: Uint8Array,
	label: KeyFileLabel,
	strength: Strength = "standard",
	entropy: Entropy = systemEntropy,
): Promise<string> {
	const parameters = STRENGTHS[strength];
	const salt = entropy.bytes(32);
	const iv = entropy.bytes(16);
	const derived = await derive(password, { kdf: "scrypt", salt, ...parameters });
	const cipher = createCipheriv("aes-128-ctr", derived.subarray(0, 16), iv);
	const ciphertext = concatBytes(cipher.update(secret), cipher.final());
	const file = {
		address: label.address,
		id: entropy.uuid(),
		...(label.scheme ? { version: POST_QUANTUM_VERSION, scheme: label.scheme.name } : { version: 3 }),
		crypto: {
			cipher: "aes-128-ctr",
			ciphertext: toHex(ciphertext),
			cipherparams: { iv: toHex(iv) },
			kdf: "scrypt",
			kdfparams: { dklen: 32, n: parameters.n, p: parameters.p, r: parameters.r, salt: toHex(salt) },
			mac: toHex(macOf(derived, ciphertext)),
		},
		...label.extra,
	};
	derived.fill(0);
	return JSON.stringify(file);
}

/**
 * Decrypts a key file.
 * @param source name of the file for messages
 * @returns the secret, which the caller must overwrite after use
 * @throws {KeystoreError} `bad_password` if the MAC differs
 */
export async function decryptSecret(
	file: KeyFile,
	password: Uint8Array,
	source: string,
): Promise<Uint8Array> {
	const derived = await derive(password, file.derivation);
	try {
		if (!timingSafeEqual(macOf(derived, file.ciphertext), file.mac)) {
			throw new KeystoreError("bad_password", `Invalid password provided: ${source} doesn't open with it`);
		}
		const decipher = createDecipheriv("aes-128-ctr", derived.subarray(0, 16), file.iv);
		return concatBytes(decipher.update(file.ciphertext), decipher.final());
	} finally {
		derived.fill(0);
	}
}

function macOf(derived: Uint8Array, ciphertext: Uint8Array): Uint8Array {
	return keccak256(concatBytes(derived.subarray(16, 32), ciphertext));
}

function derive(password: Uint8Array, derivation: KeyDerivation): Promise<Uint8Array> {
	return deriving(() =>
		derivation.kdf === "scrypt"
			? scrypt(password, derivation.salt, derivation)
			: promisify(pbkdf2)(password, derivation.salt, derivation.c, derivation.dklen, "sha256"),
	);
}

/** Encodes a password for key derivation, in UTF-8. */
export function passwordBytes(password: string): Uint8Array {
	return utf8(password);
}

/** Parses a private key of 64 hex digits, optionally with `0x`. @throws {KeystoreError} that doesn't repeat the text */
export function parsePrivateKey(text: string): Uint8Array {
	const digits = text.trim().replace(/^0x/i, "");
	if (!/^[0-9a-fA-F]{64}$/.test(digits)) {
		throw new KeystoreError(
			"bad_value",
			`a private key is 64 hexadecimal digits; this text has ${digits.length} characters`,
		);
	}
	return checkPrivateKey(fromHex(digits));
}

/** Checks that 32 bytes are a valid key of the curve. @returns the same bytes @throws {KeystoreError} */
export function checkPrivateKey(key: Uint8Array): Uint8Array {
	const value = key.length === 32 ? BigInt(`0x${toHex(key)}`) : 0n;
	if (value === 0n || value >= CURVE_ORDER) {
		throw new KeystoreError(
			"bad_value",
			"these bytes are not a private key: it must lie between 1 and the curve's order",
		);
	}
	return key;
}
