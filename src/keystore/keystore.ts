/**
 * A directory of key files, laid out as by the network's wallets: one file per key, named after its address; the label and
 * the derivation path are members of the file, so the directory is the entire state. Mnemonics are
 * stored in its subdirectory `mnemonic/`.
 */

import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { addressFromHash, parseAddress, toBase58Check } from "../protocol/address.js";
import { equalBytes, fromHex, fromUtf8, toHex, utf8 } from "../protocol/bytes.js";
import { belongTogether, loadPostQuantum } from "../protocol/post-quantum/algorithms.js";
import type { PostQuantumScheme } from "../protocol/post-quantum/schemes.js";
import { addressOfPrivateKey } from "../protocol/signature.js";
import { type KeyFile, looksLikeKeyFile, parseKeyFile } from "./key-file.js";
import { KeystoreError } from "./keystore-error.js";
import { checkLabel, looksAlike, sameLabel } from "./label.js";
import { keyOfSecret, type PostQuantumKey, secretOfKey } from "./post-quantum-key.js";
import {
	createPrivateDirectory,
	ifMissing,
	removeStaleTemporaries,
	writePrivateFile,
} from "./private-file.js";
import { addressOfKey, forgetKey, type PrivateKey, schemeOfKey } from "./private-key.js";
import {
	checkPrivateKey,
	decryptSecret,
	encryptSecret,
	passwordBytes,
	type Strength,
} from "./secret-storage.js";
import type { SignerPlace } from "./signer/client.js";
import { forgetWatched, listWatched, storeWatched } from "./watch-only.js";

const MNEMONIC_DIRECTORY = "mnemonic";
const MAX_KEY_FILE_BYTES = 64 * 1024;

/** An entry of the directory: a key, or an address whose key is elsewhere. */
export interface KeystoreEntry {
	/** 21 bytes. */
	readonly address: Uint8Array;
	readonly base58: string;
	/** The label, else the Base58 address. */
	readonly name: string;
	/** `watch`: an address without its key; `signer`: an address whose key is held by a signer's process. */
	readonly kind: "key" | "mnemonic" | "watch" | "signer";
	/** Location of the signer that holds the key. */
	readonly signer?: SignerPlace | undefined;
	/** Scheme of a post-quantum key; absent for secp256k1, or for an address that is only watched. */
	readonly scheme?: PostQuantumScheme | undefined;
	/** Derivation path of a key that was derived from a mnemonic. */
	readonly path: string | undefined;
	/** Path of the entry's file. */
	readonly file: string;
}

/** The entries of a directory, and the files that look like key files but can't be used. */
interface KeystoreListing {
	readonly entries: readonly KeystoreEntry[];
	readonly unusable: readonly { readonly file: string; readonly reason: string }[];
}

/** What is stored with a new key. */
interface NewKeyOptions {
	readonly name?: string | undefined;
	readonly path?: string | undefined;
	readonly strength?: Strength | undefined;
}

/**
 * Lists a directory, sorted by name. A missing directory counts as empty; files that are not key files are
 * skipped.
 */
export async function listKeystore(directory: string): Promise<KeystoreListing> {
	const entries: KeystoreEntry[] = [];
	const unusable: { file: string; reason: string }[] = [];
	for (const fileName of await fileNames(directory)) {
		const file = join(directory, fileName);
		const text = await readSmallFile(file);
		if (text === undefined || !looksLikeKeyFile(text)) {
			// An empty or incomplete file with a key's name means a lost key, which the owner must learn about.
			if (
				fileName.endsWith(".json") &&
				(text === undefined || text.trim() === "" || /"crypto"/i.test(text))
			) {
				unusable.push({ file, reason: "not a complete keystore file" });
			}
			continue;
		}
		try {
			entries.push(entryOf(parseKeyFile(text, file), file));
		} catch (error) {
			if (!(error instanceof KeystoreError)) throw error;
			unusable.push({ file, reason: error.message.replace(`${file}: `, "") });
		}
	}
	// If the key of a watched address has been added, only the key is listed.
	for (const watched of await listWatched(directory)) {
		if (!entries.some(({ address }) => equalBytes(address, watched.address))) entries.push(watched);
	}
	entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
	return { entries, unusable };
}

