import { Args, Flags } from "@oclif/core";
import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";

export default class DevImpersonate extends DevelopmentCommand {
	static override summary = "Let an account of a development chain act without a signature";
	static override args = {
		account: Args.string({ description: "address or label", required: true, ignoreStdin: true }),
	};
	static override flags = {
		...developmentFlags,
		stop: Flags.boolean({ description: "ask for its signature again" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(DevImpersonate);
		const method = flags.stop ? "dev_stopImpersonatingAccount" : "dev_impersonateAccount";
		this.printDone(
			await this.change(flags, method, [await this.account(flags, args.account)]),
			flags.stop ? `${args.account} needs its signature again` : `${args.account} acts without a signature`,
		);
	}
}
