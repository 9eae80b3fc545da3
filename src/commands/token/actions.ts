/** `coin token …`: issuing, buying and approving tokens. */

import { Flags } from "@oclif/core";
import type { ContractInterface } from "../../abi/parameter.js";
import { toBase58Check } from "../../protocol/address.js";
import { equalBytes, fromUtf8, utf8 } from "../../protocol/bytes.js";
import {
	AssetIssueContract,
	AssetIssueContractFrozenSupply,
	ParticipateAssetIssueContract,
	TriggerSmartContract,
	UnfreezeAssetContract,
	UpdateAssetContract,
} from "../../protocol/messages.js";
import {
	decimalsFlags,
	feeLimitFlags,
	requestedFeeLimit,
	statedDecimals,
} from "../../terminal/flags/acting-flags.js";
import { required } from "../../terminal/flags/flags.js";
import { firstDue, refusedUntil } from "../../terminal/output/output.js";
import { canAsk } from "../../terminal/prompt/controlling-terminal.js";
import { acting, nothingBefore, sendsNow } from "../../terminal/sending/rows.js";
import { Failure } from "../../wallet/failure.js";
import { fetchHead } from "../../wallet/node/chain-query.js";
import { amountOfToken } from "../../wallet/token/named-amount.js";
import { APPROVE, approveData, Orc20, tokenContract } from "../../wallet/token/orc20.js";
import { fetchIssuedToken, MAX_TOKEN_DECIMALS, parseTokenPrice, unitsFor } from "../../wallet/token/token.js";
import { currencyOf, currencyText, MAX_UINT256 } from "../../wallet/token/token-amount.js";
import { callNote, contractOf } from "../../wallet/transaction/contract.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { parsePositiveCoins, parseTokenAmount } from "../../wallet/values/amount.js";
import { parseCount, parseNatural } from "../../wallet/values/integer-text.js";
import { momentMs, parseMoment } from "../../wallet/values/moment.js";
import { callFeeLimit, receiptView } from "../../wallet/view/contract-outcome.js";

export const TokenAllow = acting({
	summary: "Let another account move an amount of one's ORC-20 token",
	description: "Replaces what it was allowed before; 0 ends it. max has no limit, so it needs agreement.",
	examples: ["<%= config.bin %> token allow USDC bob 12.5 --decimals 6"],
	args: {
		contract: required("address of the token"),
		spender: required("account that may move it"),
		amount: required("in the token's decimals, in smallest units as <n>raw, or max"),
	},
	flags: { ...feeLimitFlags, ...decimalsFlags },
	plan: async ({ args, flags, actor }) => {
		const { settings, client, owner } = await actor();
		const contract =
			(await tokenContract(settings, args.contract)) ?? (await accountNamed(settings, args.contract));
		const spender = await accountNamed(settings, args.spender);
		const token = new Orc20(client, contract);
		const stated = statedDecimals(flags);
		const allowed = await amountOfToken(settings, undefined, toBase58Check(contract), args.amount);
		const amount = allowed === "max" ? MAX_UINT256 : await token.readAmount(allowed, flags.offline, stated);
		if (sendsNow(flags) && (await token.allowance(owner, spender)) === amount)
			return { nothing: "so much is allowed already" };
		const data = approveData(spender, amount);
		const texts = [toBase58Check(spender), amount.toString()];
		const note = callNote({ contract, data, item: APPROVE, items: [APPROVE], texts });
		const items = (): Promise<ContractInterface> => token.interface(APPROVE, flags.offline);
		const call = flags.offline ? undefined : { owner, contract, data };
		return {
			...contractOf(TriggerSmartContract, { owner_address: owner, contract_address: contract, data }),
			...(await callFeeLimit(requestedFeeLimit(flags), client, call, items)),
			interface: [APPROVE],
			takesDecimals: true,
			nodesWord: await token.nodesWord(allowed, flags.offline, stated),
			...(note ? { note } : {}),
			details: [`  allows      ${texts[0]} to move ${await allowedText(token, amount, flags.offline)}`],
			result: { spender: texts[0], allowed: amount },
			readReceipt: async (receipt) => receiptView(receipt, APPROVE, await items()),
		};
	},
});

function allowedText(token: Orc20, amount: bigint, offline: boolean): string | Promise<string> {
	if (amount !== MAX_UINT256) return token.amountText(amount, offline);
	return `everything of the token ${toBase58Check(token.contract)}`;
}

