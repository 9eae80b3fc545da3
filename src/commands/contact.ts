/** `coin contact …`: labels for other people's accounts. */

import { Flags } from "@oclif/core";
import { checkRecoverable } from "../keystore/keystore.js";
import { toBase58Check } from "../protocol/address.js";
import { equalBytes, toHex, utf8 } from "../protocol/bytes.js";
import { command } from "../terminal/base/command-row.js";
import { interfaceEntries } from "../terminal/contract/contract-input.js";
import { yesFlag } from "../terminal/flags/acting-flags.js";
import { keystoreFlags, nodeFlags, passwordFlags, required } from "../terminal/flags/flags.js";
import { givenStdin } from "../terminal/input/stdin.js";
import { hashSignature } from "../terminal/keys/agent-signature.js";
import { printJson } from "../terminal/output/output.js";
import { agree } from "../terminal/prompt/confirmation.js";
import { canAsk } from "../terminal/prompt/controlling-terminal.js";
import { recipientFacts } from "../wallet/actions/transfer.js";
import { readBoundedFile } from "../wallet/bounded-file.js";
import {
	checkRedirections,
	compareContacts,
	contactChanges,
	contactRecord,
	contactsText,
	MAX_LIST_BYTES,
	ownNames,
	readContactList,
	refusals,
	withInterfaces,
	writeContactList,
} from "../wallet/configuration/contact-list.js";
import {
	addContact,
	checkNewContact,
	putContacts,
	readContacts,
	removeContact,
} from "../wallet/configuration/contacts.js";
import { keepInterface, ownEntries } from "../wallet/configuration/own-interfaces.js";
import { Failure, onRefusal } from "../wallet/failure.js";
import { fetchGenesisId } from "../wallet/node/chain-query.js";
import { NodeClient } from "../wallet/node/node-client.js";
import { messageHash, signatureText } from "../wallet/transaction/signed-message.js";
import { accountNamed, keyNamed } from "../wallet/transaction/signing.js";
import { isGone } from "../wallet/view/contract-record.js";

export const ContactAdd = command({
	summary: "Give the account of another person a label",
	examples: ["<%= config.bin %> contact add alice TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC"],
	args: {
		label: required("one word"),
		address: required("address in any form"),
	},
	flags: {
		...nodeFlags,
		...keystoreFlags,
		abi: Flags.string({
			description:
				"interface of the contract, kept for its calls: @file, JSON, or a contract that has the same",
			helpValue: "<json>",
		}),
		note: Flags.string({ description: "free text", helpValue: "<text>" }),
	},
	run: async ({ args, flags, settings: load, print, note }) => {
		const settings = await load();
		const address = await accountNamed(settings, args.address);
		const client = new NodeClient({ ...settings, timeoutMs: Math.min(settings.timeoutMs, LOOKUP_MS) });
		const isFree = await isGone(client, args.label).catch(onRefusal(false));
		if (!isFree) await checkNewContact(settings, args.label);
		const contract = await chainOfContract(client, address);
		const contact = { label: args.label, address, note: flags.note, ...(contract && { contract }) };
		const abi = flags.abi === undefined ? undefined : await interfaceEntries(flags.abi, settings);
		await addContact(settings.contactsFile, contact, (text) => note(text), isFree);
		if (abi) await keepInterface(settings, contact.address, abi);
		const shown = { label: args.label, address: toBase58Check(address), note: flags.note };
		print.record(
			{ ...shown, ...(contract && { contract }) },
			{ ...shown, ...(contract && { chain: contract }) },
		);
	},
});

/** Short timeout, since adding a label doesn't require a node. */
const LOOKUP_MS = 3_000;

/** The chain, if the address is a contract; undefined also if no node answers, as labels need none. */
async function chainOfContract(client: NodeClient, address: Uint8Array): Promise<string | undefined> {
	try {
		const { isContract } = await recipientFacts(client, address);
		return isContract ? toHex(await fetchGenesisId(client)) : undefined;
	} catch (error) {
		if (error instanceof Failure) return undefined;
		throw error;
	}
}

/** The most lines of a list that are shown before signing, and characters of each: interfaces stand at a line's end. */
const SHOWN_LINES = 200;
const SHOWN_CHARACTERS = 4_000;

