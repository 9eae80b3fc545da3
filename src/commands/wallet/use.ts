import { Args } from "@oclif/core";
import { ConfigurationCommand } from "../../terminal/base/configuration-command.js";
import { keystoreFlags } from "../../terminal/flags/flags.js";
import { keyNamed } from "../../wallet/transaction/signing.js";

export default class WalletUse extends ConfigurationCommand {
	static override summary = "Choose the wallet that acts when none is named";
	static override examples = ["<%= config.bin %> wallet use ann"];
	static override args = {
		wallet: Args.string({ description: "label or address", required: true, ignoreStdin: true }),
	};
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