export const TokenBuy = acting({
	summary: "Buy a token from its issuer while it is sold",
	examples: ["<%= config.bin %> token buy alice 10coin"],
	args: {
		issuer: required("account that issued it"),
		amount: required("coins to pay, with the unit"),
	},
	flags: {
		token: Flags.string({ description: "id of the token, needed with --offline", helpValue: "<id>" }),
	},
	plan: async ({ args, flags, actor }) => {
		const amount = parsePositiveCoins(args.amount);
		if (flags.offline && flags.token === undefined)
			throw new Failure("usage", "--offline needs the token's id: --token <id>");
		const { owner, settings, client } = await actor();
		const issuer = await accountNamed(settings, args.issuer);
		const token = flags.offline ? undefined : await fetchIssuedToken(client, issuer);
		const id = flags.token ?? token?.id;
		if (id === undefined) throw new Failure("not_found", `${toBase58Check(issuer)} has issued no token`);
		const bought = token ? currencyText(currencyOf(token), unitsFor(token, amount)) : undefined;
		return {
			...contractOf(ParticipateAssetIssueContract, {
				owner_address: owner,
				to_address: issuer,
				asset_name: utf8(id),
				amount,
			}),
			details: bought === undefined ? [] : [`  buys        ${bought}`],
		};
	},
});

const text = (description: string, helpValue: string) =>
	Flags.string({ description, helpValue, helpGroup: "TOKEN" });
const needed = (description: string, helpValue: string) =>
	Flags.string({ description, helpValue, required: true, helpGroup: "TOKEN" });

export const TokenIssue = acting({
	summary: "Issue an ORC-10 token",
	description:
		"An account can issue one token. Times are @<epoch ms>, ISO 8601, or a duration from the head block's time.",
	examples: [
		"<%= config.bin %> token issue --name Apple --abbr APL --supply 1_000_000 --decimals 2 --price 1coin/100 --start 1m --end 30d --url https://apple.example",
	],
	flags: {
		name: needed("name, up to 32 characters", "<text>"),
		abbr: text("abbreviation", "<text>"),
		supply: needed("how many there are, in the token's decimals, or in smallest units as <n>raw", "<amount>"),
		decimals: Flags.string({ description: "0 to 6", helpValue: "<n>", default: "0", helpGroup: "TOKEN" }),
		price: needed("price while it is sold, such as 1coin/100", "<coin amount>/<token amount>"),
		start: needed("begin of the sale", "<time>"),
		end: needed("end of the sale", "<time>"),
		description: text("free text", "<text>"),
		url: needed("page about the token", "<url>"),
		"free-bandwidth": text("bytes a day that the issuer pays for each holder (0)", "<bytes>"),
		"public-free-bandwidth": text("bytes a day for all holders together (0)", "<bytes>"),
		lock: Flags.string({
			description: "part of the supply that the issuer gets later, counted from the start; repeatable",
			helpValue: "<amount>:<days>",
			multiple: true,
			multipleNonGreedy: true,
			helpGroup: "TOKEN",
		}),
	},
	plan: async ({ flags, actor }) => {
		const decimals = parseNatural(flags.decimals);
		if (decimals > BigInt(MAX_TOKEN_DECIMALS))
			throw new Failure("bad_value", `a token has at most ${MAX_TOKEN_DECIMALS} decimals`);
		const precision = Number(decimals);
		const price = parseTokenPrice(flags.price, precision);
		const [start, end] = [parseMoment(flags.start), parseMoment(flags.end)];
		const issue = {
			name: utf8(flags.name),
			abbr: utf8(flags.abbr ?? ""),
			total_supply: parseTokenAmount(flags.supply, precision),
			precision,
			coin_num: price.sun,
			num: price.units,
			description: utf8(flags.description ?? ""),
			url: utf8(flags.url),
			free_asset_net_limit: parseNatural(flags["free-bandwidth"] ?? "0"),
			public_free_asset_net_limit: parseNatural(flags["public-free-bandwidth"] ?? "0"),
			frozen_supply: (flags.lock ?? []).map((lock) => parseLock(lock, precision)),
		};
		const { owner, client } = await actor();
		const clock = flags.offline ? undefined : client;
		return {
			...contractOf(AssetIssueContract, {
				...issue,
				owner_address: owner,
				start_time: await momentMs(start, clock),
				end_time: await momentMs(end, clock),
			}),
			confirmation: 2,
		};
	},
});