export async function fileNames(directory: string): Promise<string[]> {
	const found = await readdir(directory, { withFileTypes: true }).catch(ifMissing([]));
	return found.filter((item) => item.isFile() && !item.name.startsWith(".")).map((item) => item.name);
}

async function readSmallFile(file: string): Promise<string | undefined> {
	if ((await stat(file)).size > MAX_KEY_FILE_BYTES) return undefined;
	return readFile(file, "utf8");
}

function entryOf(file: KeyFile, path: string): KeystoreEntry {
	const address = addressOfFile(file);
	if (!address) throw new KeystoreError("keystore_format", `${path}: the keystore file names no address`);
	const base58 = toBase58Check(address);
	return {
		address,
		base58,
		name: file.name ?? base58,
		kind: file.derivationPath === undefined ? "key" : "mnemonic",
		...(file.scheme ? { scheme: file.scheme } : {}),
		path: file.derivationPath,
		file: path,
	};
}

/** The address stated in a file, in Base58 or as Ethereum's 20 bytes. */
function addressOfFile(file: KeyFile): Uint8Array | undefined {
	const text = file.address?.trim() ?? "";
	const digits = text.replace(/^0x/i, "");
	if (/^[0-9a-fA-F]{40}$/.test(digits)) return addressFromHash(fromHex(digits));
	if (/^[0-9a-fA-F]{42}$/.test(digits)) return fromHex(digits);
	return parseAddress(text);
}

/**
 * Finds a key by its label or by its address.
 * @throws {KeystoreError} `wallet_not_found`, also if two keys have the label
 */
export async function findKey(directory: string, wallet: string | Uint8Array): Promise<KeystoreEntry> {
	const { entries } = await listKeystore(directory);
	const matches = entries.filter((entry) =>
		typeof wallet === "string"
			? sameLabel(entry.name, wallet) || entry.base58 === wallet
			: equalBytes(entry.address, wallet),
	);
	const [first, second] = matches;
	const shown = typeof wallet === "string" ? wallet : toBase58Check(wallet);
	if (!first) throw new KeystoreError("wallet_not_found", `no key "${shown}" in the keystore ${directory}`);
	if (second && !equalBytes(first.address, second.address)) {
		throw new KeystoreError(
			"wallet_not_found",
			`"${shown}" names ${matches.length} keys in ${directory}: use the address`,
		);
	}
	return first;
}

/**
 * Decrypts a key of any scheme and checks that it belongs to the entry's address.
 * @returns the key, which the caller must overwrite after use ({@link forgetKey})
 * @throws {KeystoreError} `bad_password`, `keystore_format`
 */
export async function unlockAnyKey(entry: KeystoreEntry, password: string): Promise<PrivateKey> {
	checkHasKey(entry);
	const file = parseKeyFile(await readFile(entry.file, "utf8"), entry.file);
	const key = await openPrivateKey(file, password, entry.file);
	if (equalBytes(addressOf(key), entry.address)) return key;
	forgetKey(key);
	throw new KeystoreError(
		"keystore_format",
		`${entry.file}: the key inside belongs to another address than ${entry.base58}`,
	);
}

/**
 * {@link unlockAnyKey} for uses that only support secp256k1 keys.
 * @returns 32 bytes
 * @throws {KeystoreError} also `bad_value` for a post-quantum key
 */
export async function unlockKey(entry: KeystoreEntry, password: string): Promise<Uint8Array> {
	checkRecoverable(entry, "this");
	const key = await unlockAnyKey(entry, password);
	if (key instanceof Uint8Array) return key;
	forgetKey(key);
	throw new KeystoreError("keystore_format", `${entry.file}: has become the file of a post-quantum key`);
}

/**
 * Checks, before asking for the password, that the signer can be recovered from the key's signatures.
 * @param use what requires such a key, as the start of the message's sentence
 * @throws {KeystoreError} `bad_value` for a post-quantum key
 */
export function checkRecoverable({ scheme, name, base58 }: KeystoreEntry, use: string): void {
	if (!scheme) return;
	throw new KeystoreError(
		"bad_value",
		`${use} works with secp256k1 keys only, and ${name} (${base58}) is a key of ${scheme.name}`,
	);
}

