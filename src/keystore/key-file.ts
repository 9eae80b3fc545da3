/**
 * The form of a key file: version 3 secret storage, as the network's node and wallets and Ethereum's write it
 * (protocol/wallet-formats §1), and the same around a key of a post-quantum scheme (§1.5). Pure: text in, value out, no file and no password.
 */

import { fromHex } from "../protocol/bytes.js";
import { type PostQuantumScheme, postQuantumSchemes } from "../protocol/post-quantum/schemes.js";
import { KeystoreError } from "./keystore-error.js";
import { type ScryptParameters, scryptMemory } from "./scrypt.js";

/** How the password becomes the cipher key. */
export type KeyDerivation =
	| ({ readonly kdf: "scrypt"; readonly salt: Uint8Array } & ScryptParameters)
	| { readonly kdf: "pbkdf2"; readonly salt: Uint8Array; readonly c: number; readonly dklen: number };

/** A key file that is complete and of a kind that can be opened. */
export interface KeyFile {
	/** As written: Base58, or 40 hex digits in Ethereum's files; not used when decrypting. */
	readonly address: string | undefined;
	readonly iv: Uint8Array;
	readonly ciphertext: Uint8Array;
	readonly derivation: KeyDerivation;
	readonly mac: Uint8Array;
	/** Scheme of a post-quantum key; undefined: a secret of version 3. */
	readonly scheme: PostQuantumScheme | undefined;
	/** Label that wallets keep in the file. */
	readonly name: string | undefined;
	/** Path of a key that was derived from a mnemonic; our own extra member. */
	readonly derivationPath: string | undefined;
	/** The whole value, for commands that write the file again and must keep members they don't know. */
	readonly members: Readonly<Record<string, unknown>>;
}

/** The members that are read, each still unchecked. */
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

/** The version of files with post-quantum keys, which programs that don't know them refuse. */
export const POST_QUANTUM_VERSION = "post-quantum-1";

/** A file may not ask for more memory than this to open it: 1 GiB, four times the standard cost. */
const MAX_SCRYPT_MEMORY = 1024 * 1024 * 1024;
/** Nor for more work: n·r·p of sixteen times the standard cost, some twenty seconds. */
const MAX_SCRYPT_WORK = 2 ** 25;
/** The same in rounds of PBKDF2, for each 32 bytes of the derived key. */
const MAX_PBKDF2_ROUNDS = 20_000_000;

/**
 * Reads the text of a key file. Unknown members are ignored; unquoted member names, hex with `0x` and the old member
 * name `Crypto` are accepted.
 * @param source how to name the file in messages
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

/** What the version says of the secret. @throws what `refuse` makes */
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

/** Whether a JSON value looks like a key file at all, so that a directory scan can pass over everything else. */
export function looksLikeKeyFile(text: string): boolean {
	const members: RawKeyFile | undefined = record(parseLenientJson(text));
	return members !== undefined && record(members.crypto ?? members.Crypto) !== undefined;
}

function record(value: unknown): Readonly<Record<string, unknown>> | undefined {
	return typeof value === "object" && value !== null && !Array.isArray(value)
		? (value as Readonly<Record<string, unknown>>)
		: undefined;
}

/** JSON, also with member names that lack quotes; undefined if it is neither. */
function parseLenientJson(text: string): unknown {
	const withoutMark = text.replace(/^\uFEFF/, "");
	for (const candidate of [withoutMark, quoteNames(withoutMark)]) {
		try {
			return JSON.parse(candidate);
		} catch {
			// The next candidate, or none: the caller reports one message for both.
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
