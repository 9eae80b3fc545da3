import { toBase58Check } from "../../protocol/address.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { readContacts } from "../../wallet/configuration/contacts.js";

export default class ContactList extends CoinCommand {
	static override summary = "List the contacts";

	async run(): Promise<void> {
		const { flags } = await this.parse(ContactList);
		const contacts = await readContacts((await this.settings(flags)).contactsFile);
		const rows = contacts.map(({ label, address, note }) => ({
			label,
			address: toBase58Check(address),
			note,
		}));
		this.printList(rows, ["label", "address", "note"], "no contacts");
	}
}
