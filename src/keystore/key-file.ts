/**
 * The format of key files: version 3 secret storage, as written by the network's node and wallets and by Ethereum's
 * (protocol/wallet-formats §1), and its extension for post-quantum keys (§1.5). Only parses text: no file access, no password.
 */

import { fromHex } from "../protocol/bytes.js";
import { type PostQuantumScheme, postQuantumSchemes } from "../protocol/post-quantum/schemes.js";
import { KeystoreError } from "./keystore-error.js";
import { type ScryptParameters, scryptMemory } from "./scrypt.js";

/** How the cipher key is derived from the password. */
export type KeyDerivation =
	| ({ readonly kdf: "scrypt"; readonly salt: Uint8Array } & ScryptParameters)
	| { readonly kdf: "pbkdf2"; readonly salt: Uint8Array; readonly c: number; readonly dklen: number };

/** A key file that is complete and in a supported format. */
export interface KeyFile {
	/** As in the file: Base58, or 40 hex digits in Ethereum's files; not used for decryption. */
	readonly address: string | undefined;
	readonly iv: Uint8Array;
	readonly ciphertext: Uint8Array;
	readonly derivation: KeyDerivation;
	readonly mac: Uint8Array;
	/** Scheme of a post-quantum key; undefined for a version 3 secret. */
	readonly scheme: PostQuantumScheme | undefined;
	/** Label that wallets store in the file. */
	readonly name: string | undefined;
	/** Path of a key that was derived from a mnemonic; an extension of this program. */
	readonly derivationPath: string | undefined;
	/** All members, for commands that rewrite the file and must keep unknown members. */
	readonly members: Readonly<Record<string, unknown>>;
}

/** The members that are read, not yet validated. */
interface RawKeyFile {
	readonly address?: unknown;
	readonly name?: unknown;
	readonly path?: unknown;
	readonly version?: unknown;
	readonly scheme?: unknown;
	readonly crypto?: unknown;
	/** Spelling of early Ethereum files. */
	readonly Crypto?: unknown;
}

interface RawCrypto {
	readonly cipher?: unknown;
	readonly ciphertext?: unknown;
	readonly cipherparams?: unknown;
	readonly kdf?: unknown;
	readonly kdfparams?: unknown;
	readonly mac?: unknown;
}

interface RawParameters {
	readonly salt?: unknown;
	readonly dklen?: unknown;
	readonly n?: unknown;
	readonly r?: unknown;
	readonly p?: unknown;
	readonly c?: unknown;
	readonly prf?: unknown;
}

/** The version of files with post-quantum keys, so that programs that don't support them refuse the file. */
export const POST_QUANTUM_VERSION = "post-quantum-1";

/** Limit of the memory that a file may require for decryption: 1 GiB, four times the standard cost. */
const MAX_SCRYPT_MEMORY = 1024 * 1024 * 1024;
/** Limit of the work, n·r·p: sixteen times the standard cost, about twenty seconds. */
const MAX_SCRYPT_WORK = 2 ** 25;
/** Limit of the PBKDF2 rounds, for each 32 bytes of the derived key. */
const MAX_PBKDF2_ROUNDS = 20_000_000;

/**
 * Parses the text of a key file. Unknown members are ignored; unquoted member names, hex with `0x` and the old member
 * name `Crypto` are accepted.
 * @param source name of the file for messages
 * @throws {KeystoreError} `keystore_format` with what is wrong
 */