/** Whether an entry is only an address, without its key. */
export function isWithoutKey({ kind }: KeystoreEntry): boolean {
	return kind === "watch" || kind === "signer";
}

/** Checks that an entry has its key here. @throws {KeystoreError} `watch_only` */
export function checkHasKey(entry: KeystoreEntry): void {
	checkSigns(entry);
	if (entry.signer)
		throw new KeystoreError(
			"watch_only",
			`the key of ${entry.name} (${entry.base58}) is at the signer ${entry.signer.at}, which signs transactions and nothing else`,
		);
}

/** Checks that an entry can sign transactions, itself or through a signer. @throws {KeystoreError} `watch_only` */
export function checkSigns(entry: KeystoreEntry): void {
	if (entry.kind === "watch") {
		throw new KeystoreError(
			"watch_only",
			`${entry.name} (${entry.base58}) is only watched: its key isn't here`,
		);
	}
}

/** Decrypts a file that must contain a private key. @throws {KeystoreError} */
async function openPrivateKey(file: KeyFile, password: string, source: string): Promise<PrivateKey> {
	const secret = await decryptSecret(file, passwordBytes(password), source);
	if (file.scheme) {
		const key = keyOfSecret(file.scheme, secret);
		if (key) return checkPair(key, source);
	} else if (secret.length === 32) return checkPrivateKey(secret);
	const expected = file.scheme ? `keys of ${file.scheme.name}` : "a private key of 32";
	throw new KeystoreError(
		"keystore_format",
		`${source}: holds ${secret.length} bytes instead of ${expected}`,
	);
}

/** @param source name of the key for messages @throws {KeystoreError} if private and public key don't match */
async function checkPair(key: PostQuantumKey, source: string): Promise<PostQuantumKey> {
	await loadPostQuantum();
	if (belongTogether(key.scheme, key)) return key;
	throw new KeystoreError("keystore_format", `${source}: the private key is not that of the public one`);
}

const addressOf = (key: PrivateKey): Uint8Array =>
	addressOfKey(key instanceof Uint8Array ? checkPrivateKey(key) : key);

/** The bytes of a key to encrypt; the caller overwrites them, which may also overwrite the key. */
const secretOf = (key: PrivateKey): Uint8Array => (key instanceof Uint8Array ? key : secretOfKey(key));

/**
 * Stores a private key in a new file `<Base58>.json`.
 * @throws {KeystoreError} `keystore_exists` if the address or label is already taken
 */
export async function addKey(
	directory: string,
	privateKey: PrivateKey,
	password: string,
	options: NewKeyOptions = {},
): Promise<KeystoreEntry> {
	const address = addressOf(privateKey);
	await checkFree(directory, address, options.name);
	const base58 = toBase58Check(address);
	const name = options.name ?? (await watchedLabel(directory, base58));
	const isPostQuantum = !(privateKey instanceof Uint8Array);
	if (isPostQuantum) await checkPair(privateKey, "the new key");
	const secret = secretOf(privateKey);
	const text = await encryptSecret(
		secret,
		passwordBytes(password),
		{ address: base58, scheme: schemeOfKey(privateKey), extra: { name, path: options.path } },
		options.strength,
	);
	if (isPostQuantum) secret.fill(0);
	return store(directory, base58, text);
}

/**
 * Stores another program's key file unchanged, after decrypting it once as a check.
 * @throws {KeystoreError} `bad_password`; `keystore_format` if the file's address is not the key's
 */
export async function addKeyFile(
	directory: string,
	sourceFile: string,
	password: string,
	name?: string,
): Promise<KeystoreEntry> {
	const { file, key } = await openKeyFile(sourceFile, password);
	const address = addressOf(key);
	forgetKey(key);
	const base58 = toBase58Check(address);
	const label = name ?? (await watchedLabel(directory, base58)) ?? file.name;
	await checkFree(directory, address, label);
	const members = { ...file.members, address: base58, ...(label === undefined ? {} : { name: label }) };
	return store(directory, base58, JSON.stringify(members));
}

