import { Args } from "@oclif/core";
import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";
import { parseNatural } from "../../wallet/values/integer-text.js";

export default class DevSetToken extends DevelopmentCommand {
	static override summary = "Set what an account of a development chain holds of an ORC-10 token";
	static override examples = ["<%= config.bin %> dev set-token alice 1000001 500"];
	static override args = {
		account: Args.string({ description: "address or label", required: true, ignoreStdin: true }),
		token: Args.string({ description: "id of the token", required: true, ignoreStdin: true }),
		units: Args.string({ description: "in smallest units", required: true, ignoreStdin: true }),
	};
	static override flags = developmentFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(DevSetToken);
		const account = await this.account(flags, args.account);
		const params = [account, parseNatural(args.token).toString(), parseNatural(args.units).toString()];
		this.printDone(
			await this.change(flags, "dev_setTokenBalance", params),
			`${args.account} holds ${params[2]} units of token ${params[1]}`,
		);
	}
}
