import { Flags } from "@oclif/core";
import { utf8 } from "../../protocol/bytes.js";
import { AssetIssueContract, AssetIssueContractFrozenSupply } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { actingFlags } from "../../terminal/flags/acting-flags.js";
import { Failure } from "../../wallet/failure.js";
import { parseTokenPrice } from "../../wallet/token/token-price.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { parseTokenAmount } from "../../wallet/values/amount.js";
import { parseCount, parseNatural } from "../../wallet/values/integer-text.js";
import { momentMs, parseMoment } from "../../wallet/values/moment.js";

const text = (description: string, helpValue: string) =>
	Flags.string({ description, helpValue, helpGroup: "TOKEN" });
const needed = (description: string, helpValue: string) =>
	Flags.string({ description, helpValue, required: true, helpGroup: "TOKEN" });

/** The network's largest number of decimals. */
const MAX_DECIMALS = 6n;

export default class TokenIssue extends ActingCommand {
	static override summary = "Issue an ORC-10 token";
	static override description =
		"An account can issue one token. Times are @<epoch ms>, ISO 8601, or a duration from the head block's time.";
	static override examples = [
		"<%= config.bin %> token issue --name Apple --abbr APL --supply 1_000_000 --decimals 2 --price 1coin/100 --start 1m --end 30d --url https://apple.example",
	];
	static override flags = {
		...actingFlags,
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
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(TokenIssue);
		const decimals = parseNatural(flags.decimals);
		if (decimals > MAX_DECIMALS)
			throw new Failure("bad_value", `a token has at most ${MAX_DECIMALS} decimals`);
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
		const context = await this.context(flags);
		const client = flags.offline ? undefined : context.client;
		await this.act(context, flags, {
			...contractOf(AssetIssueContract, {
				...issue,
				owner_address: context.owner,
				start_time: await momentMs(start, client),
				end_time: await momentMs(end, client),
			}),
			confirmation: 2,
		});
	}
}

/** Reads `<amount>:<days>`. */
function parseLock(lock: string, decimals: number): AssetIssueContractFrozenSupply {
	const colon = lock.lastIndexOf(":");
	if (colon <= 0) throw new Failure("bad_value", `"${lock}": write <amount>:<days>`);
	return AssetIssueContractFrozenSupply.create({
		frozen_amount: parseTokenAmount(lock.slice(0, colon), decimals),
		frozen_days: parseCount(lock.slice(colon + 1)),
	});
}
