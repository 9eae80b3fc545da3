/** ORC-10 tokens as a node reports them (protocol/http-endpoints §3.5), and their prices during the sale. */

import { toBase58Check } from "../../protocol/address.js";
import { fromUtf8, toHex, utf8 } from "../../protocol/bytes.js";
import { AssetIssueContract, AssetIssueList } from "../../protocol/messages.js";
import { contactLabelFrom } from "../configuration/contacts.js";
import { Failure, onRefusal } from "../failure.js";
import { messageFrom } from "../node/answer.js";
import type { NodeClient, NodeView } from "../node/node-client.js";
import { parsePositiveCoins, parseTokenAmount } from "../values/amount.js";

/** The price at which an issuer sells a token: two 32-bit integers, sun and smallest units (protocol/tokens §3.1). */
const MAX_INT32 = 2_147_483_647n;

interface TokenPrice {
	readonly sun: number;
	readonly units: number;
}

/**
 * Reads `<coin amount>/<token amount>`, as in `1coin/100`.
 * @param decimals of the token
 * @throws {Failure} `bad_value`, also if the reduced numbers don't fit 32 bits
 */
export function parseTokenPrice(text: string, decimals: number): TokenPrice {
	const slash = text.indexOf("/");
	if (slash <= 0)
		throw new Failure("bad_value", `"${text}": write <coin amount>/<token amount>, such as 1coin/100`);
	const sun = parsePositiveCoins(text.slice(0, slash));
	const units = parseTokenAmount(text.slice(slash + 1), decimals);
	if (units === 0n) throw new Failure("bad_value", `"${text}" sells nothing`);
	const divisor = greatestCommonDivisor(sun, units);
	const [price, quantity] = [sun / divisor, units / divisor];
	if (price > MAX_INT32 || quantity > MAX_INT32) {
		throw new Failure(
			"bad_value",
			`"${text}" is too fine: ${price} sun for ${quantity} units don't fit 32 bits`,
		);
	}
	return { sun: Number(price), units: Number(quantity) };
}

/** Smallest units bought by an amount of sun: the network rounds down and keeps the remainder (protocol/tokens §5). */
export function unitsFor({ coin_num, num }: Token, sun: bigint): bigint {
	return coin_num > 0 ? (sun * BigInt(num)) / BigInt(coin_num) : 0n;
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
	return b === 0n ? a : greatestCommonDivisor(b, a % b);
}

export type Token = Readonly<AssetIssueContract>;

/** Fetches a token by its id. @throws {Failure} `not_found` */
export async function fetchToken(client: NodeClient, id: string, view: NodeView = "full"): Promise<Token> {
	const answer = await client.call("getassetissuebyid", { value: id }, view);
	if (Object.keys(answer).length === 0) throw new Failure("not_found", `there is no token with the id ${id}`);
	const token = messageFrom(AssetIssueContract, answer);
	// The payment would be in another token.
	if (token.id !== id)
		throw new Failure("rpc_error", `the node answered with the token ${token.id} in place of ${id}`);
	return token;
}

/**
 * Finds a token by what users write: its id, a symbol of the profile, or its name.
 * @throws {Failure} `not_found`; `ambiguous` if several tokens have the name
 */
export async function tokenNamed(client: NodeClient, text: string, view: NodeView = "full"): Promise<Token> {
	const id = client.settings.tokens[text] ?? text;
	if (/^\d{1,18}$/.test(id)) return fetchToken(client, id, view);
	const answer = await client.call("getassetissuelistbyname", { value: toHex(utf8(id)) }, view);
	const { assetIssue } = messageFrom(AssetIssueList, answer);
	const [only, second] = assetIssue;
	if (!only) {
		const meant = await abbreviated(client, id, view);
		throw new Failure("not_found", `there is no token with the name ${id}`, {
			...(meant.length > 0 ? { details: { abbreviationOf: meant.map((token) => token.id) } } : {}),
			hint:
				meant.length > 0
					? abbreviationHint(id, meant)
					: `coin contact add ${contactLabelFrom(id)} <contract> makes a contract's symbol known, coin profile set ${client.settings.profile} tokens.${contactLabelFrom(id)}=<id or contract> for one network`,
		});
	}
	if (fromUtf8(only.name) !== id)
		throw new Failure(
			"rpc_error",
			`the node answered with the token "${fromUtf8(only.name)}" in place of ${id}`,
		);
	if (!second) return only;
	throw new Failure("ambiguous", `${assetIssue.length} tokens have the name ${id}`, {
		hint: "use the id",
		details: {
			candidates: assetIssue.map((token) => ({ id: token.id, owner: toBase58Check(token.owner_address) })),
		},
	});
}

