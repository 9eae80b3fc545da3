/**
 * Lists of contacts to share as files, signed or not (protocol/wallet-formats §7.1). Whoever writes such a file can redirect payments:
 * it is read within limits, addresses must have their checksum, and the changes it would make are shown first.
 */

import { hasRightCase } from "../../abi/address-case.js";
import { readStorageLayout } from "../../abi/storage-layout.js";
import { appearance, looksAlike } from "../../keystore/label.js";
import { addressOfText, toBase58Check } from "../../protocol/address.js";
import { equalBytes, utf8 } from "../../protocol/bytes.js";
import { interfaceOf } from "../abi/interface.js";
import { Failure } from "../failure.js";
import { isRecord, type Json, type JsonRecord, readGivenJson, writeJson } from "../json.js";
import { messageHash, signerOf } from "../transaction/signed-message.js";
import { readAddress } from "../values/address-text.js";
import { shorten } from "../values/bytes-text.js";
import { unknownMember } from "../values/suggestion.js";
import { type Contact, checkContactLabel } from "./contacts.js";
import { type Labels, readLabels } from "./labels.js";
import { canBeKept, ownEntries, ownLayout } from "./own-interfaces.js";
import type { Settings } from "./settings.js";

export const MAX_LIST_BYTES = 8 << 20;
/** The most bytes of interfaces and layouts in a list that is written. */
const MAX_INTERFACES = 4 << 20;
const MAX_CONTACTS = 2_000;
/** The most characters of a note. */
const MAX_NOTE = 500;

/** A contact with what is kept of its contract: interface and storage layout, as compilers write them. */
interface ListedContact extends Contact {
	readonly abi?: Json | undefined;
	readonly layout?: Json | undefined;
}

