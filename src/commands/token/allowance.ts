import { Args } from "@oclif/core";
import { AccountQuery, accountArgument, accountQueryFlags } from "../../terminal/base/account-query.js";
import { MAX_UINT256, Orc20, tokenContract } from "../../wallet/token/orc20.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { formatDecimal } from "../../wallet/values/amount.js";

export default class TokenAllowance extends AccountQuery {
	static override summary = "Print how much of an account's ORC-20 token another account may move";
	static override description =
		"In the token's decimals, or max without a limit, for people; in smallest units with --json.";
	static override args = {
		contract: Args.string({ description: "address of the token", required: true, ignoreStdin: true }),
		spender: Args.string({ description: "account that may move it", required: true, ignoreStdin: true }),
		...accountArgument,
	};
	static override flags = accountQueryFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(TokenAllowance);
		const { settings, client, view, address } = await this.subject(flags, args.account);
		const spender = await accountNamed(settings, args.spender);
		const contract =
			(await tokenContract(settings, args.contract)) ?? (await accountNamed(settings, args.contract));
		const token = new Orc20(client, contract, view);
		const amount = await token.allowance(address, spender);
		if (this.json) return this.printScalar(amount);
		this.printScalar(amount === MAX_UINT256 ? "max" : formatDecimal(amount, await token.decimals()));
	}
}
