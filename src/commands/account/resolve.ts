import { Args } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { keystoreFlags } from "../../terminal/flags/flags.js";
import { accountNamed } from "../../wallet/transaction/signing.js";

export default class AccountResolve extends CoinCommand {
	static override summary = "Print the address that a label or another form of an address means";
	static override examples = [
		"<%= config.bin %> account resolve alice",
		"<%= config.bin %> account resolve 0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
	];
	static override args = {
		name: Args.string({
			description: "label of a key or contact, or an address",
			required: true,
			ignoreStdin: true,
		}),
	};
	static override flags = keystoreFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(AccountResolve);
		this.printScalar(toBase58Check(await accountNamed(await this.settings(flags), args.name)));
	}
}
