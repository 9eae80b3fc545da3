import { Flags } from "@oclif/core";
import { changePassword, unlockKey } from "../../keystore/keystore.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags, lightFlag, passwordFlags } from "../../terminal/flags/flags.js";
import { walletArgument } from "../../terminal/flags/wallet-argument.js";
import { newPassword, withPassword } from "../../terminal/keys/secrets.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { openableKey } from "../../wallet/transaction/signing.js";

export default class KeystorePasswd extends CoinCommand {
	static override summary = "Change the password of a key";
	static override examples = [
		"<%= config.bin %> keystore passwd ann",
		"<%= config.bin %> keystore passwd ann --password-file old --new-password-file new",
	];
	static override args = walletArgument;
	static override flags = {
		...keystoreFlags,
		...passwordFlags,
		"new-password-file": Flags.string({ description: "file with the new password", helpValue: "<path>" }),
		...lightFlag,
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(KeystorePasswd);
		const settings = await this.settings(flags);
		const source = this.passwordSource(flags, settings);
		const entry = await openableKey(settings, args.wallet);
		// The old password is proved before a new one is asked for.
		const old = await withPassword(source, entry.name, (password) =>
			withProgress("opening the key", this.chatty, async () => {
				(await unlockKey(entry, password)).fill(0);
				return password;
			}),
		);
		const fresh = await newPassword({ ...source, file: flags["new-password-file"] }, entry.name);
		await withProgress("encrypting the key", this.chatty, () =>
			changePassword(entry, old, fresh, flags.light ? "light" : "standard"),
		);
		this.printRecord({ name: entry.name, address: entry.base58, file: entry.file });
	}
}
