/** `coin contact …`: labels for the accounts of others. */

import { Args, Flags } from "@oclif/core";
import { toBase58Check } from "../protocol/address.js";
import { command } from "../terminal/base/command-row.js";
import { flagText } from "../terminal/contract/contract-input.js";
import { keystoreFlags } from "../terminal/flags/flags.js";
import { entriesOf, readInterface } from "../wallet/abi/interface.js";
import {
	addContact,
	checkNewContact,
	readContacts,
	removeContact,
} from "../wallet/configuration/contacts.js";
import { keepInterface } from "../wallet/configuration/own-interfaces.js";
import { type Json, readJson } from "../wallet/json.js";
import { accountNamed } from "../wallet/transaction/signing.js";

export const ContactAdd = command({
	summary: "Give the account of another person a label",
	examples: ["<%= config.bin %> contact add alice TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC"],
	args: {
		label: Args.string({ description: "one word", required: true, ignoreStdin: true }),
		address: Args.string({ description: "address in any form", required: true, ignoreStdin: true }),
	},
	flags: {
		...keystoreFlags,
		abi: Flags.string({
			description: "interface of the contract, kept for its calls: @file or JSON",
			helpValue: "<json>",
		}),
		note: Flags.string({ description: "free text", helpValue: "<text>" }),
	},
	run: async ({ args, flags, settings: load, print, note }) => {
		const settings = await load();
		const contact = {
			label: args.label,
			address: await accountNamed(settings, args.address),
			note: flags.note,
		};
		await checkNewContact(settings, args.label);
		const abi = flags.abi === undefined ? undefined : abiEntries(await flagText(flags.abi, "the interface"));
		await addContact(settings.contactsFile, contact, (text) => note(text));
		if (abi) await keepInterface(settings, contact.address, abi);
		print.record({ ...contact, address: toBase58Check(contact.address) });
	},
});

/** @throws {Failure} `bad_value` for what is no interface */
function abiEntries(text: string): Json {
	readInterface(text);
	return entriesOf(readJson(text)) ?? [];
}

export const ContactList = command({
	summary: "List the contacts",
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
	args: {
		label: Args.string({ description: "its label", required: true, ignoreStdin: true }),
	},
	run: async ({ args, settings, print, note }) => {
		const { contactsFile } = await settings();
		const { address, ...contact } = await removeContact(contactsFile, args.label, note);
		print.record({ label: contact.label, address: toBase58Check(address), note: contact.note });
	},
});
