/**
 * Amounts that may be of a token or of the coin, as on exchanges and the market: `1000001:12.5`,
 * `1000001:125raw`, `coin:5coin` (protocol/command-line §1.3, protocol/wallet-formats §6).
 */

import { utf8 } from "../../protocol/bytes.js";
import { toNeutral } from "../../protocol/dialect.js";
import { Failure } from "../failure.js";
import type { NodeClient } from "../node/node-client.js";
import { formatCoin, formatDecimal, parsePositiveCoins, parseTokenAmount } from "../values/amount.js";
import { decimalsOf, type Token, tokenNamed, tokenSymbol } from "./token.js";

/** The largest amount of 256 bits; an allowance of it never ends. */
export const MAX_UINT256 = 2n ** 256n - 1n;

/** The id that stands for the coin where tokens are exchanged. */
export const COIN_CURRENCY_ID = "_";

/** What is known about a token, or the coin. */
export interface Currency {
	/** Number of the token, or {@link COIN_CURRENCY_ID}. */
	readonly id: string;
	/** Absent when offline. */
	readonly decimals?: number | undefined;
	/** Whether the user has stated the same decimals. */
	readonly isStated?: boolean;
	readonly symbol?: string | undefined;
}

export const COIN: Currency = { id: COIN_CURRENCY_ID, decimals: 6, symbol: "coin" };

/** Where tokens are looked up: at a node, unless the command works offline. */
interface TokenSource {
	readonly client: NodeClient;
	readonly offline: boolean;
}

/**
 * Finds a token or the coin by what users write: `coin`, an id, a symbol of the profile, a name.
 * @throws {Failure} `not_found`, `ambiguous`; `usage` for a name when offline
 */
export async function currencyNamed({ client, offline }: TokenSource, text: string): Promise<Currency> {
	if (text === COIN_CURRENCY_ID || toNeutral(text.toLowerCase()) === "coin") return COIN;
	if (!offline) return currencyOf(await tokenNamed(client, text));
	const id = client.settings.tokens[text] ?? text;
	if (!/^\d{1,18}$/.test(id)) throw new Failure("usage", `--offline needs the id of the token ${text}`);
	return { id };
}

export function currencyOf(token: Token): Currency {
	return { id: token.id, decimals: decimalsOf(token), symbol: tokenSymbol(token) };
}

/**
 * The currency with the decimals stated by the user.
 * @throws {Failure} `bad_value` if the node contradicts the user
 */
export function withDecimals(currency: Currency, stated: number | undefined): Currency {
	if (stated === undefined) return currency;
	checkStated(`token ${currency.id}`, currency.decimals, stated);
	return { ...currency, decimals: stated, isStated: true };
}

/** Compares stated decimals with the node's. @param told undefined offline @throws {Failure} `bad_value` */
export function checkStated(token: string, told: number | undefined, stated: number | undefined): void {
	if (told === undefined || stated === undefined || told === stated) return;
	throw new Failure("bad_value", `the node says that the ${token} has ${told} decimals, not ${stated}`);
}

/** Whether the meaning of an amount doesn't depend on the token's decimals. */
export function isPlainAmount(text: string): boolean {
	return /raw$/i.test(text.trim()) || /^(0|max)$/.test(text.trim());
}

/** An amount of tokens that rests on decimals which only the node says. */
export interface NodesWord {
	readonly token: string;
	readonly decimals: number;
	/** As typed. */
	readonly text: string;
	/** The same in smallest units, if the node is right. */
	readonly units: bigint;
}

/** What an amount of tokens rests on that only the node says (`nodesWord` of a plan). @throws {Failure} `bad_value` */
export function nodesDecimals(
	{ id, decimals = 0, isStated = false }: Currency,
	text: string,
): readonly NodesWord[] {
	if (id === COIN_CURRENCY_ID || decimals === 0 || isStated || isPlainAmount(text)) return [];
	const [, number = text] = AMOUNT_WITH_UNIT.exec(text.trim()) ?? [];
	return [{ token: id, decimals, text, units: parseTokenAmount(number, decimals, MAX_UINT256) }];
}

/** Fetches the currency with an id as used in the chain's records. */
export async function currencyById(client: NodeClient, id: string): Promise<Currency> {
	return id === COIN_CURRENCY_ID ? COIN : currencyOf(await tokenNamed(client, id));
}

/**
 * Reads a positive amount of a currency: coins with their unit; tokens in their decimals, as `<n>raw`, or followed by the
 * token's own symbol.
 * @returns smallest units
 * @throws {Failure} `bad_value`, `amount_unit`
 */
export function parseAmountOf(currency: Currency, text: string): bigint {
	if (currency.id === COIN_CURRENCY_ID) return parsePositiveCoins(text);
	const amount = parseTokenAmount(withoutSymbol(currency, text), currency.decimals);
	if (amount === 0n) throw new Failure("bad_value", "the amount is zero");
	return amount;
}

/** Whether an amount ends with a symbol, which must be compared with the token's own. */
export function namesSymbol(text: string): boolean {
	const [, , unit] = AMOUNT_WITH_UNIT.exec(text.trim()) ?? [];
	return unit !== undefined && !/^raw$/i.test(unit);
}

const AMOUNT_WITH_UNIT = /^([\d_]+(?:\.[\d_]*)?) ?([^\d\s._].*)$/;

/** An amount without the token's trailing symbol. @throws {Failure} `bad_value` for another symbol */
export function withoutSymbol({ id, symbol }: Pick<Currency, "id" | "symbol">, text: string): string {
	const match = AMOUNT_WITH_UNIT.exec(text.trim());
	if (!match?.[1] || !match[2] || /^raw$/i.test(match[2])) return text;
	if (symbol === undefined || match[2] !== symbol) {
		const own = symbol === undefined ? `token ${id}` : symbol;
		throw new Failure("bad_value", `"${text}" is an amount of ${match[2]}, not of ${own}`);
	}
	return match[1];
}

/** An amount as typed, with its currency. */
export interface CurrencyAmount {
	readonly currency: Currency;
	/** Id as encoded in messages. */
	readonly token: Uint8Array;
	/** Smallest units. */
	readonly amount: bigint;
	/** As {@link nodesDecimals} gives it. */
	readonly nodesWord: readonly NodesWord[];
}

/** Reads `<token>:<amount>`. @throws {Failure} as {@link currencyNamed} and {@link parseAmountOf} */
export async function parseCurrencyAmount(source: TokenSource, text: string): Promise<CurrencyAmount> {
	const colon = text.lastIndexOf(":");
	if (colon <= 0)
		throw new Failure("bad_value", `"${text}": write <token>:<amount>, such as 1000001:12.5 or coin:5coin`);
	const currency = await currencyNamed(source, text.slice(0, colon));
	const amount = text.slice(colon + 1);
	return {
		currency,
		token: utf8(currency.id),
		amount: parseAmountOf(currency, amount),
		nodesWord: nodesDecimals(currency, amount),
	};
}

/** Formats an amount for people: in coins, in the token's decimals with its symbol, or in smallest units. */
export function currencyText({ id, decimals, symbol }: Currency, amount: bigint): string {
	if (id === COIN_CURRENCY_ID) return formatCoin(amount);
	if (decimals === undefined) return `${amount}raw of token ${id}`;
	return `${formatDecimal(amount, decimals)} ${symbol ?? ""} (${id})`;
}
