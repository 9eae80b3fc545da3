import { addKey, checkNewKey, checkNewLabel } from "../../../keystore/keystore.js";
import { parsePrivateKey } from "../../../keystore/secret-storage.js";
import { CoinCommand } from "../../../terminal/base/coin-command.js";
import { keystoreFlags, lightFlag, passwordFlags } from "../../../terminal/flags/flags.js";
import { importArguments, importInput, secretFileFlag } from "../../../terminal/keys/import-input.js";
import { importedSecret, newPassword } from "../../../terminal/keys/secrets.js";
import { withProgress } from "../../../terminal/progress/progress.js";

export default class KeystoreImportKey extends CoinCommand {
	static override summary = "Store a private key, encrypted";
	static override description =
		"The key is asked for on the terminal, or read from --key-file, or from standard input with -. It is never an argument.";
	static override examples = [
		"<%= config.bin %> keystore import key ann",
		"pass show coin/ann | <%= config.bin %> keystore import key ann --key-file -",
	];
	static override args = importArguments("the key", "the key");
	static override flags = {
		...keystoreFlags,
		...passwordFlags,
		...secretFileFlag("the key as 64 hex digits"),
		...lightFlag,
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(KeystoreImportKey);
		const settings = await this.settings(flags);
		const source = this.passwordSource(flags, settings);
		const { name, file: secretFile } = importInput(args, flags);
		await checkNewLabel(settings.keystoreDirectory, name);
		const key = await importedSecret(secretFile, "the private key", source.warn, async (text) =>
			parsePrivateKey(text),
		);
		await checkNewKey(settings.keystoreDirectory, key, name);
		const password = await newPassword(source, name ?? "the key");
		const { base58, kind, file, ...entry } = await withProgress("encrypting the key", this.chatty, () =>
			addKey(settings.keystoreDirectory, key, password, {
				name,
				strength: flags.light ? "light" : "standard",
			}),
		);
		key.fill(0);
		this.printRecord({ name: entry.name, address: base58, kind, file });
	}
}
