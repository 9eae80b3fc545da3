import { unlockKey } from "../../../keystore/keystore.js";
import { toHex } from "../../../protocol/bytes.js";
import { ExportCommand, exportArguments, exportFlags } from "../../../terminal/base/export-command.js";
import { withPassword } from "../../../terminal/keys/secrets.js";
import { withProgress } from "../../../terminal/progress/progress.js";
import { openableKey } from "../../../wallet/transaction/signing.js";

export default class KeystoreExportKey extends ExportCommand {
	static override summary = "Print or write the private key of a wallet";
	static override examples = ["<%= config.bin %> keystore export key ann --yes --out ann.key"];
	static override args = exportArguments;
	static override flags = exportFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(KeystoreExportKey);
		const settings = await this.settings(flags);
		const entry = await openableKey(settings, args.wallet);
		await this.confirmExport(`the private key of ${entry.name}`, flags.yes);
		const key = await withPassword(this.passwordSource(flags, settings), entry.name, (password) =>
			withProgress("opening the key", this.chatty, () => unlockKey(entry, password)),
		);
		await this.deliver(toHex(key), "the private key", flags.out);
		key.fill(0);
	}
}
