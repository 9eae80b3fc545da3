/**
 * Keys of shielded addresses (protocol/wallet-formats §8.1): files in the usual key file format, in the keystore's
 * subdirectory `shielded/`. Spending keys and viewing keys have separate files; the default address is in clear text, as in other key files.
 */

import { readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { concatBytes, equalBytes } from "../protocol/bytes.js";
import {
	addressOfKeys,
	type KeyReach,
	keysOfIncomingKey,
	keysOfSpendingKey,
	keysOfViewingKey,
	type ShieldedKeys,
} from "../protocol/sapling/key-set.js";
import { readPaymentAddress, writePaymentAddress } from "../protocol/sapling/payment-address.js";
import { KEY_SIZE } from "../protocol/sapling/sizes.js";
import { type KeyFile, parseKeyFile } from "./key-file.js";
import { fileNames } from "./keystore.js";
import { KeystoreError } from "./keystore-error.js";
import { checkLabel, looksAlike, sameLabel } from "./label.js";
import { createPrivateDirectory, writePrivateFile } from "./private-file.js";
import { decryptSecret, encryptSecret, passwordBytes, type Strength } from "./secret-storage.js";

const DIRECTORY = "shielded";

/** Size limit of a key file; larger ones are not read. */
const MAX_BYTES = 64 * 1024;
const MAX_FILES = 10_000;

/** A key of shielded addresses. */
export interface ShieldedEntry {
	/** The label, else the default address. */
	readonly name: string;
	/** The default address, in neutral spelling. */
	readonly address: string;
	readonly reach: KeyReach;
	readonly file: string;
}

interface ShieldedListing {
	readonly entries: readonly ShieldedEntry[];
	readonly unusable: readonly { readonly file: string; readonly reason: string }[];
}

/** The kind of secret as stated in a file's clear text. */
const REACHES: Readonly<Record<string, KeyReach>> = {
	"shielded-spending": "spending",
	"shielded-viewing": "viewing",
	"shielded-incoming": "incoming",
};

/** First byte of a secret; followed by the default diversifier and the keys. */
const FORMS = { spending: 1, viewing: 2, incoming: 3, incomingAndOutgoing: 4 } as const;
const DIVERSIFIER_END = 12;

/** Directory of the keys of shielded addresses, and the files that belong to them. */
export function shieldedDirectory(keystore: string): string {
	return join(keystore, DIRECTORY);
}

/** Lists a keystore's keys of shielded addresses, sorted by name. */
export async function listShielded(keystore: string): Promise<ShieldedListing> {
	const directory = shieldedDirectory(keystore);
	const entries: ShieldedEntry[] = [];
	const unusable: { file: string; reason: string }[] = [];
	const names = (await fileNames(directory)).filter((name) => name.endsWith(".json"));
	for (const file of names.slice(0, MAX_FILES)) {
		const path = join(directory, file);
		try {
			entries.push(entryOf(await readKeyFile(path), path));
		} catch (error) {
			if (!(error instanceof KeystoreError)) throw error;
			unusable.push({ file: path, reason: error.message.replace(`${path}: `, "") });
		}
	}
	entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
	return { entries, unusable };
}

async function readKeyFile(path: string): Promise<KeyFile> {
	const bytes = await readFile(path);
	if (bytes.length > MAX_BYTES)
		throw new KeystoreError("keystore_format", `${path}: too long for a key file`);
	return parseKeyFile(bytes.toString("utf8"), path);
}

function entryOf(file: KeyFile, path: string): ShieldedEntry {
	const { kind } = file.members as { readonly kind?: unknown };
	const reach = typeof kind === "string" ? REACHES[kind] : undefined;
	if (!reach) throw new KeystoreError("keystore_format", `${path}: not a key of shielded addresses`);
	const address = neutralText(file.address ?? "");
	if (address === undefined)
		throw new KeystoreError("keystore_format", `${path}: the key file names no shielded address`);
	return { name: file.name ?? address, address, reach, file: path };
}

/** A shielded address in neutral spelling; undefined for any other text. */
function neutralText(text: string): string | undefined {
	try {
		return writePaymentAddress(readPaymentAddress(text.trim()), "neutral");
	} catch {
		return undefined;
	}
}

/**
 * Finds a key by its label, or by its default address in either spelling.
 * @param name if undefined, the only key there is
 * @throws {KeystoreError} `wallet_not_found`
 */
export async function findShielded(keystore: string, name: string | undefined): Promise<ShieldedEntry> {
	const { entries } = await listShielded(keystore);
	if (name === undefined) {
		const [only, second] = entries;
		if (only && !second) return only;
		const why = only ? `there are ${entries.length}: name one with --key` : "coin shielded new makes one";
		throw new KeystoreError("wallet_not_found", `no key of shielded addresses is named, and ${why}`);
	}
	const address = neutralText(name);
	const found = entries.filter((entry) => sameLabel(entry.name, name) || entry.address === address);
	const [first, second] = found;
	if (!first)
		throw new KeystoreError(
			"wallet_not_found",
			`no key of shielded addresses "${name}" in the keystore ${keystore}`,
		);
	// The spending key of an address takes precedence over its viewing keys.
	const best = found.find(({ reach }) => reach === "spending") ?? first;
	if (second && found.some((entry) => entry.address !== best.address))
		throw new KeystoreError(
			"wallet_not_found",
			`"${name}" names ${found.length} keys in ${keystore}: use the address`,
		);
	return best;
}

/**
 * Stores keys in a new file.
 * @throws {KeystoreError} `keystore_exists` if the key or the label already exists; `bad_value`
 */
export async function addShielded(
	keystore: string,
	keys: ShieldedKeys,
	password: string,
	options: { readonly name?: string | undefined; readonly strength?: Strength | undefined } = {},
): Promise<ShieldedEntry> {
	const address = writePaymentAddress(addressOfKeys(keys), "neutral");
	await checkNewShielded(keystore, keys, options.name);
	const secret = secretOf(keys);
	const text = await encryptSecret(
		secret,
		passwordBytes(password),
		{ address, extra: { name: options.name, kind: `shielded-${keys.reach}` } },
		options.strength,
	);
	secret.fill(0);
	const directory = shieldedDirectory(keystore);
	await createPrivateDirectory(directory);
	const path = join(directory, `${address}.${keys.reach}.json`);
	await writePrivateFile(path, text);
	return entryOf(parseKeyFile(text, path), path);
}

/** Checks that a key and its label are not taken, before asking for a password. @throws {KeystoreError} `bad_value`, `keystore_exists` */
export async function checkNewShielded(
	keystore: string,
	keys: ShieldedKeys,
	name: string | undefined,
): Promise<void> {
	const address = writePaymentAddress(addressOfKeys(keys), "neutral");
	const { entries } = await listShielded(keystore);
	const same = entries.find((entry) => entry.address === address && entry.reach === keys.reach);
	if (same)
		throw new KeystoreError(
			"keystore_exists",
			`the ${keys.reach} key of ${address} is in the keystore already, as "${same.name}"`,
		);
	await checkShieldedLabel(keystore, name);
}

/** @throws {KeystoreError} `bad_value`, `keystore_exists` */
export async function checkShieldedLabel(keystore: string, name: string | undefined): Promise<void> {
	if (name === undefined) return;
	checkLabel(name);
	const holder = (await listShielded(keystore)).entries.find((entry) => looksAlike(entry.name, name));
	if (holder) throw new KeystoreError("keystore_exists", `the name "${name}" is taken by ${holder.address}`);
}

/**
 * Decrypts a key and checks that it matches the address in its file.
 * @throws {KeystoreError} `bad_password`, `keystore_format`
 */
export async function unlockShielded(entry: ShieldedEntry, password: string): Promise<ShieldedKeys> {
	const secret = await decryptSecret(await readKeyFile(entry.file), passwordBytes(password), entry.file);
	const keys = keysOfSecret(Uint8Array.from(secret));
	secret.fill(0);
	if (!keys || keys.reach !== entry.reach || !isUsualAddress(keys, entry.address))
		throw new KeystoreError(
			"keystore_format",
			`${entry.file}: the key inside is not the ${entry.reach} key of ${entry.address}`,
		);
	return keys;
}

function isUsualAddress(keys: ShieldedKeys, text: string): boolean {
	const { diversifier, transmissionKey } = readPaymentAddress(text);
	const own = addressOfKeys(keys);
	return equalBytes(own.diversifier, diversifier) && equalBytes(own.transmissionKey, transmissionKey);
}

function secretOf({ reach, spending, full, ivk, ovk, diversifier }: ShieldedKeys): Uint8Array {
	if (reach === "spending" && spending)
		return concatBytes(Uint8Array.of(FORMS.spending), diversifier, spending.sk);
	if (reach === "viewing" && full && ovk)
		return concatBytes(Uint8Array.of(FORMS.viewing), diversifier, full.ak, full.nk, ovk);
	return ovk
		? concatBytes(Uint8Array.of(FORMS.incomingAndOutgoing), diversifier, ivk, ovk)
		: concatBytes(Uint8Array.of(FORMS.incoming), diversifier, ivk);
}

function keysOfSecret(secret: Uint8Array): ShieldedKeys | undefined {
	const diversifier = secret.slice(1, DIVERSIFIER_END);
	const parts: Uint8Array[] = [];
	for (let at = DIVERSIFIER_END; at < secret.length; at += KEY_SIZE)
		parts.push(secret.slice(at, at + KEY_SIZE));
	const [first, second, third] = parts;
	if (!first || parts.some((part) => part.length !== KEY_SIZE)) return undefined;
	switch (secret[0]) {
		case FORMS.spending:
			return parts.length === 1 ? keysOfSpendingKey(first) : undefined;
		case FORMS.viewing:
			return second && third ? keysOfViewingKey(first, second, third, diversifier) : undefined;
		case FORMS.incoming:
			return parts.length === 1 ? keysOfIncomingKey(first, undefined, diversifier) : undefined;
		case FORMS.incomingAndOutgoing:
			return second ? keysOfIncomingKey(first, second, diversifier) : undefined;
		default:
			return undefined;
	}
}

/**
 * Changes a key's label. It is a member of the key's file, so the file is rewritten without decrypting the secret.
 * @throws {KeystoreError} `bad_value`, `keystore_exists`
 */
export async function renameShielded(
	keystore: string,
	entry: ShieldedEntry,
	name: string,
): Promise<ShieldedEntry> {
	await checkShieldedLabel(keystore, name);
	const { members } = await readKeyFile(entry.file);
	await writePrivateFile(entry.file, JSON.stringify({ ...members, name }), true);
	return { ...entry, name };
}

/** Permanently deletes a key from the keystore. */
export async function deleteShielded(entry: ShieldedEntry): Promise<void> {
	await unlink(entry.file);
}
