import { Args, Flags } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { utf8 } from "../../protocol/bytes.js";
import { ParticipateAssetIssueContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { Failure } from "../../wallet/failure.js";
import { issuedToken } from "../../wallet/token/token.js";
import { currencyOf, currencyText } from "../../wallet/token/token-amount.js";
import { unitsFor } from "../../wallet/token/token-price.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { parsePositiveCoins } from "../../wallet/values/amount.js";

export default class TokenBuy extends ActingCommand {
	static override summary = "Buy a token from its issuer while it is sold";
	static override examples = ["<%= config.bin %> token buy alice 10coin"];
	static override args = {
		issuer: Args.string({ description: "account that issued it", required: true, ignoreStdin: true }),
		amount: Args.string({ description: "coins to pay, with the unit", required: true, ignoreStdin: true }),
	};
	static override flags = {
		...actingFlags,
		token: Flags.string({ description: "id of the token, needed with --offline", helpValue: "<id>" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(TokenBuy);
		const amount = parsePositiveCoins(args.amount);
		if (flags.offline && flags.token === undefined)
			throw new Failure("usage", "--offline needs the token's id: --token <id>");
		const context = await this.context(flags);
		const issuer = await accountNamed(context.settings, args.issuer);
		const token = flags.offline ? undefined : await issuedToken(context.client, issuer);
		const id = flags.token ?? token?.id;
		if (id === undefined) throw new Failure("not_found", `${toBase58Check(issuer)} has issued no token`);
		const bought = token ? currencyText(currencyOf(token), unitsFor(token, amount)) : undefined;
		await this.act(context, flags, {
			...contractOf(ParticipateAssetIssueContract, {
				owner_address: context.owner,
				to_address: issuer,
				asset_name: utf8(id),
				amount,
			}),
			details: bought === undefined ? [] : [`  buys        ${bought}`],
		});
	}
}
