/**
 * Lists of contacts to share as files, signed or not (protocol/wallet-formats §7.1). Whoever writes such a file can redirect payments:
 * it is read within limits, addresses must have their checksum, and the changes it would make are shown first.
 */

import { appearance, looksAlike } from "../../keystore/label.js";
import { toBase58Check } from "../../protocol/address.js";
import { equalBytes, utf8 } from "../../protocol/bytes.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord, readGivenJson, writeJson } from "../json.js";
import { messageHash, signerOf } from "../transaction/signed-message.js";
import { readAddress } from "../values/address-text.js";
import { shorten } from "../values/bytes-text.js";
import { unknownMember } from "../values/suggestion.js";
import { type Contact, checkContactLabel } from "./contacts.js";

export const MAX_LIST_BYTES = 1 << 20;
const MAX_CONTACTS = 2_000;
/** The most characters of a note. */
const MAX_NOTE = 500;

/** A list that was read; if it has a signature, that is valid. */
interface ContactList {
	readonly contacts: readonly Contact[];
	/** 21 bytes; undefined without a signature. */
	readonly signer: Uint8Array | undefined;
}

/** The changes that a list would make to an address book. */
interface ContactDifference {
	readonly added: readonly Contact[];
	readonly changed: readonly { readonly before: Contact; readonly after: Contact }[];
	readonly same: readonly Contact[];
}

/** A contact for people and files. */
export const contactRecord = ({ label, address, note }: Contact): JsonRecord => ({
	label,
	address: toBase58Check(address),
	...(note === undefined ? {} : { note }),
});

/** The text that is signed as a message (version 2 of message signing), with one line per contact. */
export function contactsText(contacts: readonly Contact[]): string {
	return ["contacts 1", ...contacts.map((contact) => writeJson(contactRecord(contact)))].join("\n");
}

/** Writes a list. @param signed the signer, with its signature of {@link contactsText} */
export function writeContactList(
	contacts: readonly Contact[],
	signed?: { readonly signer: Uint8Array; readonly signature: string },
): JsonRecord {
	const list = { version: 1, contacts: contacts.map(contactRecord) };
	return signed ? { ...list, signer: toBase58Check(signed.signer), signature: signed.signature } : list;
}

/** Reads a list. @throws {Failure} `bad_value`, `bad_address`; `not_authorized` if the signature isn't the signer's */
export function readContactList(text: string): ContactList {
	let json: Json;
	try {
		json = readGivenJson(text);
	} catch (error) {
		throw notAList((error as Error).message);
	}
	if (!isRecord(json)) throw notAList("it is not a JSON object");
	checkMembers(json, ["version", "contacts", "signer", "signature"]);
	const { version, contacts: entries, signer, signature } = json;
	if (String(version) !== "1") throw notAList("its version is not 1");
	if (!Array.isArray(entries)) throw notAList("it has no contacts");
	if (entries.length > MAX_CONTACTS)
		throw notAList(`it has ${entries.length} contacts, at most ${MAX_CONTACTS} are read`);
	const contacts = entries.map(contactOf);
	const labels = new Set<string>();
	for (const { label } of contacts) {
		if (labels.has(appearance(label)))
			throw notAList(`it has the label "${label}" twice, or one that looks like it`);
		labels.add(appearance(label));
	}
	if (signer === undefined && signature === undefined) return { contacts, signer: undefined };
	if (typeof signer !== "string" || typeof signature !== "string")
		throw notAList("signer and signature go together");
	const named = addressOf(signer);
	if (!equalBytes(signerOf(messageHash(utf8(contactsText(contacts))), signature), named))
		throw new Failure("not_authorized", `the signature of the contacts is not that of ${signer}`);
	return { contacts, signer: named };
}

function contactOf(entry: Json): Contact {
	if (!isRecord(entry)) throw notAList("an entry is not an object");
	checkMembers(entry, ["label", "address", "note"]);
	const { label, address, note } = entry;
	if (typeof label !== "string" || typeof address !== "string")
		throw notAList("an entry has no label or no address");
	checkContactLabel(label);
	if (note !== undefined && (typeof note !== "string" || note.length > MAX_NOTE))
		throw notAList(`the note of "${label}" is not a text of up to ${MAX_NOTE} characters`);
	return { label, address: addressOf(address), note };
}

/** Only Base58 is accepted, since it has a checksum: in hexadecimal, a typo would give another account. @throws {Failure} */
function addressOf(text: string): Uint8Array {
	const address = /^T/.test(text) ? readAddress(text) : undefined;
	if (!address)
		throw new Failure("bad_address", `${shorten(text)} is not an address with a checksum (Base58)`);
	return address;
}

function checkMembers(record: JsonRecord, known: readonly string[]): void {
	const unknown = Object.keys(record).find((name) => !known.includes(name));
	if (unknown !== undefined) throw unknownMember("the file is not a list of contacts: it", unknown, known);
}

function notAList(why: string): Failure {
	return new Failure("bad_value", `the file is not a list of contacts: ${why}`);
}

/** Compares an address book with a list by label. */
export function compareContacts(own: readonly Contact[], list: readonly Contact[]): ContactDifference {
	const byLabel = new Map(own.map((contact) => [contact.label, contact]));
	const pairs = list.map((after) => ({ before: byLabel.get(after.label), after }));
	return {
		added: pairs.flatMap(({ before, after }) => (before ? [] : [after])),
		changed: pairs.flatMap(({ before, after }) =>
			before && !isSame(before, after) ? [{ before, after }] : [],
		),
		same: pairs.flatMap(({ before, after }) => (before && isSame(before, after) ? [after] : [])),
	};
}

/**
 * Whoever wrote a list may have signed it, too, with a key of theirs: where nobody looks at it, it redirects no payments.
 * @param tokens symbols of the profile: in place of a token, a label means the contract behind it
 * @throws {Failure} `confirmation_needed` for another address of a label, and for a new one that looks like a token
 */
export function checkRedirections(
	{ added, changed }: ContactDifference,
	signer: string,
	tokens: readonly string[],
): void {
	for (const { label } of added) {
		const token = tokens.find((symbol) => looksAlike(symbol, label));
		if (token === undefined) continue;
		throw new Failure(
			"confirmation_needed",
			`the list, signed by ${signer}, has the label "${label}", which can be mistaken for the profile's token ${token}, and --yes isn't enough for that`,
			{ hint: "--from <account> says who must have signed it; without --yes a terminal asks" },
		);
	}
	const moved = changed.find(({ before, after }) => !equalBytes(before.address, after.address));
	if (!moved) return;
	const { label } = moved.after;
	throw new Failure(
		"confirmation_needed",
		`the list, signed by ${signer}, gives "${label}" another address, and --yes isn't enough for that`,
		{
			hint: `--from <account> says who must have signed it; coin contact remove ${label} makes room; without --yes a terminal asks`,
		},
	);
}

function isSame(one: Contact, other: Contact): boolean {
	return equalBytes(one.address, other.address) && one.note === other.note;
}

/** Describes a comparison for people, with one line per contact that changes. */
export function contactChanges({ added, changed, same }: ContactDifference): string[] {
	const noted = ({ note }: Contact): string => (note === undefined ? "" : `  ${JSON.stringify(note)}`);
	const place = (contact: Contact): string => `${toBase58Check(contact.address)}${noted(contact)}`;
	return [
		...added.map((contact) => `  new         ${contact.label}  ${place(contact)}`),
		...changed.map(
			({ before, after }) => `  changed     ${after.label}  ${place(before)} becomes ${place(after)}`,
		),
		`  same        ${same.length}`,
	];
}
