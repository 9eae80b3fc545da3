/**
 * The address book: labels of other people's accounts, beside the keystore (protocol/command-line §6.1). It
 * isn't secret, but writing to it can redirect payments, so it has the permissions of a key file.
 */

import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { checkNewLabel, listKeystore } from "../../keystore/keystore.js";
import {
	hasOtherMeaning,
	looksAlike,
	looksSecret,
	mistakable,
	SECRET_LABEL,
	sameLabel,
} from "../../keystore/label.js";
import { createPrivateDirectory, ifMissing, writePrivateFile } from "../../keystore/private-file.js";
import { toBase58Check } from "../../protocol/address.js";
import { equalBytes } from "../../protocol/bytes.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, readGivenJson } from "../json.js";
import { readAddress } from "../values/address-text.js";
import { withFileLock } from "./file-lock.js";
import type { Settings } from "./settings.js";

export interface Contact {
	readonly label: string;
	/** 21 bytes. */
	readonly address: Uint8Array;
	readonly note: string | undefined;
	/** Genesis block id of the chain where it is a contract; absent for other accounts, or if unknown. */
	readonly contract?: string | undefined;
}

/**
 * Every contact, ordered by label; none if there is no file.
 * @throws {Failure} `bad_value` for a file that isn't an address book
 */
export async function readContacts(file: string): Promise<readonly Contact[]> {
	const text = await readFile(file, "utf8").catch(ifMissing(undefined));
	if (text === undefined) return [];
	let json: Json;
	try {
		json = readGivenJson(text);
	} catch (error) {
		throw damaged(file, (error as Error).message);
	}
	if (!Array.isArray(json)) throw damaged(file, "it is not a list");
	const contacts = json.map((entry: Json) => contactOf(entry, file));
	return contacts.sort((a, b) => (a.label < b.label ? -1 : a.label > b.label ? 1 : 0));
}

function contactOf(entry: Json, file: string): Contact {
	if (!isRecord(entry)) throw damaged(file, "an entry is not an object");
	const { label, address, note, contract } = entry;
	const bytes = typeof address === "string" ? readAddress(address) : undefined;
	if (typeof label !== "string" || !bytes) throw damaged(file, "an entry has no label or no address");
	return {
		label,
		address: bytes,
		note: typeof note === "string" ? note : undefined,
		...(typeof contract === "string" ? { contract } : {}),
	};
}

function damaged(file: string, why: string): Failure {
	return new Failure("bad_value", `${file} is not an address book: ${why}`);
}

/** The contact with a label; undefined if there is none. */
export async function contactNamed(file: string, label: string): Promise<Contact | undefined> {
	return labelled(await readContacts(file), label);
}

/** The contact with exactly this label, or else with one that only encodes its accents otherwise. */
const labelled = (contacts: readonly Contact[], label: string): Contact | undefined =>
	contacts.find((contact) => contact.label === label) ??
	contacts.find((contact) => sameLabel(contact.label, label));

/** Checks a new contact's label. @throws {Failure} `bad_value` if it is invalid or too similar to another */
export async function checkNewContact(
	{ contactsFile, keystoreDirectory }: Pick<Settings, "contactsFile" | "keystoreDirectory">,
	label: string,
): Promise<void> {
	checkContactLabel(label);
	const [contacts, { entries }] = await Promise.all([
		readContacts(contactsFile),
		listKeystore(keystoreDirectory),
	]);
	const key = entries.find(({ name }) => looksAlike(name, label));
	if (key) {
		const what = sameLabel(key.name, label) ? "is the label" : `looks like "${key.name}", the label`;
		throw new Failure("bad_value", `"${label}" ${what} of a key already`);
	}
	checkFree(contacts, label);
}

/**
 * Checks the label of a new key.
 * @param address of the entry that gets it, if already known
 * @throws {Failure | KeystoreError} `keystore_exists`, `bad_value`
 */
export async function checkNewKeyLabel(
	{ contactsFile, keystoreDirectory }: Pick<Settings, "contactsFile" | "keystoreDirectory">,
	label: string | undefined,
	address?: Uint8Array,
): Promise<void> {
	await checkNewLabel(keystoreDirectory, label, address);
	if (label !== undefined) checkFree(await readContacts(contactsFile), label);
}

/** @throws {Failure} `bad_value` if a contact has the label, or one that looks like it */
function checkFree(contacts: readonly Contact[], label: string): void {
	const taken = contacts.find((contact) => looksAlike(contact.label, label));
	if (!taken) return;
	const alike = sameLabel(taken.label, label) ? "" : `, which "${label}" looks like`;
	throw new Failure("bad_value", `there is a contact "${taken.label}" already${alike}`, {
		hint: `coin contact remove ${taken.label} makes room`,
	});
}

