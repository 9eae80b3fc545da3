/** `coin wallet current` and `use`: the active wallet. */

import { listKeystore } from "../../keystore/keystore.js";
import { toBase58Check } from "../../protocol/address.js";
import { equalBytes } from "../../protocol/bytes.js";
import { command } from "../../terminal/base/command-row.js";
import { ConfigurationCommand } from "../../terminal/base/configuration-command.js";
import { keystoreFlags, nodeFlags, walletArgument } from "../../terminal/flags/flags.js";
import { activeAccount, keyNamed } from "../../wallet/transaction/signing.js";

export const WalletCurrent = command({
	summary: "Show the wallet that acts when none is named",
	examples: ["<%= config.bin %> wallet current"],
	flags: { ...keystoreFlags, profile: nodeFlags.profile },
	run: async ({ settings: load, print }) => {
		const settings = await load();
		const address = await activeAccount(settings);
		const { entries } = await listKeystore(settings.keystoreDirectory);
		const entry = entries.find((candidate) => equalBytes(candidate.address, address));
		print.record({
			name: entry?.name ?? settings.wallet,
			address: toBase58Check(address),
			profile: settings.profile,
		});
	},
});

export class WalletUse extends ConfigurationCommand {
	static override summary = "Choose the wallet that acts when none is named";
	static override examples = ["<%= config.bin %> wallet use ann"];
	static override args = walletArgument;
	static override flags = keystoreFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(WalletUse);
		const { name, base58 } = await keyNamed(await this.settings(flags), args.wallet);
		const after = await this.edit({ config: flags.config }, [{ path: ["wallet"], value: name }]);
		if (after.wallet !== name) {
			this.warning(`${after.wallet} acts all the same: the ${after.origins["wallet"]} comes first`);
		}
		this.printRecord({ name, address: base58, profile: after.profile });
	}
}
