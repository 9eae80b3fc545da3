import { Args, Flags } from "@oclif/core";
import { addShielded, checkNewShielded, checkShieldedLabel } from "../../keystore/shielded-keystore.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags, passwordFlags } from "../../terminal/flags/flags.js";
import { importedSecret, newPassword } from "../../terminal/keys/secrets.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { one } from "../../terminal/schema/result-shape.js";
import { shieldedKeyShape, shieldedRecord } from "../../terminal/shielded/shielded-output.js";
import { readShieldedKeys } from "../../wallet/shielded/key-text.js";

export default class ShieldedImport extends CoinCommand {
	static override summary = "Store a spending or viewing key of shielded addresses, encrypted";
	static override description =
		"A spending key is 64 hexadecimal digits; viewing keys are JSON, as coin shielded export viewing-key prints them, and " +
		"as the network's own methods name them: ak, nk and ovk see everything, ivk what comes. The key is asked for on the " +
		"terminal, or read from --key-file, or from standard input with -. It is never an argument.";
	static override examples = [
		"<%= config.bin %> shielded import ann",
		"<%= config.bin %> shielded import shop - < shop.viewing",
	];
	static override result = one(shieldedKeyShape);
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
			description: "file with the key, - for standard input",
			helpValue: "<path>",
		}),
		light: Flags.boolean({ description: "encrypt with little memory (n = 4096)" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ShieldedImport);
		const settings = await this.settings(flags);
		const source = this.passwordSource(flags, settings);
		const dash = args.name === "-" || args.source === "-";
		const name = args.name === "-" ? undefined : args.name;
		await checkShieldedLabel(settings.keystoreDirectory, name);
		const keys = await importedSecret(
			flags["key-file"] ?? (dash ? "-" : undefined),
			"the shielded key",
			source.warn,
			async (text) => readShieldedKeys(text),
		);
		await checkNewShielded(settings.keystoreDirectory, keys, name);
		const password = await newPassword(source, name ?? "the key");
		const entry = await withProgress("encrypting the key", this.chatty, () =>
			addShielded(settings.keystoreDirectory, keys, password, {
				name,
				strength: flags.light ? "light" : "standard",
			}),
		);
		this.printRecord(shieldedRecord(entry, settings.dialect));
	}
}
