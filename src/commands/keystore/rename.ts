import { Args } from "@oclif/core";
import { renameEntry } from "../../keystore/editing.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags } from "../../terminal/flags/flags.js";
import { entryRecord, walletArgument } from "../../terminal/flags/wallet-argument.js";
import { keyNamed } from "../../wallet/transaction/signing.js";

export default class KeystoreRename extends CoinCommand {
	static override summary = "Give a key another label";
	static override examples = ["<%= config.bin %> keystore rename bob robert"];
	static override args = {
		...walletArgument,
		name: Args.string({ description: "the new label", required: true, ignoreStdin: true }),
	};
	static override flags = keystoreFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(KeystoreRename);
		const settings = await this.settings(flags);
		const entry = await keyNamed(settings, args.wallet);
		const renamed = await renameEntry(settings.keystoreDirectory, entry, args.name);
		if (settings.wallet === entry.name) {
			this.warning(`the active wallet is still called ${entry.name}: coin wallet use ${args.name}`);
		}
		this.printRecord(entryRecord(renamed));
	}
}
