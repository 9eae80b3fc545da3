/** Finds the keys and accounts that sign an envelope, and checks them before any key is unlocked (protocol/wallet-formats §4.2). */

import {
	checkHasKey,
	checkSigns,
	findKey,
	type KeystoreEntry,
	listKeystore,
} from "../../keystore/keystore.js";
import { KeystoreError } from "../../keystore/keystore-error.js";
import { sameLabel } from "../../keystore/label.js";
import { toBase58Check } from "../../protocol/address.js";
import { equalBytes } from "../../protocol/bytes.js";
import type { Permission } from "../../protocol/messages.js";
import { MAX_SIGNATURES } from "../../protocol/permission.js";
import { contactLabelFrom, contactNamed, readContacts } from "../configuration/contacts.js";
import type { Settings } from "../configuration/settings.js";
import { Failure } from "../failure.js";
import { permissionLabel } from "../permission/permission.js";
import { isDevice, type SigningKey } from "../signers/signer.js";
import { readAddress } from "../values/address-text.js";
import { nearest } from "../values/suggestion.js";
import type { TransactionEnvelope } from "./envelope.js";

/** Finds a keystore entry by label or any form of its address. @throws {Failure | KeystoreError} */
export async function keyNamed(settings: Settings, text: string): Promise<KeystoreEntry> {
	return findKey(settings.keystoreDirectory, readAddress(text) ?? text);
}

/** Finds an entry whose key itself is needed. @throws {Failure | KeystoreError} also `watch_only` */
export async function openableKey(settings: Settings, text: string): Promise<KeystoreEntry> {
	const entry = await keyNamed(settings, text);
	checkHasKey(entry);
	return entry;
}

/** Finds an entry to sign a transaction with; its key may be held by a signer. @throws {Failure | KeystoreError} */
export async function signableKey(settings: Settings, text: string): Promise<KeystoreEntry> {
	const entry = await keyNamed(settings, text);
	checkSigns(entry);
	return entry;
}

/**
 * The address that a text refers to: an address in any form, the label of a key, or that of a contact.
 * @throws {Failure | KeystoreError} `ambiguous` if a key and a contact have the label
 */
export async function accountNamed(settings: Settings, text: string): Promise<Uint8Array> {
	const address = readAddress(text);
	if (address) return address;
	const contact = await contactNamed(settings.contactsFile, text);
	if (!contact) return (await keyOrContact(settings, text)).address;
	const { entries } = await listKeystore(settings.keystoreDirectory);
	if (entries.some((entry) => sameLabel(entry.name, text))) {
		throw new Failure("ambiguous", `"${text}" is the label of a key and of a contact`, {
			hint: `use the address, or coin contact remove ${text}`,
		});
	}
	return contact.address;
}

/** @throws {Failure} `wallet_not_found` with every place where the label was looked up, and similar labels */
async function keyOrContact(settings: Settings, text: string): Promise<KeystoreEntry> {
	try {
		return await findKey(settings.keystoreDirectory, text);
	} catch (error) {
		if (!(error instanceof KeystoreError) || error.code !== "wallet_not_found") throw error;
		const { entries } = await listKeystore(settings.keystoreDirectory);
		if (entries.some(({ name }) => sameLabel(name, text))) throw error;
		const labels = (await readContacts(settings.contactsFile)).map(({ label }) => label);
		const near = nearest(text, [...entries.map(({ name }) => name), ...labels]);
		throw new Failure(
			"wallet_not_found",
			`"${text}" is not an address, a key in ${settings.keystoreDirectory} or a contact`,
			{
				hint:
					near.length > 0
						? `did you mean ${near.join(" or ")}?`
						: `coin contact add ${contactLabelFrom(text)} <address> makes a contact`,
			},
		);
	}
}

/** The account that a text refers to, or the acting account if there is no text. @throws {Failure | KeystoreError} */
export async function accountOrActive(settings: Settings, text: string | undefined): Promise<Uint8Array> {
	return text === undefined ? activeAccount(settings) : accountNamed(settings, text);
}

/**
 * The acting account if none is given: the configured wallet, else the keystore's only key.
 * @throws {Failure} `usage` if there are several keys or none
 */
export async function activeAccount(settings: Settings): Promise<Uint8Array> {
	if (settings.wallet !== undefined) return accountNamed(settings, settings.wallet);
	const { entries } = await listKeystore(settings.keystoreDirectory);
	const [only, second] = entries;
	if (only && !second) return only.address;
	const why = only ? `the keystore holds ${entries.length} keys` : "the keystore is empty";
	throw new Failure("usage", `no account is named and ${why}`, {
		hint: only
			? "name one with --from, COIN_FROM, or wallet = … in the configuration"
			: "coin keystore new makes a key",
	});
}

/**
 * Checks that keys may sign an envelope now.
 * @throws {Failure} `not_authorized`, `already_signed`, `too_many_signatures`
 */
export function checkSigners(
	envelope: TransactionEnvelope,
	permission: Readonly<Permission>,
	keys: readonly SigningKey[],
): void {
	for (const key of keys) {
		if (!isDevice(key)) checkSigns(key);
		if (!permission.keys.some((candidate) => equalBytes(candidate.address, key.address))) {
			const known = permission.keys.map(({ address }) => toBase58Check(address)).join(", ");
			throw new Failure(
				"not_authorized",
				`${key.name} (${key.base58}) is not a key of the permission ${permissionLabel(permission)}: its keys are ${known}`,
			);
		}
		if (hasSigned(envelope, key))
			throw new Failure("already_signed", `${key.name} (${key.base58}) has signed already`);
	}
	const total = envelope.signers.length + keys.length;
	const limit = Math.min(permission.keys.length, MAX_SIGNATURES);
	if (total > limit) {
		throw new Failure(
			"too_many_signatures",
			`${total} signatures would be more than the ${limit} that the permission allows`,
		);
	}
}

export function hasSigned(envelope: TransactionEnvelope, key: SigningKey): boolean {
	return envelope.signers.some((signer) => equalBytes(signer, key.address));
}
