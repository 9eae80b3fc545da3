import { Args, Flags } from "@oclif/core";
import { SUN_PER_COIN } from "../../protocol/int64.js";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { blockFlag, nodeFlags, solidityFlag } from "../../terminal/flags/flags.js";
import { localTime } from "../../terminal/output/output.js";
import { either, orNull } from "../../terminal/schema/result-shape.js";
import { contractTokenShape, tokenShape } from "../../terminal/schema/view-shapes.js";
import { Failure } from "../../wallet/failure.js";
import { Orc20, tokenContract } from "../../wallet/token/orc20.js";
import { type TokenView, tokenNamed, viewToken } from "../../wallet/token/token.js";
import { formatDecimal } from "../../wallet/values/amount.js";
import { quotientText } from "../../wallet/values/rational-text.js";

export default class TokenShow extends QueryCommand {
	static override summary = "Show a token";
	static override args = {
		token: Args.string({
			description: "id, name or symbol of an ORC-10 token, address of an ORC-20 contract",
			required: true,
			ignoreStdin: true,
		}),
	};
	static override result = orNull(either(tokenShape, contractTokenShape));
	static override flags = {
		...nodeFlags,
		...blockFlag,
		...solidityFlag,
		"or-null": Flags.boolean({ description: "print null if there is none" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(TokenShow);
		const client = await this.stateClient(await this.settings(flags), flags.block);
		const contract = await tokenContract(client.settings, args.token);
		try {
			if (contract) {
				const token = await new Orc20(client, contract, this.view(flags)).describe();
				this.printRecord(token, { ...token, supply: formatDecimal(token.supply, token.decimals) });
			} else {
				const token = viewToken(await tokenNamed(client, args.token, this.view(flags)));
				this.printRecord(token, shown(token));
			}
		} catch (error) {
			if (!(error instanceof Failure) || error.code !== "not_found" || !flags["or-null"]) throw error;
			this.printScalar(null);
		}
	}
}

function shown(token: TokenView): object {
	const { supply, decimals, price, start, end, locked } = token;
	return {
		...token,
		supply: formatDecimal(supply, decimals),
		price: `${quotientText(BigInt(price.sun) * 10n ** BigInt(decimals), BigInt(price.units) * SUN_PER_COIN)}coin`,
		start: localTime(start),
		end: localTime(end),
		locked: locked?.map(({ amount, days }) => `${formatDecimal(amount, decimals)} for ${days} days`),
	};
}
