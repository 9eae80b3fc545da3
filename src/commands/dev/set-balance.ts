import { Args } from "@oclif/core";
import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";
import { formatCoin, parseCoinAmount } from "../../wallet/values/amount.js";

export default class DevSetBalance extends DevelopmentCommand {
	static override summary = "Set the balance of an account of a development chain";
	static override examples = ["<%= config.bin %> dev set-balance alice 500coin"];
	static override args = {
		account: Args.string({ description: "address or label", required: true, ignoreStdin: true }),
		amount: Args.string({ description: "with its unit", required: true, ignoreStdin: true }),
	};
	static override flags = developmentFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(DevSetBalance);
		const account = await this.account(flags, args.account);
		const sun = parseCoinAmount(args.amount);
		this.printDone(
			await this.change(flags, "dev_setBalance", [account, sun.toString()]),
			`${args.account} has ${formatCoin(sun)}`,
		);
	}
}