export function parseKeyFile(text: string, source: string): KeyFile {
	const refuse = (what: string): KeystoreError => new KeystoreError("keystore_format", `${source}: ${what}`);
	const members: RawKeyFile | undefined = record(parseLenientJson(text));
	if (!members) throw refuse("not a keystore file, or a truncated one: it isn't one complete JSON object");
	const crypto: RawCrypto | undefined = record(members.crypto ?? members.Crypto);
	if (!crypto) throw refuse("not a keystore file: it has no member crypto");
	const scheme = schemeOf(members, refuse);
	if (crypto.cipher !== "aes-128-ctr") throw refuse("Wallet cipher is not supported");

	const bytes = <T extends object>(
		holder: T | undefined,
		name: keyof T & string,
		length?: number,
	): Uint8Array => {
		const value = holder?.[name];
		if (typeof value !== "string") throw refuse(`the keystore file has no member ${name}`);
		let decoded: Uint8Array;
		try {
			decoded = fromHex(value.replace(/^0x/, ""));
		} catch {
			throw refuse(`the keystore file's member ${name} is not hexadecimal`);
		}
		if (length !== undefined && decoded.length !== length) {
			throw refuse(`the keystore file's member ${name} has ${decoded.length} bytes instead of ${length}`);
		}
		return decoded;
	};
	const integer = <T extends object>(holder: T, name: keyof T & string): number => {
		const value = Number(holder[name]);
		if (!Number.isSafeInteger(value) || value < 1)
			throw refuse(`the keystore file's member ${name} is not a count`);
		return value;
	};

	const parameters: RawParameters | undefined = record(crypto.kdfparams);
	if (!parameters) throw refuse("the keystore file has no member kdfparams");
	return {
		address: typeof members.address === "string" ? members.address : undefined,
		name: typeof members.name === "string" && members.name !== "" ? members.name : undefined,
		iv: bytes(record(crypto.cipherparams) as { iv?: unknown } | undefined, "iv", 16),
		ciphertext: bytes(crypto, "ciphertext"),
		mac: bytes(crypto, "mac", 32),
		scheme,
		derivation: derivation(),
		derivationPath: typeof members.path === "string" ? members.path : undefined,
		members: members as Readonly<Record<string, unknown>>,
	};

	function derivation(): KeyDerivation {
		const holder = parameters as RawParameters;
		const salt = bytes(holder, "salt");
		const dklen = integer(holder, "dklen");
		if (dklen < 32 || dklen > 1024) throw refuse(`a derived key of ${dklen} bytes is not supported`);
		switch (crypto?.kdf) {
			case "scrypt": {
				const scrypt = { n: integer(holder, "n"), r: integer(holder, "r"), p: integer(holder, "p"), dklen };
				if (scrypt.n < 2 || !Number.isInteger(Math.log2(scrypt.n)))
					throw refuse(`scrypt cost ${scrypt.n} is not a power of two`);
				if (scryptMemory(scrypt) > MAX_SCRYPT_MEMORY) {
					throw refuse(
						`opening it would need ${Math.ceil(scryptMemory(scrypt) / 1048576)} MiB of memory, the limit is 1024`,
					);
				}
				if (scrypt.n * scrypt.r * scrypt.p > MAX_SCRYPT_WORK) {
					throw refuse(
						`opening it would need the work n·r·p = ${scrypt.n}·${scrypt.r}·${scrypt.p}, the limit is ${MAX_SCRYPT_WORK}`,
					);
				}
				return { kdf: "scrypt", salt, ...scrypt };
			}
			case "pbkdf2": {
				if (holder.prf !== "hmac-sha256") throw refuse(`Unsupported prf:${String(holder.prf)}`);
				const c = integer(holder, "c");
				if (c * Math.ceil(dklen / 32) > MAX_PBKDF2_ROUNDS) {
					throw refuse(
						`${c} rounds for ${dklen} bytes are not supported, the limit is ${MAX_PBKDF2_ROUNDS} for 32`,
					);
				}
				return { kdf: "pbkdf2", salt, c, dklen };
			}
			default:
				throw refuse("KDF type is not supported");
		}
	}
}

/** The post-quantum scheme by the file's version, if any. @throws the error that `refuse` returns */
function schemeOf(
	{ version, scheme }: RawKeyFile,
	refuse: (what: string) => KeystoreError,
): PostQuantumScheme | undefined {
	if (Number(version) === 3) return undefined;
	if (version !== POST_QUANTUM_VERSION) throw refuse("Wallet version is not supported");
	const known = postQuantumSchemes.find(({ name }) => name === scheme);
	if (known) return known;
	throw refuse("the keystore file's member scheme names no scheme that is known here");
}

/** Whether a JSON value looks like a key file at all, so that a directory scan can skip everything else. */
export function looksLikeKeyFile(text: string): boolean {
	const members: RawKeyFile | undefined = record(parseLenientJson(text));
	return members !== undefined && record(members.crypto ?? members.Crypto) !== undefined;
}

function record(value: unknown): Readonly<Record<string, unknown>> | undefined {
	return typeof value === "object" && value !== null && !Array.isArray(value)
		? (value as Readonly<Record<string, unknown>>)
		: undefined;
}

/** Parses JSON, with or without quotes around member names; undefined if it is neither. */
function parseLenientJson(text: string): unknown {
	const withoutMark = text.replace(/^\uFEFF/, "");
	for (const candidate of [withoutMark, quoteNames(withoutMark)]) {
		try {
			return JSON.parse(candidate);
		} catch {
			// Try the next candidate, if any: the caller reports the same error for both.
		}
	}
	return undefined;
}

/** Puts quotes around bare member names, outside strings. */
function quoteNames(text: string): string {
	return text.replace(
		/("(?:[^"\\]|\\.)*")|([A-Za-z_$][\w$]*)(?=\s*:)/g,
		(_, string: string | undefined, name: string) => (string !== undefined ? string : `"${name}"`),
	);
}
