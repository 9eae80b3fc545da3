import { listKeystore } from "../../keystore/keystore.js";
import { toBase58Check } from "../../protocol/address.js";
import { equalBytes } from "../../protocol/bytes.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags, nodeFlags } from "../../terminal/flags/flags.js";
import { activeAccount } from "../../wallet/transaction/signing.js";

export default class WalletCurrent extends CoinCommand {
	static override summary = "Show the wallet that acts when none is named";
	static override examples = ["<%= config.bin %> wallet current"];
	static override flags = { ...keystoreFlags, profile: nodeFlags.profile };

	async run(): Promise<void> {
		const { flags } = await this.parse(WalletCurrent);
		const settings = await this.settings(flags);
		const address = await activeAccount(settings);
		const { entries } = await listKeystore(settings.keystoreDirectory);
		const entry = entries.find((candidate) => equalBytes(candidate.address, address));
		this.printRecord({
			name: entry?.name ?? settings.wallet,
			address: toBase58Check(address),
			profile: settings.profile,
		});
	}
}
