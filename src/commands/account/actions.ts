/** `coin account …`: creating and naming accounts. */

import { toBase58Check } from "../../protocol/address.js";
import { equalBytes, utf8 } from "../../protocol/bytes.js";
import {
	AccountCreateContract,
	AccountUpdateContract,
	SetAccountIdContract,
} from "../../protocol/messages.js";
import { required } from "../../terminal/flags/flags.js";
import { checkOwnRecipients } from "../../terminal/sending/own-recipients.js";
import { acting, sendsNow } from "../../terminal/sending/rows.js";
import { fetchChainParameters } from "../../wallet/node/chain-parameters.js";
import { fetchAccount } from "../../wallet/node/chain-query.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { formatCoin } from "../../wallet/values/amount.js";

export const AccountCreate = acting({
	summary: "Create an account that doesn't exist yet",
	description:
		"An address exists on the chain once it is created by another account or receives coins. Creating it costs a fee of the network.",
	examples: ["<%= config.bin %> account create TKEH31jJ2YQ3Bteh1ngjwdT8667ztyYPSp --wait"],
	args: {
		account: required("address or label of the new account"),
	},
	plan: async ({ args, flags, actor }) => {
		const { owner, settings, client } = await actor();
		const address = await accountNamed(settings, args.account);
		if (!flags.offline && flags["force"] !== true) await checkOwnRecipients({ settings, client }, [address]);
		if (sendsNow(flags) && (await fetchAccount(client, address)))
			return { nothing: "the account exists already" };
		const parameters = flags.offline ? undefined : await fetchChainParameters(client);
		const fee = parameters?.get("getCreateNewAccountFeeInSystemContract");
		return {
			...contractOf(AccountCreateContract, { owner_address: owner, account_address: address }),
			...(fee === undefined
				? {}
				: { details: [`  activation  ${formatCoin(fee)} for ${toBase58Check(address)}`] }),
		};
	},
});

export const AccountRename = acting({
	summary: "Give the account a name on the chain",
	description: "On most networks an account can take a name once, and names are unique.",
	examples: ["<%= config.bin %> account rename 'Ann and Co'"],
	args: {
		name: required("the name"),
	},
	plan: async ({ args, flags, actor }) => {
		const { owner, account } = await actor();
		const account_name = utf8(args.name);
		if (sendsNow(flags) && equalBytes(account.account_name, account_name))
			return { nothing: "the account is called so already" };
		return contractOf(AccountUpdateContract, { owner_address: owner, account_name });
	},
});

export const AccountSetId = acting({
	summary: "Give the account an id, for good",
	description: "8 to 32 readable characters without blanks; unique on the chain, upper and lower case alike.",
	examples: ["<%= config.bin %> account set-id ann-and-co"],
	args: {
		id: required("the id"),
	},
	plan: async ({ args, flags, actor }) => {
		const { owner, account } = await actor();
		const account_id = utf8(args.id);
		if (sendsNow(flags) && equalBytes(account.account_id, account_id))
			return { nothing: "the account has this id already" };
		return contractOf(SetAccountIdContract, { owner_address: owner, account_id });
	},
});
