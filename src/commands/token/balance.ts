import { Args } from "@oclif/core";
import { AccountQuery, accountArgument, accountQueryFlags } from "../../terminal/base/account-query.js";
import { accountOf } from "../../wallet/node/chain-query.js";
import { Orc20, tokenContract } from "../../wallet/token/orc20.js";
import { tokenNamed } from "../../wallet/token/token.js";
import { formatDecimal } from "../../wallet/values/amount.js";

export default class TokenBalance extends AccountQuery {
	static override summary = "Print how much of a token an account has";
	static override description = "In the token's decimals for people, in smallest units with --json.";
	static override args = {
		token: Args.string({
			description: "id, name or symbol of an ORC-10 token, address of an ORC-20 contract",
			required: true,
			ignoreStdin: true,
		}),
		...accountArgument,
	};
	static override flags = accountQueryFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(TokenBalance);
		const { settings, client, view, address } = await this.subject(flags, args.account);
		const contract = await tokenContract(settings, args.token);
		if (contract) {
			const token = new Orc20(client, contract, view);
			const amount = await token.balanceOf(address);
			return this.printScalar(this.json ? amount : formatDecimal(amount, await token.decimals()));
		}
		const token = await tokenNamed(client, args.token, view);
		const amount = (await accountOf(client, address, view))?.assetV2.get(token.id) ?? 0n;
		this.printScalar(this.json ? amount : formatDecimal(amount, token.precision));
	}
}
