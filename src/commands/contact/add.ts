import { Args, Flags } from "@oclif/core";
import { listKeystore } from "../../keystore/keystore.js";
import { toBase58Check } from "../../protocol/address.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags } from "../../terminal/flags/flags.js";
import { addContact } from "../../wallet/configuration/contacts.js";
import { Failure } from "../../wallet/failure.js";
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
		await addContact(settings.contactsFile, contact, (text) => this.note(text));
		this.printRecord({ ...contact, address: toBase58Check(contact.address) });
	}
}