/** @throws {KeystoreError} `bad_password`; `keystore_format` also if its address is not the key's */
async function openKeyFile(
	path: string,
	password: string,
): Promise<{ readonly file: KeyFile; readonly key: PrivateKey }> {
	const file = parseKeyFile(await readFile(path, "utf8"), path);
	const key = await openPrivateKey(file, password, path);
	const address = addressOf(key);
	const claimed = addressOfFile(file);
	if (!claimed || equalBytes(claimed, address)) return { file, key };
	forgetKey(key);
	throw new KeystoreError(
		"keystore_format",
		`${path}: says it is ${file.address} but the key inside belongs to ${toBase58Check(address)}`,
	);
}

/**
 * Decrypts a key file at any path, with a key of any scheme.
 * @returns the key, which the caller must overwrite after use ({@link forgetKey})
 * @throws {KeystoreError} `bad_password`, `keystore_format`; the system's error if the file can't be read
 */
export async function unlockKeyFile(path: string, password: string): Promise<PrivateKey> {
	if ((await stat(path)).size > MAX_KEY_FILE_BYTES)
		throw new KeystoreError("keystore_format", `${path}: a key file has at most ${MAX_KEY_FILE_BYTES} bytes`);
	return (await openKeyFile(path, password)).key;
}

/**
 * Adds an address without its key.
 * @param held location of the signer that holds the key, if any
 * @throws {KeystoreError} `keystore_exists` if the address or label is already taken
 */
export async function watchAddress(
	directory: string,
	address: Uint8Array,
	name: string | undefined,
	held?: Pick<KeystoreEntry, "signer" | "scheme">,
): Promise<KeystoreEntry> {
	await checkFree(directory, address, undefined);
	await checkNewLabel(directory, name, held && address);
	const label = name ?? (held && (await watchedLabel(directory, toBase58Check(address))));
	return storeWatched(directory, address, label, held !== undefined, held);
}

/** The label of a watched address, which is passed on to its key. */
async function watchedLabel(directory: string, base58: string): Promise<string | undefined> {
	const watched = (await listWatched(directory)).find((entry) => entry.base58 === base58);
	return watched && watched.name !== base58 ? watched.name : undefined;
}

/**
 * Checks that a key and its label are not taken, before asking for a new password.
 * @throws {KeystoreError} `bad_value`, `keystore_exists`
 */
export async function checkNewKey(
	directory: string,
	privateKey: PrivateKey,
	name: string | undefined,
): Promise<void> {
	await checkFree(directory, addressOf(privateKey), name);
}

/**
 * {@link checkNewKey} by the address stated in a key file, which needs no password.
 * @throws {KeystoreError} `bad_value`, `keystore_exists`, `keystore_format`
 */
export async function checkNewKeyFile(
	directory: string,
	sourceFile: string,
	name: string | undefined,
): Promise<void> {
	const claimed = addressOfFile(parseKeyFile(await readFile(sourceFile, "utf8"), sourceFile));
	if (claimed) await checkFree(directory, claimed, name);
	else await checkNewLabel(directory, name);
}

async function checkFree(directory: string, address: Uint8Array, name: string | undefined): Promise<void> {
	const { entries } = await listKeystore(directory);
	const present = entries.find((entry) => equalBytes(entry.address, address));
	if (present && !isWithoutKey(present)) {
		throw new KeystoreError(
			"keystore_exists",
			`the key of ${present.base58} is in the keystore already, as "${present.name}"`,
		);
	}
	await checkNewLabel(directory, name, address);
}

/**
 * Checks that a new key can have a label, before asking for any secret.
 * @param name if undefined, the key will be known by its address
 * @param address address of the entry that gets the label, if already known
 * @throws {KeystoreError} `bad_value`, `keystore_exists`
 */
export async function checkNewLabel(
	directory: string,
	name: string | undefined,
	address?: Uint8Array,
): Promise<void> {
	if (name === undefined) return;
	checkLabel(name);
	const { entries } = await listKeystore(directory);
	const holder = entries.find(
		(entry) => looksAlike(entry.name, name) && !(address && equalBytes(entry.address, address)),
	);
	if (!holder) return;
	const shown = holder.name === name ? "" : `, whose name "${holder.name}" looks the same`;
	throw new KeystoreError("keystore_exists", `the name "${name}" is taken by ${holder.base58}${shown}`);
}