export const ContactExport = command({
	summary: "Print the contacts for others, signed or not",
	description:
		"One JSON object, which coin contact import reads on another machine. Of contracts, it has the chain, the interface and the layout " +
		"of storage, as far as they are kept here.",
	examples: ["<%= config.bin %> contact export --sign ann > shared.json"],
	flags: {
		...keystoreFlags,
		...passwordFlags,
		sign: Flags.string({ description: "key of the keystore that signs the list", helpValue: "<wallet>" }),
	},
	run: async ({ flags, settings: load, passwordSource, chatty, note }) => {
		const settings = await load();
		const contacts = await withInterfaces(settings, await readContacts(settings.contactsFile), (label) =>
			note(`the interface of ${label} is left out: the list would be too long`),
		);
		for (const [label, why] of refusals(contacts))
			note(
				`coin contact import will refuse the whole list: ${why}. coin contact add <label> <address> and coin contact remove ${label} put another in its place`,
			);
		if (flags.sign === undefined) return printJson(writeContactList(contacts));
		const key = await keyNamed(settings, flags.sign);
		checkRecoverable(key, "a list of contacts");
		const text = contactsText(contacts);
		const lines = text
			.split("\n")
			.map((line) => (line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line));
		const more = lines.length - SHOWN_LINES;
		const shown = [...lines.slice(0, SHOWN_LINES), ...(more > 0 ? [`(and ${more} more lines)`] : [])];
		const what = "the contacts";
		const words = { hash: messageHash(utf8(text)), what, whatUnlocked: what, shown };
		const signature = await hashSignature({ chatty, note }, key, words, passwordSource(settings));
		printJson(writeContactList(contacts, { signer: key.address, signature: signatureText(signature) }));
	},
});

export const ContactImport = command({
	summary: "Take over contacts that coin contact export has printed",
	description:
		"Shows what is new and what would change, and asks first. A list with a wrong signature, or with an address whose checksum is " +
		"wrong or missing, is refused whole. A label gets another address or chain, and one that looks like a token of the profile is taken " +
		"over, only where somebody agrees at the terminal, or --from says who must have signed. Interfaces of contracts are taken over where " +
		"none is kept yet; as calls are shown by them, the same goes for them.",
	examples: ["<%= config.bin %> contact import shared.json --from ann --yes"],
	args: { file: required("the list, or - for standard input") },
	flags: {
		...keystoreFlags,
		...yesFlag,
		from: Flags.string({ description: "account that must have signed the list", helpValue: "<account>" }),
	},
	run: async ({ args, flags, settings: load, print, note }) => {
		const settings = await load();
		const text =
			args.file === "-"
				? await givenStdin("the list")
				: readBoundedFile(args.file, MAX_LIST_BYTES).toString("utf8");
		const { contacts, interfaces, signer } = readContactList(text);
		const wanted = flags.from === undefined ? undefined : await accountNamed(settings, flags.from);
		const by = signer === undefined ? "nobody" : toBase58Check(signer);
		if (wanted && !(signer && equalBytes(signer, wanted)))
			throw new Failure("not_authorized", `the list is signed by ${by}, not by ${toBase58Check(wanted)}`);
		const own = await readContacts(settings.contactsFile);
		const difference = compareContacts(own, contacts);
		const { added, changed, same } = difference;
		for (const { label } of added) await checkNewContact(settings, label);
		const missing: (typeof interfaces)[number][] = [];
		for (const one of interfaces) if (!(await ownEntries(settings, one.address))) missing.push(one);
		const names = await ownNames(settings);
		const summary = [
			`${contacts.length} contacts, signed by ${by}`,
			...contactChanges(difference),
			...missing.map(({ label, address }) => {
				const name = names.get(toBase58Check(address)) ?? label;
				return `  interface   ${label}${name === label ? "" : `, for calls of your ${name}`}`;
			}),
		];
		const result = {
			signer: signer && by,
			added: added.map(contactRecord),
			changed: changed.map(({ before, after }) => ({
				before: contactRecord(before),
				after: contactRecord(after),
			})),
			same: same.length,
			interfaces: missing.map(({ label }) => label),
		};
		if (added.length + changed.length + missing.length > 0) {
			try {
				if (!wanted && (flags.yes || !canAsk()))
					checkRedirections(difference, by, Object.keys(settings.tokens), missing, names);
				await agree(2, summary, flags.yes, "Take them over?");
			} catch (error) {
				throw error instanceof Failure ? error.with({ details: result }) : error;
			}
			const taken = [...added, ...changed.map(({ after }) => after)];
			await putContacts(settings.contactsFile, taken, own, note);
			for (const { address, abi, layout } of missing) await keepInterface(settings, address, abi, layout);
		}
		print.record(result, summary);
	},
});

export const ContactList = command({
	summary: "List the contacts",
	examples: ["<%= config.bin %> contact list"],
	run: async ({ settings, print }) => {
		const contacts = await readContacts((await settings()).contactsFile);
		const rows = contacts.map(({ label, address, note }) => ({
			label,
			address: toBase58Check(address),
			note,
		}));
		print.list(rows, ["label", "address", "note"], "no contacts");
	},
});

export const ContactRemove = command({
	summary: "Remove a contact",
	examples: ["<%= config.bin %> contact remove store"],
	args: {
		label: required("its label"),
	},
	run: async ({ args, settings, print, note }) => {
		const { contactsFile } = await settings();
		const { address, ...contact } = await removeContact(contactsFile, args.label, note);
		print.record({ label: contact.label, address: toBase58Check(address), note: contact.note });
	},
});
