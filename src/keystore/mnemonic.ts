/** Mnemonics (BIP-39) and the keys derived from them (BIP-32, BIP-44 with the network's coin type 195). */

import { KeystoreError } from "./keystore-error.js";

/** Path of the first account; the last component is the account index. */
export const DEFAULT_PATH = "m/44'/195'/0'/0/0";

/** The path of account `index` of a mnemonic. */
export function accountPath(index: number): string {
	return `m/44'/195'/0'/0/${index}`;
}

const WORD_COUNTS = [12, 15, 18, 21, 24] as const;
export type WordCount = (typeof WORD_COUNTS)[number];

/** Generates a random mnemonic from the English word list. */
export async function newMnemonic(words: WordCount = 12): Promise<string> {
	const [{ generateMnemonic }, { wordlist }] = await englishList();
	return generateMnemonic(wordlist, (words / 3) * 32);
}

/**
 * Normalizes a typed mnemonic: lower case, single spaces.
 * @throws {KeystoreError} for an unknown word (identified only by its position), a wrong word count or checksum
 */
export async function checkMnemonic(text: string): Promise<string> {
	const [{ validateMnemonic }, { wordlist }] = await englishList();
	const words = text.normalize("NFKD").trim().toLowerCase().split(/\s+/);
	if (!(WORD_COUNTS as readonly number[]).includes(words.length)) {
		throw new KeystoreError(
			"bad_value",
			`a mnemonic has 12, 15, 18, 21 or 24 words; this one has ${words.length}`,
		);
	}
	const known = new Set(wordlist);
	const unknown = words.findIndex((word) => !known.has(word));
	if (unknown >= 0)
		throw new KeystoreError("bad_value", `word ${unknown + 1} of the mnemonic is not in the English list`);
	const mnemonic = words.join(" ");
	if (!validateMnemonic(mnemonic, wordlist)) {
		throw new KeystoreError(
			"bad_value",
			"the mnemonic's checksum is wrong: a word is mistyped or out of place",
		);
	}
	return mnemonic;
}

/**
 * Derives the private key of a path.
 * @param mnemonic in normal form
 * @param passphrase the optional BIP-39 extension
 * @returns 32 bytes
 * @throws {KeystoreError} if the path is invalid
 */
export async function deriveKey(
	mnemonic: string,
	path: string = DEFAULT_PATH,
	passphrase = "",
): Promise<Uint8Array> {
	if (!/^m(\/\d{1,10}'?)+$/.test(path)) {
		throw new KeystoreError("bad_value", `"${path}" is not a derivation path: write it like ${DEFAULT_PATH}`);
	}
	const [{ mnemonicToSeed }, { HDKey }] = await Promise.all([import("@scure/bip39"), import("@scure/bip32")]);
	const seed = await mnemonicToSeed(mnemonic, passphrase);
	const root = HDKey.fromMasterSeed(seed);
	seed.fill(0);
	const node = root.derive(path);
	const key = node.privateKey;
	if (!key) throw new KeystoreError("bad_value", `the path ${path} has no private key`);
	const copy = Uint8Array.from(key);
	root.wipePrivateData();
	node.wipePrivateData();
	return copy;
}

async function englishList(): Promise<
	readonly [typeof import("@scure/bip39"), typeof import("@scure/bip39/wordlists/english.js")]
> {
	return Promise.all([import("@scure/bip39"), import("@scure/bip39/wordlists/english.js")]);
}
