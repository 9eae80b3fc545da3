/** `coin token …`: information about tokens. */

import { Flags } from "@oclif/core";
import { SUN_PER_COIN } from "../../protocol/int64.js";
import { accountArgument, accountQuery, accountQueryFlags, query } from "../../terminal/base/command-row.js";
import { blockFlag, nodeFlags, required, solidityFlag } from "../../terminal/flags/flags.js";
import { localTime } from "../../terminal/output/output.js";
import { either, lines, orNull } from "../../terminal/schema/result-shape.js";
import { contractTokenShape, tokenShape } from "../../terminal/schema/view-shapes.js";
import { Failure } from "../../wallet/failure.js";
import { fetchAccount } from "../../wallet/node/chain-query.js";
import { Orc20, tokenContract } from "../../wallet/token/orc20.js";
import {
	listTokens,
	MAX_TOKEN_DECIMALS,
	type TokenView,
	tokenNamed,
	viewToken,
} from "../../wallet/token/token.js";
import { MAX_UINT256 } from "../../wallet/token/token-amount.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { formatDecimal } from "../../wallet/values/amount.js";
import { parseNatural, quotientText } from "../../wallet/values/integer-text.js";

export const TokenAllowance = accountQuery({
	summary: "Print how much of an account's ORC-20 token another account may move",
	description: "In the token's decimals, or max without a limit, for people; in smallest units with --json.",
	examples: ["<%= config.bin %> token allowance USDC bob ann"],
	args: {
		contract: required("address of the token"),
		spender: required("account that may move it"),
		...accountArgument,
	},
	flags: accountQueryFlags,
	run: async ({ args, settings, client, view, address, json, print }) => {
		const spender = await accountNamed(settings, args.spender);
		const contract =
			(await tokenContract(settings, args.contract)) ?? (await accountNamed(settings, args.contract));
		const token = new Orc20(client, contract, view);
		const amount = await token.allowance(address, spender);
		if (json) return print.scalar(amount);
		print.scalar(amount === MAX_UINT256 ? "max" : formatDecimal(amount, await token.decimals()));
	},
});

export const TokenBalance = accountQuery({
	summary: "Print how much of a token an account has",
	description: "In the token's decimals for people, in smallest units with --json.",
	examples: ["<%= config.bin %> token balance GOLD ann"],
	args: {
		token: required("id, name or symbol of an ORC-10 token, address of an ORC-20 contract"),
		...accountArgument,
	},
	flags: accountQueryFlags,
	run: async ({ args, settings, client, view, address, json, print }) => {
		const contract = await tokenContract(settings, args.token);
		if (contract) {
			const token = new Orc20(client, contract, view);
			const amount = await token.balanceOf(address);
			return print.scalar(json ? amount : formatDecimal(amount, await token.decimals()));
		}
		const token = await tokenNamed(client, args.token, view);
		const amount = (await fetchAccount(client, address, view))?.assetV2.get(token.id) ?? 0n;
		print.scalar(json ? amount : formatDecimal(amount, token.precision));
	},
});

/** The network's maximum page size. */
const MAX_PAGE = "1000";

export const TokenList = query({
	summary: "List ORC-10 tokens; with --offset or --limit a page by name",
	examples: ["<%= config.bin %> token list --limit 20"],
	result: lines(tokenShape),
	flags: {
		...nodeFlags,
		...solidityFlag,
		offset: Flags.string({ description: "leave out the first", helpValue: "<n>" }),
		limit: Flags.string({ description: "maximum number of results", helpValue: "<n>" }),
	},
	run: async ({ flags, client, view, print }) => {
		const { offset, limit } = flags;
		const page =
			offset === undefined && limit === undefined
				? undefined
				: { offset: parseNatural(offset ?? "0"), limit: parseNatural(limit ?? MAX_PAGE) };
		const tokens = await listTokens(client, view, page);
		const views = tokens.map(viewToken);
		print.list(
			views,
			["id", "name", "abbr", "supply", "decimals", "owner"],
			"no tokens",
			views.map((view) => ({ ...view, supply: formatDecimal(view.supply, view.decimals) })),
		);
	},
});

export const TokenShow = query({
	summary: "Show a token",
	examples: ["<%= config.bin %> token show GOLD"],
	args: {
		token: required("id, name or symbol of an ORC-10 token, address of an ORC-20 contract"),
	},
	result: orNull(either(tokenShape, contractTokenShape)),
	flags: {
		...nodeFlags,
		...blockFlag,
		...solidityFlag,
		"or-null": Flags.boolean({ description: "print null if there is none" }),
	},
	run: async ({ args, flags, client, view, print }) => {
		const contract = await tokenContract(client.settings, args.token);
		try {
			if (contract) {
				const token = await new Orc20(client, contract, view).describe();
				print.record(token, { ...token, supply: formatDecimal(token.supply, token.decimals) });
			} else {
				const token = viewToken(await tokenNamed(client, args.token, view));
				print.record(token, shown(token));
			}
		} catch (error) {
			if (!(error instanceof Failure) || error.code !== "not_found" || !flags["or-null"]) throw error;
			print.scalar(null);
		}
	},
});

function shown(token: TokenView): object {
	const { supply, decimals, price, start, end, locked } = token;
	const isPossible = decimals >= 0 && decimals <= MAX_TOKEN_DECIMALS;
	return {
		...token,
		supply: formatDecimal(supply, decimals),
		price: isPossible
			? `${quotientText(BigInt(price.sun) * 10n ** BigInt(decimals), BigInt(price.units) * SUN_PER_COIN)}coin`
			: `${price.sun}sun for ${price.units}raw`,
		...(isPossible
			? {}
			: { decimals: `${decimals}, which no token can have: amounts are in smallest units` }),
		start: localTime(start),
		end: localTime(end),
		locked: locked?.map(({ amount, days }) => `${formatDecimal(amount, decimals)} for ${days} days`),
	};
}