/** A list that was read; if it has a signature, that is valid. */
interface ContactList {
	readonly contacts: readonly Contact[];
	/** Those contacts whose interface is in the list. */
	readonly interfaces: readonly (ListedContact & { readonly abi: Json })[];
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
export const contactRecord = ({ label, address, note, contract }: Contact): JsonRecord => ({
	label,
	address: toBase58Check(address),
	...(note === undefined ? {} : { note }),
	...(contract === undefined ? {} : { contract }),
});

/** A contact in a list. Without what is known of a contract, its line is the one that was always signed. */
const listRecord = ({ abi, layout, ...contact }: ListedContact): JsonRecord => ({
	...contactRecord(contact),
	...(abi === undefined ? {} : { abi }),
	...(layout === undefined ? {} : { layout }),
});

/** Contacts with what is kept of their contracts. @param leave called with the label of one whose interface would be too much */
export async function withInterfaces(
	settings: Pick<Settings, "contactsFile">,
	contacts: readonly Contact[],
	leave: (label: string) => void,
): Promise<readonly ListedContact[]> {
	const listed: ListedContact[] = [];
	let rest = MAX_INTERFACES;
	for (const contact of contacts) {
		const abi = await ownEntries(settings, contact.address);
		const layout = abi && (await ownLayout(settings, contact.address));
		const length = abi ? Buffer.byteLength(writeJson([abi, layout])) : 0;
		const isShort = length <= rest;
		if (isShort) rest -= length;
		else leave(contact.label);
		listed.push(abi && isShort ? { ...contact, abi, layout } : contact);
	}
	return listed;
}

/** The text that is signed as a message (version 2 of message signing), with one line per contact. */
export function contactsText(contacts: readonly ListedContact[]): string {
	return ["contacts 1", ...contacts.map((contact) => writeJson(listRecord(contact)))].join("\n");
}

/** Writes a list. @param signed the signer, with its signature of {@link contactsText} */
export function writeContactList(
	contacts: readonly ListedContact[],
	signed?: { readonly signer: Uint8Array; readonly signature: string },
): JsonRecord {
	const list = { version: 1, contacts: contacts.map(listRecord) };
	return signed ? { ...list, signer: toBase58Check(signed.signer), signature: signed.signature } : list;
}

/** Reads a list. @throws {Failure} `bad_value`, `bad_address`; `not_authorized` if the signature isn't the signer's */
export function readContactList(text: string): ContactList {
	if (text.length > MAX_LIST_BYTES) throw notAList("it is too long");
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
	const listed = entries.map(contactOf);
	const contacts = listed.map(({ abi: _, layout: __, ...contact }): Contact => contact);
	const interfaces = listed.flatMap(({ abi, ...one }) => (abi === undefined ? [] : [{ ...one, abi }]));
	const labels = new Set<string>();
	for (const { label } of contacts) addLabel(labels, label);
	// They are kept by address, so the last would be taken.
	const kept = new Map<string, string>();
	for (const { label, address, abi, layout } of interfaces) {
		const [place, known] = [toBase58Check(address), writeJson([abi, layout ?? null])];
		if ((kept.get(place) ?? known) !== known)
			throw notAList(`the interface of "${label}" is another one under another label`);
		kept.set(place, known);
	}
	if (signer === undefined && signature === undefined) return { contacts, interfaces, signer: undefined };
	if (typeof signer !== "string" || typeof signature !== "string")
		throw notAList("signer and signature go together");
	const named = addressOf(signer);
	if (!equalBytes(signerOf(messageHash(utf8(contactsText(listed))), signature), named))
		throw new Failure("not_authorized", `the signature of the contacts is not that of ${signer}`);
	return { contacts, interfaces, signer: named };
}

/** @param labels {@link appearance} of those before it */
function addLabel(labels: Set<string>, label: string): void {
	if (labels.has(appearance(label)))
		throw notAList(`it has the label "${label}" twice, or one that looks like it`);
	labels.add(appearance(label));
}

/** Why {@link readContactList} would refuse contacts, by label: those of earlier releases may have labels that no new one gets. */
export function refusals(contacts: readonly ListedContact[]): ReadonlyMap<string, string> {
	const labels = new Set<string>();
	const found = new Map<string, string>();
	for (const contact of contacts) {
		try {
			contactOf(listRecord(contact));
			addLabel(labels, contact.label);
		} catch (error) {
			if (!(error instanceof Failure)) throw error;
			found.set(contact.label, error.message);
		}
	}
	return found;
}

function contactOf(entry: Json): ListedContact {
	if (!isRecord(entry)) throw notAList("an entry is not an object");
	checkMembers(entry, ["label", "address", "note", "contract", "abi", "layout"]);
	const { label, address, note, contract, abi, layout } = entry;
	if (typeof label !== "string" || typeof address !== "string")
		throw notAList("an entry has no label or no address");
	checkContactLabel(label);
	if (note !== undefined && (typeof note !== "string" || note.length > MAX_NOTE))
		throw notAList(`the note of "${label}" is not a text of up to ${MAX_NOTE} characters`);
	if (contract !== undefined && !(typeof contract === "string" && /^[0-9a-f]{64}$/.test(contract)))
		throw notAList(`the contract of "${label}" is not the id of a chain's first block`);
	if (abi !== undefined && !(Array.isArray(abi) && interfaceOf(abi)))
		throw notAList(`the interface of "${label}" is not a list`);
	if (layout !== undefined && (abi === undefined || !readStorageLayout(layout)))
		throw notAList(`the layout of "${label}" is not a compiler's, or has no interface beside it`);
	if (![abi ?? null, layout ?? null].every(canBeKept))
		throw notAList(`the interface or layout of "${label}" is too long to be kept`);
	return {
		label,
		address: addressOf(address),
		note,
		...(contract === undefined ? {} : { contract }),
		...(abi === undefined ? {} : { abi }),
		...(layout === undefined ? {} : { layout }),
	};
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

/**
 * Compares an address book with a list by label; one that is only encoded otherwise stays as it is. A list that doesn't say whether one is a
 * contract changes nothing about that.
 */
export function compareContacts(own: readonly Contact[], list: readonly Contact[]): ContactDifference {
	const exact = new Map(own.map((contact) => [contact.label, contact]));
	const normal = new Map(own.map((contact) => [contact.label.normalize(), contact]));
	const pairs = list.map((theirs) => {
		const before = exact.get(theirs.label) ?? normal.get(theirs.label.normalize());
		const listed = { ...theirs, label: before?.label ?? theirs.label };
		const isKept = before?.contract !== undefined && equalBytes(before.address, listed.address);
		return { before, after: isKept ? { ...listed, contract: listed.contract ?? before.contract } : listed };
	});
	return {
		added: pairs.flatMap(({ before, after }) => (before ? [] : [after])),
		changed: pairs.flatMap(({ before, after }) =>
			before && !isSame(before, after) ? [{ before, after }] : [],
		),
		same: pairs.flatMap(({ before, after }) => (before && isSame(before, after) ? [after] : [])),
	};
}

/** Own names of addresses (Base58): labels of contacts and keys, symbols of the profile's token contracts. */
export async function ownNames(
	settings: Pick<Settings, "keystoreDirectory" | "contactsFile" | "tokens">,
): Promise<Labels> {
	const tokens = Object.entries(settings.tokens).flatMap(([symbol, id]) => {
		const address = addressOfText(id, hasRightCase);
		return address instanceof Uint8Array ? [[toBase58Check(address), symbol] as const] : [];
	});
	return new Map([...tokens, ...(await readLabels(settings))]);
}

/**
 * Whoever wrote a list may have signed it, too, with a key of theirs: where nobody looks at it, it redirects no payments.
 * @param tokens symbols of the profile: in place of a token, a label means the contract behind it
 * @param interfaces contacts whose interface would be taken over: calls are shown by it before they are signed
 * @param names {@link ownNames}: interfaces are kept by address, so one of these gets its under any label
 * @throws {Failure} `confirmation_needed` for another address or chain of a label, a new one that looks like a token, or an interface of
 * an address with a name
 */
export function checkRedirections(
	{ added, changed }: ContactDifference,
	signer: string,
	tokens: readonly string[],
	interfaces: readonly Contact[] = [],
	names: Labels = new Map(),
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
	const isMoved = (before: Contact, after: Contact): boolean => !equalBytes(before.address, after.address);
	// A contact that is no contract on its chain counts as a failed deployment, whose label is free.
	const other = changed.find(
		({ before, after }) => isMoved(before, after) || before.contract !== after.contract,
	);
	const named = interfaces.map(({ address }) => names.get(toBase58Check(address)));
	// Any interface: the address may be that of the code behind a proxy which has a name.
	const label = other?.after.label ?? named.find((name) => name !== undefined) ?? interfaces[0]?.label;
	if (label === undefined) return;
	// Interfaces are taken over only where none is kept yet.
	const what = !other
		? "an interface"
		: isMoved(other.before, other.after)
			? "another address"
			: "another chain";
	throw new Failure(
		"confirmation_needed",
		`the list, signed by ${signer}, gives "${label}" ${what}, and --yes isn't enough for that`,
		{
			hint: `--from <account> says who must have signed it; ${other ? `coin contact remove ${label} makes room; ` : ""}without --yes a terminal asks`,
		},
	);
}

function isSame(one: Contact, other: Contact): boolean {
	return equalBytes(one.address, other.address) && one.note === other.note && one.contract === other.contract;
}

/** Describes a comparison for people, with one line per contact that changes. */
export function contactChanges({ added, changed, same }: ContactDifference): string[] {
	const noted = ({ note }: Contact): string => (note === undefined ? "" : `  ${JSON.stringify(note)}`);
	// Ids of blocks begin with the number, which is zero for every chain's first one.
	const chain = ({ contract }: Contact): string =>
		contract === undefined ? "" : `  a contract of chain …${contract.slice(-8)}`;
	const place = (contact: Contact): string =>
		`${toBase58Check(contact.address)}${noted(contact)}${chain(contact)}`;
	return [
		...added.map((contact) => `  new         ${contact.label}  ${place(contact)}`),
		...changed.map(
			({ before, after }) => `  changed     ${after.label}  ${place(before)} becomes ${place(after)}`,
		),
		`  same        ${same.length}`,
	];
}
