/** `coin account …`: making and naming accounts. */

import { Args } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { utf8 } from "../../protocol/bytes.js";
import {
	AccountCreateContract,
	AccountUpdateContract,
	SetAccountIdContract,
} from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { chainParameters } from "../../wallet/node/chain-parameters.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { formatCoin } from "../../wallet/values/amount.js";

export class AccountCreate extends ActingCommand {
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

export class AccountRename extends ActingCommand {
	static override summary = "Give the account a name on the chain";
	static override description = "On most networks an account can take a name once, and names are unique.";
	static override examples = ["<%= config.bin %> account rename 'Ann and Co'"];
	static override args = {
		name: Args.string({ description: "the name", required: true, ignoreStdin: true }),
	};
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(AccountRename);
		const context = await this.context(flags);
		await this.act(
			context,
			flags,
			contractOf(AccountUpdateContract, { owner_address: context.owner, account_name: utf8(args.name) }),
		);
	}
}

export class AccountSetId extends ActingCommand {
	static override summary = "Give the account an id, for good";
	static override description =
		"8 to 32 readable characters without blanks; unique on the chain, upper and lower case alike.";
	static override examples = ["<%= config.bin %> account set-id ann-and-co"];
	static override args = {
		id: Args.string({ description: "the id", required: true, ignoreStdin: true }),
	};
	static override flags = actingFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(AccountSetId);
		const context = await this.context(flags);
		await this.act(
			context,
			flags,
			contractOf(SetAccountIdContract, { owner_address: context.owner, account_id: utf8(args.id) }),
		);
	}
}