/** Parses `<amount>:<days>`. */
function parseLock(lock: string, decimals: number): AssetIssueContractFrozenSupply {
	const colon = lock.lastIndexOf(":");
	if (colon <= 0) throw new Failure("bad_value", `"${lock}": write <amount>:<days>`);
	return AssetIssueContractFrozenSupply.create({
		frozen_amount: parseTokenAmount(lock.slice(0, colon), decimals),
		frozen_days: parseCount(lock.slice(colon + 1)),
	});
}

export const TokenRelease = acting({
	summary: "Release the locked supply of one's own token that is due",
	examples: ["<%= config.bin %> token release --wait"],
	plan: async ({ actor, flags }) => {
		const { client, owner, account } = await actor();
		const due = firstDue(account.frozen_supply.map(({ expire_time }) => expire_time));
		if (sendsNow(flags)) {
			if (due === undefined) return { nothing: "no supply is locked" };
			const { timestampMs } = await fetchHead(client);
			const early = nothingBefore(due, timestampMs, "the next part can be released");
			if (early) return early;
		}
		return {
			...contractOf(UnfreezeAssetContract, { owner_address: owner }),
			// While a locked part remains, the same call succeeds later.
			explain: (failure) =>
				failure.code === "contract_validate" && due !== undefined
					? refusedUntil(failure, due, "the next part can be released")
					: failure,
		};
	},
});

export const TokenUpdate = acting({
	summary: "Change the description of one's own token, and the bandwidth that it gives",
	description: "What isn't named stays as it is.",
	examples: ["<%= config.bin %> token update --url https://gold.example --from alice"],
	flags: {
		description: text("free text", "<text>"),
		url: text("page about the token", "<url>"),
		"free-bandwidth": text("bytes a day that the issuer pays for each holder", "<bytes>"),
		"public-free-bandwidth": text("bytes a day for all holders together", "<bytes>"),
	},
	plan: async ({ flags, actor }) => {
		const { description, url, "free-bandwidth": limit, "public-free-bandwidth": publicLimit } = flags;
		const given = [description, url, limit, publicLimit];
		if (given.every((value) => value === undefined))
			throw new Failure("usage", "no change: name one", { hint: "see --help" });
		// The network replaces all four values.
		const complete = given.every((value) => value !== undefined);
		if (flags.offline && !complete) {
			throw new Failure("usage", "--offline needs all four values: the present ones can't be asked for");
		}
		const [newLimit, newPublicLimit] = [limit, publicLimit].map((value) =>
			value === undefined ? undefined : parseNatural(value),
		);
		const { owner, client } = await actor();
		const token = complete ? undefined : await fetchIssuedToken(client, owner);
		if (!complete && !token) throw new Failure("not_found", "the account has issued no token");
		const wanted = {
			description: description === undefined ? (token?.description ?? utf8("")) : utf8(description),
			url: url === undefined ? (token?.url ?? utf8("")) : utf8(url),
			new_limit: newLimit ?? token?.free_asset_net_limit ?? 0n,
			new_public_limit: newPublicLimit ?? token?.public_free_asset_net_limit ?? 0n,
		};
		const isSame =
			token !== undefined &&
			equalBytes(token.description, wanted.description) &&
			equalBytes(token.url, wanted.url) &&
			token.free_asset_net_limit === wanted.new_limit &&
			token.public_free_asset_net_limit === wanted.new_public_limit;
		if (sendsNow(flags) && isSame) return { nothing: "the token is described so already" };
		// All four values are signed: those not given come from the node.
		const kept = [
			...(description === undefined ? [`description ${JSON.stringify(fromUtf8(wanted.description))}`] : []),
			...(url === undefined ? [`page ${JSON.stringify(fromUtf8(wanted.url))}`] : []),
			...(limit === undefined ? [`free bandwidth ${wanted.new_limit}`] : []),
			...(publicLimit === undefined ? [`public free bandwidth ${wanted.new_public_limit}`] : []),
		];
		const message = `what stays because the node says that it is so: ${kept.join(", ")}`;
		return {
			...contractOf(UpdateAssetContract, { owner_address: owner, ...wanted }),
			// Where neither a question nor a trial shows the details.
			warnings:
				kept.length > 0 && (flags.yes || !(canAsk() || flags["dry-run"]))
					? [{ code: "values_kept", message }]
					: [],
			details: kept.map((text) => `  stays       ${text}, as the node says`),
		};
	},
});
