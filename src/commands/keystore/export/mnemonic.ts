import { unlockMnemonic } from "../../../keystore/keystore.js";
import { ExportCommand, exportArguments, exportFlags } from "../../../terminal/base/export-command.js";
import { withPassword } from "../../../terminal/keys/secrets.js";
import { withProgress } from "../../../terminal/progress/progress.js";
import { openableKey } from "../../../wallet/transaction/signing.js";

export default class KeystoreExportMnemonic extends ExportCommand {
	static override summary = "Print or write the mnemonic of a wallet";
	static override examples = ["<%= config.bin %> keystore export mnemonic savings --out savings.words"];
	static override args = exportArguments;
	static override flags = exportFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(KeystoreExportMnemonic);
		const settings = await this.settings(flags);
		const entry = await openableKey(settings, args.wallet);
		await this.confirmExport(`the mnemonic of ${entry.name}`, flags.yes);
		const words = await withPassword(this.passwordSource(flags, settings), entry.name, (password) =>
			withProgress("opening the mnemonic", this.chatty, () =>
				unlockMnemonic(settings.keystoreDirectory, entry.base58, password),
			),
		);
		await this.deliver(words, "the mnemonic", flags.out);
	}
}
