/** Units of tokens, and amounts of calls, events and errors in them. */

import { type AbiItem, hashedSignature } from "../abi/parameter.js";
import { toNeutral } from "../protocol/dialect.js";
import type { Reading } from "./abi.js";
import type { Decoded } from "./abi-values.js";
import { addressText } from "./address-text.js";
import { type Json, objectsOf, textOf, wholeOf } from "./answer.js";
import { coins, decimal, grouped } from "./format.js";
import type { NodeClient } from "./node-client.js";

/** Contracts per token query. */
const TOKENS_A_QUESTION = 20;

/** Fetches the token information of contracts. @returns by address; empty if the node has none */
export async function tokenInfos(
	client: NodeClient,
	addresses: readonly string[],
): Promise<ReadonlyMap<string, Json>> {
	const infos = new Map<string, Json>();
	for (let at = 0; at < addresses.length; at += TOKENS_A_QUESTION) {
		const list = addresses.slice(at, at + TOKENS_A_QUESTION).join(",");
		const answer = await client.history(`orc20/info?contract_list=${list}`).catch((): Json => ({}));
		for (const info of objectsOf(answer, "data")) infos.set(textOf(info, "contract_address"), info);
	}
	return infos;
}

/** `ORC-20` or `ORC-721`. */
export const kindOf = (info: Json): string =>
	toNeutral(textOf(info, "type")).toUpperCase().replace(/^ORC/, "ORC-") || "ORC-20";

/** How amounts of a token are displayed. */
export interface TokenUnit {
	readonly decimals: number;
	readonly symbol: string;
	/** May be empty. */
	readonly name: string;
}

/** Formats an amount with the token's decimals, or in smallest units if they are unknown. */
export function unitText(unit: TokenUnit | undefined, value: bigint): string {
	return unit ? `${decimal(value, unit.decimals)} ${unit.symbol}` : `${grouped(value)} smallest units`;
}

/** The unit of an ORC-10 token. @param token as answered by a node */
export function issuedUnit(token: Json): TokenUnit {
	const name = textOf(token, "name");
	const symbol = textOf(token, "abbr") || name || textOf(token, "id");
	return { decimals: Number(wholeOf(token, "precision")), symbol, name };
}

/**
 * The sale price of an ORC-10 token. The chain stores it as a reduced fraction: `1 coin for 1 Veil` is one
 * sun for one smallest unit.
 */
export function priceText(sun: bigint, units: bigint, { decimals, symbol }: TokenUnit): string {
	// Early tokens of a network may have invalid decimals.
	const total = sun * 10n ** BigInt(Math.max(0, decimals));
	const divisor = commonDivisor(total, units) || 1n;
	return `${coins(total / divisor)} for ${grouped(units / divisor)} ${symbol}`;
}

function commonDivisor(a: bigint, b: bigint): bigint {
	return b === 0n ? a : commonDivisor(b, a % b);
}

/** The units of tokens, each fetched once. */
export class TokenUnits {
	private readonly known = new Map<string, Promise<TokenUnit | undefined>>();

	constructor(private readonly client: NodeClient) {}

	/**
	 * @param token an ORC-10 token's number, or a contract's address in any form
	 * @returns undefined without decimals
	 */
	unitOf(token: string): Promise<TokenUnit | undefined> {
		const name = addressText(token) ?? token;
		const found =
			this.known.get(name) ??
			(name === token && /^\d+$/.test(token) ? this.ofChain(token) : this.ofContract(name));
		this.known.set(name, found);
		return found;
	}

	private async ofChain(id: string): Promise<TokenUnit | undefined> {
		const token = await this.client.call("getassetissuebyid", { value: id }).catch((): Json => ({}));
		if (textOf(token, "id") === "") return undefined;
		return issuedUnit(token);
	}

	private async ofContract(address: string): Promise<TokenUnit | undefined> {
		const info = (await tokenInfos(this.client, [address])).get(address);
		const decimals = info ? textOf(info, "decimals") : "";
		if (!info || decimals === "" || kindOf(info) !== "ORC-20") return undefined;
		return { decimals: Number(decimals), symbol: textOf(info, "symbol"), name: textOf(info, "name") };
	}

	/** Adds the amount in units to a call, event or error with an amount of the contract's own token. */
	async counted(contract: string, reading: Reading): Promise<Reading> {
		const { item, values } = reading;
		if (!AMOUNT_LAST.test(hashedSignature(item)) || item.inputs.at(-1)?.indexed) return reading;
		return { item, values: lastInUnit(values, await this.unitOf(contract)) };
	}

	/** The same for the result of a view function. */
	async countedResult(
		contract: string,
		item: AbiItem,
		values: readonly Decoded[],
	): Promise<readonly Decoded[]> {
		return RESULTS.test(hashedSignature(item)) ? lastInUnit(values, await this.unitOf(contract)) : values;
	}
}

/** Standard and common extension signatures whose last parameter is an amount of the contract's token. */
const AMOUNT_LAST =
	/^((transfer|approve|increaseAllowance|decreaseAllowance|mint|burn|burnFrom)\(address,|burn\(|(transferFrom|Transfer|Approval)\(address,address,)uint256\)$/;
const RESULTS = /^(balanceOf\(address\)|totalSupply\(\)|allowance\(address,address\))$/;
/** The maximum, displayed as an unlimited allowance. */
const ALL = String(2n ** 256n - 1n);

function lastInUnit(values: readonly Decoded[], unit: TokenUnit | undefined): readonly Decoded[] {
	const last = values.at(-1);
	if (!unit || last?.value.kind !== "text" || !/^\d+$/.test(last.value.text)) return values;
	const { text } = last.value;
	const amount = text === ALL ? `${unit.symbol} without limit` : unitText(unit, BigInt(text));
	return [...values.slice(0, -1), { ...last, value: { ...last.value, amount } }];
}
