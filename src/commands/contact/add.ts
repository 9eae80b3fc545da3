import { Args, Flags } from "@oclif/core";
import { listKeystore } from "../../keystore/keystore.js";
import { toBase58Check } from "../../protocol/address.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { flagText } from "../../terminal/contract/contract-input.js";
import { keystoreFlags } from "../../terminal/flags/flags.js";
import { entriesOf, readInterface } from "../../wallet/abi/interface.js";
import { addContact } from "../../wallet/configuration/contacts.js";
import { keepInterface } from "../../wallet/configuration/own-interfaces.js";
import { Failure } from "../../wallet/failure.js";
import { type Json, readJson } from "../../wallet/json.js";
import { accountNamed } from "../../wallet/transaction/signing.js";

export default class ContactAdd extends CoinCommand {
	static override summary = "Give the account of another person a label";
	static override examples = ["<%= config.bin %> contact add alice TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC"];
	static override args = {
		label: Args.string({ description: "one word", required: true, ignoreStdin: true }),
		address: Args.string({ description: "address in any form", required: true, ignoreStdin: true }),
	};
	static override flags = {
		...keystoreFlags,
		abi: Flags.string({
			description: "interface of the contract, kept for its calls: @file or JSON",
			helpValue: "<json>",
		}),
		note: Flags.string({ description: "free text", helpValue: "<text>" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ContactAdd);
		const settings = await this.settings(flags);
		const contact = {
			label: args.label,
			address: await accountNamed(settings, args.address),
			note: flags.note,
		};
		const { entries } = await listKeystore(settings.keystoreDirectory);
		if (entries.some(({ name }) => name === args.label)) {
			throw new Failure("bad_value", `"${args.label}" is the label of a key already`);
		}
		const abi = flags.abi === undefined ? undefined : abiEntries(await flagText(flags.abi, "the interface"));
		await addContact(settings.contactsFile, contact, (text) => this.note(text));
		if (abi) await keepInterface(settings, contact.address, abi);
		this.printRecord({ ...contact, address: toBase58Check(contact.address) });
	}
}

/** @throws {Failure} `bad_value` for what is no interface */
function abiEntries(text: string): Json {
	readInterface(text);
	return entriesOf(readJson(text)) ?? [];
}