/** Tokens with an abbreviation. Anyone can choose any abbreviation, so it can't be used to pay, only to suggest which id may be meant. */
async function abbreviated(client: NodeClient, text: string, view: NodeView): Promise<readonly Token[]> {
	// Only for a suggestion, so errors don't matter; the list may be too long.
	const tokens = await listTokens(client, view).catch(onRefusal([]));
	return tokens.filter(({ abbr }) => fromUtf8(abbr) === text);
}

function abbreviationHint(text: string, [first, ...others]: readonly Token[]): string {
	const { id = "", name } = first ?? {};
	if (others.length > 0) return `${others.length + 1} tokens have the abbreviation ${text}: use the id`;
	return `${text} is the abbreviation of the token ${JSON.stringify(fromUtf8(name ?? new Uint8Array(0)))}: use its id, ${id}`;
}

/** The token that an account has issued; undefined if it has issued none. */
export async function fetchIssuedToken(client: NodeClient, issuer: Uint8Array): Promise<Token | undefined> {
	const answer = await client.call("getassetissuebyaccount", { address: toHex(issuer) });
	return messageFrom(AssetIssueList, answer).assetIssue[0];
}

/** All tokens, or a page of them by name. */
export async function listTokens(
	client: NodeClient,
	view: NodeView,
	page?: { readonly offset: bigint; readonly limit: bigint },
): Promise<readonly Token[]> {
	const answer = page
		? await client.call("getpaginatedassetissuelist", page, view)
		: await client.call("getassetissuelist", {}, view);
	return messageFrom(AssetIssueList, answer).assetIssue;
}

export interface TokenView {
	readonly id: string;
	readonly name: string;
	readonly abbr?: string | undefined;
	readonly owner: string;
	/** Smallest units. */
	readonly supply: bigint;
	readonly decimals: number;
	/** Price during the sale: this many sun buy this many smallest units. */
	readonly price: { readonly sun: number; readonly units: number };
	/** Start and end of its sale, epoch milliseconds. */
	readonly start: bigint;
	readonly end: bigint;
	readonly locked?: readonly { readonly amount: bigint; readonly days: bigint }[] | undefined;
	/** Bytes per day that the issuer pays for each holder, and for all holders together. */
	readonly freeBandwidth: bigint;
	readonly publicFreeBandwidth: bigint;
	readonly url: string;
	readonly description?: string | undefined;
}

export function viewToken(token: Token): TokenView {
	const { frozen_supply } = token;
	return {
		id: token.id,
		name: fromUtf8(token.name),
		abbr: fromUtf8(token.abbr) || undefined,
		owner: toBase58Check(token.owner_address),
		supply: token.total_supply,
		decimals: token.precision,
		price: { sun: token.coin_num, units: token.num },
		start: token.start_time,
		end: token.end_time,
		locked:
			frozen_supply.length > 0
				? frozen_supply.map(({ frozen_amount, frozen_days }) => ({
						amount: frozen_amount,
						days: frozen_days,
					}))
				: undefined,
		freeBandwidth: token.free_asset_net_limit,
		publicFreeBandwidth: token.public_free_asset_net_limit,
		url: fromUtf8(token.url),
		description: fromUtf8(token.description) || undefined,
	};
}

/** The largest number of decimals that the network allows. */
export const MAX_TOKEN_DECIMALS = 6;

/** The token's decimals; undefined for an invalid number, so that amounts are shown in smallest units. */
export function decimalsOf({ precision }: Token): number | undefined {
	return precision >= 0 && precision <= MAX_TOKEN_DECIMALS ? precision : undefined;
}

/** The symbol shown for a token: its abbreviation, else its name. */
export function tokenSymbol(token: Token): string {
	return fromUtf8(token.abbr) || fromUtf8(token.name);
}
