import { Args } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { AccountCreateContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { chainParameters } from "../../wallet/node/chain-parameters.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { formatCoin } from "../../wallet/values/amount.js";

export default class AccountCreate extends ActingCommand {
	static override summary = "Create an account that doesn't exist yet";
	static override description =
		"An address exists on the chain once it is created by another account or receives coins. Creating it costs a fee of the network.";
	static override examples = ["<%= config.bin %> account create TKEH31jJ2YQ3Bteh1ngjwdT8667ztyYPSp --wait"];
	static override args = {
		account: Args.string({
			description: "address or label of the new account",
			required: true,
			ignoreStdin: true,
		}),
	};
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(AccountCreate);
		const context = await this.context(flags);
		const address = await accountNamed(context.settings, args.account);
		const parameters = flags.offline ? undefined : await chainParameters(context.client);
		const fee = parameters?.get("getCreateNewAccountFeeInSystemContract");
		await this.act(context, flags, {
			...contractOf(AccountCreateContract, { owner_address: context.owner, account_address: address }),
			...(fee === undefined
				? {}
				: { details: [`  activation  ${formatCoin(fee)} for ${toBase58Check(address)}`] }),
		});
	}
}
