import { Args, Flags } from "@oclif/core";
import { addKey, checkNewKey, checkNewLabel } from "../../../keystore/keystore.js";
import { parsePrivateKey } from "../../../keystore/secret-storage.js";
import { CoinCommand } from "../../../terminal/base/coin-command.js";
import { keystoreFlags, passwordFlags } from "../../../terminal/flags/flags.js";
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
	static override args = {
		name: Args.string({ description: "label of the key (default: its address)", ignoreStdin: true }),
		source: Args.string({
			description: "- to read the key from standard input",
			options: ["-"],
			ignoreStdin: true,
		}),
	};
	static override flags = {
		...keystoreFlags,
		...passwordFlags,
		"key-file": Flags.string({
			description: "file with the key as 64 hex digits, - for standard input",
			helpValue: "<path>",
		}),
		light: Flags.boolean({ description: "encrypt with little memory (n = 4096)" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(KeystoreImportKey);
		const settings = await this.settings(flags);
		const source = this.passwordSource(flags, settings);
		const dash = args.name === "-" || args.source === "-";
		const name = args.name === "-" ? undefined : args.name;
		await checkNewLabel(settings.keystoreDirectory, name);
		const key = await importedSecret(
			flags["key-file"] ?? (dash ? "-" : undefined),
			"the private key",
			source.warn,
			async (text) => parsePrivateKey(text),
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
