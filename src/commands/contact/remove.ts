import { Args } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { removeContact } from "../../wallet/configuration/contacts.js";

export default class ContactRemove extends CoinCommand {
	static override summary = "Remove a contact";
	static override args = {
		label: Args.string({ description: "its label", required: true, ignoreStdin: true }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ContactRemove);
		const { contactsFile } = await this.settings(flags);
		const { label, address, note } = await removeContact(contactsFile, args.label, (text) => this.note(text));
		this.printRecord({ label, address: toBase58Check(address), note });
	}
}