async function store(directory: string, base58: string, text: string): Promise<KeystoreEntry> {
	await createPrivateDirectory(directory);
	const path = join(directory, `${base58}.json`);
	await writePrivateFile(path, text);
	await removeStaleTemporaries(directory);
	await forgetWatched(directory, base58);
	return entryOf(parseKeyFile(text, path), path);
}

/**
 * Re-encrypts a key with another password, a new salt and iv; the result is decrypted once before it replaces the old file.
 * @throws {KeystoreError} `bad_password`
 */
export async function changePassword(
	entry: KeystoreEntry,
	oldPassword: string,
	newPassword: string,
	strength?: Strength,
): Promise<void> {
	checkHasKey(entry);
	const old = parseKeyFile(await readFile(entry.file, "utf8"), entry.file);
	const opened = await unlockAnyKey(entry, oldPassword);
	const key = secretOf(opened);
	try {
		const label = { address: old.address ?? entry.base58, scheme: old.scheme };
		const encrypted = await encryptSecret(key, passwordBytes(newPassword), label, strength);
		const { crypto, id } = JSON.parse(encrypted) as { crypto: unknown; id: unknown };
		const { Crypto: _former, ...kept } = old.members as { Crypto?: unknown };
		const text = JSON.stringify({ ...kept, id, crypto });
		const check = await decryptSecret(parseKeyFile(text, entry.file), passwordBytes(newPassword), entry.file);
		const same = equalBytes(check, key);
		check.fill(0);
		if (!same)
			throw new KeystoreError(
				"keystore_format",
				`${entry.file}: the new file did not open again; the old one is kept`,
			);
		await writePrivateFile(entry.file, text, true);
	} finally {
		key.fill(0);
		forgetKey(opened);
	}
}

/**
 * Stores an encrypted mnemonic under the address of its first key, before that key itself: if the program is killed in
 * between, the import can be repeated.
 * @throws {KeystoreError} `keystore_exists` if the key already exists
 */
export async function addMnemonic(
	directory: string,
	firstKey: Uint8Array,
	mnemonic: string,
	password: string,
	options: NewKeyOptions = {},
): Promise<string> {
	const address = addressOfPrivateKey(firstKey);
	const base58 = toBase58Check(address);
	await checkFree(directory, address, options.name);
	const folder = join(directory, MNEMONIC_DIRECTORY);
	await createPrivateDirectory(folder);
	const label = { address: base58, extra: { path: options.path } };
	const text = await encryptSecret(utf8(mnemonic), passwordBytes(password), label, options.strength);
	const path = mnemonicFile(directory, base58);
	await writePrivateFile(path, text, true);
	return path;
}

/**
 * Decrypts the mnemonic of a mnemonic wallet.
 * @throws {KeystoreError} `wallet_not_found` if none is stored for the address, `bad_password`
 */
export async function unlockMnemonic(directory: string, base58: string, password: string): Promise<string> {
	const path = mnemonicFile(directory, base58);
	const text = await readFile(path, "utf8").catch(ifMissing(undefined));
	if (text === undefined) throw new KeystoreError("wallet_not_found", `no mnemonic is kept for ${base58}`);
	const words = await decryptSecret(parseKeyFile(text, path), passwordBytes(password), path);
	return fromUtf8(words);
}

/** Path of a mnemonic's file, by the address of its first key. */
export function mnemonicFile(directory: string, base58: string): string {
	return join(directory, MNEMONIC_DIRECTORY, `${base58}.json`);
}

/** The text of a key file in the form that another program expects: address in Base58, or Ethereum's 40 hex digits. */
export async function exportKeyFile(
	entry: KeystoreEntry,
	addressForm: "base58" | "ethereum",
): Promise<string> {
	checkHasKey(entry);
	if (addressForm === "ethereum") checkRecoverable(entry, "Ethereum's form of a key file");
	const file = parseKeyFile(await readFile(entry.file, "utf8"), entry.file);
	const address = addressForm === "base58" ? entry.base58 : toHex(entry.address.subarray(1));
	return JSON.stringify({ ...file.members, address });
}
