/** `coin wallet current` and `use`: the active wallet. */

import { listKeystore } from "../../keystore/keystore.js";
import { toBase58Check } from "../../protocol/address.js";
import { equalBytes } from "../../protocol/bytes.js";
import { command } from "../../terminal/base/command-row.js";
import { editSettings } from "../../terminal/base/configuration.js";
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

export const WalletUse = command({
	summary: "Choose the wallet that acts when none is named",
	examples: ["<%= config.bin %> wallet use ann"],
	args: walletArgument,
	flags: keystoreFlags,
	run: async ({ args, ...terminal }) => {
		const { name, base58 } = await keyNamed(await terminal.settings(), args.wallet);
		const after = await editSettings(terminal, [{ path: ["wallet"], value: name }]);
		if (after.wallet !== name) {
			terminal.warning(`${after.wallet} acts all the same: the ${after.origins["wallet"]} comes first`);
		}
		terminal.print.record({ name, address: base58, profile: after.profile });
	},
});