/**
 * Adds a contact.
 * @param isInstead whether it replaces the contact with the same label, if there is one, of a contract that the chain doesn't have
 * @param note called with a message when a stale lock is removed, and with the address that a label had
 * @throws {Failure} `bad_value` for a label that is taken or invalid
 */
export async function addContact(
	file: string,
	contact: Contact,
	note: (text: string) => void,
	isInstead = false,
): Promise<void> {
	checkContactLabel(contact.label);
	await change(file, note, (contacts) => {
		const before = isInstead ? labelled(contacts, contact.label) : undefined;
		// Files of earlier releases may have the label in another encoding, too.
		checkFree(
			before ? contacts.filter(({ label }) => !sameLabel(label, contact.label)) : contacts,
			contact.label,
		);
		// The label may be in use on another chain that began with the same block.
		if (before && !equalBytes(before.address, contact.address))
			note(`${before.label} was ${toBase58Check(before.address)} until now, which this chain doesn't have`);
		return [...contacts.filter((one) => one !== before), contact];
	});
}

/** Removes a contact. @throws {Failure} `not_found` */
export async function removeContact(
	file: string,
	label: string,
	note: (text: string) => void,
): Promise<Contact> {
	let removed: Contact | undefined;
	await change(file, note, (contacts) => {
		removed = labelled(contacts, label);
		return removed === undefined ? contacts : contacts.filter((contact) => contact !== removed);
	});
	if (!removed) throw new Failure("not_found", `there is no contact "${label}"`);
	return removed;
}

/**
 * Adds contacts to the address book, replacing those with the same labels.
 * @param seen the contacts as shown to the user before confirmation
 * @throws {Failure} `bad_value` if the address book has changed since
 */
export async function putContacts(
	file: string,
	contacts: readonly Contact[],
	seen: readonly Contact[],
	note: (text: string) => void,
): Promise<void> {
	const labels = new Set(contacts.map(({ label }) => label));
	await change(file, note, (before) => {
		if (textOf(before) !== textOf(seen))
			throw new Failure("bad_value", `${file} was changed meanwhile: nothing was imported`, {
				retry: "same",
			});
		return [...before.filter(({ label }) => !labels.has(label)), ...contacts];
	});
}

/** A text that could be a contact's label and is a word to shells too; otherwise what stands for one. */
export function contactLabelFrom(text: string): string {
	try {
		checkContactLabel(text);
		return /^[\p{L}\p{M}\p{N}_.-]+$/u.test(text) ? text : "<label>";
	} catch {
		return "<label>";
	}
}

/** A label must not be mistaken for an address, a value from standard input, or a flag, nor be a secret. */
export function checkContactLabel(label: string): void {
	if (looksSecret(label)) throw new Failure("bad_value", SECRET_LABEL);
	if (!/^[^\s@-][^\s]{0,63}$/.test(label) || /[\p{Cc}\p{Cf}]/u.test(label)) {
		throw new Failure("bad_value", `"${label}" is not a label: one word of up to 64 characters is`);
	}
	const mistaken = mistakable(label);
	if (mistaken !== undefined) throw new Failure("bad_value", `"${label}" ${mistaken}`);
	if (hasOtherMeaning(label)) {
		throw new Failure("bad_value", `"${label}" means something else already, so it can't be a label`);
	}
	if (looksLikeAddress(label)) {
		throw new Failure("bad_value", `"${label}" looks like an address, so it can't be a label`);
	}
}

function looksLikeAddress(label: string): boolean {
	if (/^(0x)?[0-9a-fA-F]{40,42}$/.test(label)) return true;
	try {
		return readAddress(label) !== undefined;
	} catch (error) {
		if (error instanceof Failure) return true;
		throw error;
	}
}

async function change(
	file: string,
	note: (text: string) => void,
	edit: (contacts: readonly Contact[]) => readonly Contact[],
): Promise<void> {
	await createPrivateDirectory(dirname(file));
	await withFileLock(file, note, async () => {
		const before = await readContacts(file);
		const after = edit(before);
		if (after === before) return;
		await writePrivateFile(file, textOf(after), true);
	});
}

function textOf(contacts: readonly Contact[]): string {
	const entries = contacts.map(({ address, ...rest }) => ({
		...rest,
		address: toBase58Check(address),
	}));
	return `${JSON.stringify(entries, undefined, "\t")}\n`;
}
