import { Flags } from "@oclif/core";
import { addKey, addMnemonic, checkNewKey, checkNewLabel } from "../../../keystore/keystore.js";
import { accountPath, checkMnemonic, deriveKey } from "../../../keystore/mnemonic.js";
import { CoinCommand } from "../../../terminal/base/coin-command.js";
import { keystoreFlags, lightFlag, passwordFlags } from "../../../terminal/flags/flags.js";
import { entryRecord } from "../../../terminal/flags/wallet-argument.js";
import { importArguments, importInput, secretFileFlag } from "../../../terminal/keys/import-input.js";
import { importedSecret, newPassword, readSecretFile } from "../../../terminal/keys/secrets.js";
import { withProgress } from "../../../terminal/progress/progress.js";

export default class KeystoreImportMnemonic extends CoinCommand {
	static override summary = "Store keys of a mnemonic, encrypted";
	static override description =
		"The mnemonic is asked for on the terminal, or read from --key-file, or from standard input with -. It is never an argument.";
	static override examples = [
		"<%= config.bin %> keystore import mnemonic savings",
		"<%= config.bin %> keystore import mnemonic dev --key-file words.txt --count 3",
	];
	static override args = importArguments("the mnemonic", "the first key");
	static override flags = {
		...keystoreFlags,
		...passwordFlags,
		...secretFileFlag("the mnemonic"),
		"passphrase-file": Flags.string({
			description: "file with the BIP-39 passphrase of the mnemonic",
			helpValue: "<path>",
		}),
		path: Flags.string({ description: "derivation path", exclusive: ["index", "count"] }),
		index: Flags.integer({ description: "first account", default: 0, min: 0, max: 0x7fffffff }),
		count: Flags.integer({ description: "number of accounts", default: 1, min: 1, max: 1000 }),
		...lightFlag,
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(KeystoreImportMnemonic);
		const settings = await this.settings(flags);
		const source = this.passwordSource(flags, settings);
		const { name, file: secretFile } = importInput(args, flags);
		await checkNewLabel(settings.keystoreDirectory, name);
		const mnemonic = await importedSecret(secretFile, "the mnemonic", source.warn, checkMnemonic);
		const passphraseFile = flags["passphrase-file"];
		const passphrase =
			passphraseFile === undefined ? "" : await readSecretFile(passphraseFile, "the passphrase", source.warn);
		const strength = flags.light ? ("light" as const) : ("standard" as const);
		const paths =
			flags.path === undefined
				? Array.from({ length: flags.count }, (_, offset) => accountPath(flags.index + offset))
				: [flags.path];
		for (const [position, path] of paths.entries()) {
			const key = await deriveKey(mnemonic, path, passphrase);
			await checkNewKey(settings.keystoreDirectory, key, labelAt(name, position)).finally(() => key.fill(0));
		}
		const password = await newPassword(source, name ?? "the keys");
		for (const [position, path] of paths.entries()) {
			const key = await deriveKey(mnemonic, path, passphrase);
			const label = labelAt(name, position);
			const entry = await withProgress("encrypting the key", this.chatty, async () => {
				const options = { name: label, path, strength };
				// A passphrase is part of the secret; without it the kept mnemonic would give other keys.
				if (position === 0 && passphrase === "") {
					await addMnemonic(settings.keystoreDirectory, key, mnemonic, password, options);
				}
				return addKey(settings.keystoreDirectory, key, password, options);
			});
			key.fill(0);
			this.printRecord(entryRecord(entry));
		}
	}
}

function labelAt(name: string | undefined, position: number): string | undefined {
	return name === undefined || position === 0 ? name : `${name}-${position + 1}`;
}
