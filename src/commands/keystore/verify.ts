import { unlockKey } from "../../keystore/keystore.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags, passwordFlags } from "../../terminal/flags/flags.js";
import { walletArgument } from "../../terminal/flags/wallet-argument.js";
import { withPassword } from "../../terminal/keys/secrets.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { openableKey } from "../../wallet/transaction/signing.js";

export default class KeystoreVerify extends CoinCommand {
	static override summary = "Check that a key opens with its password and belongs to its address";
	static override examples = ["<%= config.bin %> keystore verify ann"];
	static override args = walletArgument;
	static override flags = { ...keystoreFlags, ...passwordFlags };

	async run(): Promise<void> {
		const { args, flags } = await this.parse(KeystoreVerify);
		const settings = await this.settings(flags);
		const entry = await openableKey(settings, args.wallet);
		await withPassword(this.passwordSource(flags, settings), entry.name, (password) =>
			withProgress("opening the key", this.chatty, async () => (await unlockKey(entry, password)).fill(0)),
		);
		this.printScalar(true);
	}
}
