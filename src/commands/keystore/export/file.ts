import { Flags } from "@oclif/core";
import { exportKeyFile } from "../../../keystore/keystore.js";
import { ExportCommand, exportArguments, exportFlags } from "../../../terminal/base/export-command.js";
import { openableKey } from "../../../wallet/transaction/signing.js";

export default class KeystoreExportFile extends ExportCommand {
	static override summary = "Print or write the encrypted key file of a wallet";
	static override examples = ["<%= config.bin %> keystore export file ann --ethereum --out UTC--ann.json"];
	static override args = exportArguments;
	static override flags = {
		...exportFlags,
		ethereum: Flags.boolean({
			description: "write the address as 40 hex digits, as Ethereum's programs expect it",
		}),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(KeystoreExportFile);
		const settings = await this.settings(flags);
		const entry = await openableKey(settings, args.wallet);
		await this.confirmExport(`the key file of ${entry.name}`, flags.yes);
		const text = await exportKeyFile(entry, flags.ethereum ? "ethereum" : "base58");
		if (!flags.ethereum)
			this.note("the address in it is Base58; Ethereum's programs want it as 40 hex digits: --ethereum");
		await this.deliver(text, "the encrypted key file", flags.out);
	}
}
