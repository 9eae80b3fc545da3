/** Amounts that name their token, `5@gold` (protocol/command-line §1.3), in the decimals that apply to the token everywhere else. */

import { toBase58Check } from "../../protocol/address.js";
import { Failure, onRefusal } from "../failure.js";
import type { NodeClient } from "../node/node-client.js";
import { parseCoinAmount } from "../values/amount.js";
import { Orc20, tokenContract } from "./orc20.js";
import {
	COIN,
	currencyNamed,
	currencyText,
	type NodesWord,
	nodesDecimals,
	parseAmountOf,
	withDecimals,
} from "./token-amount.js";

interface NamedAmount {
	readonly amount: string;
	/** As typed: an id, a name, a symbol, the label or address of a contract. */
	readonly token: string;
}

/** The parts of `5@gold`; undefined for text in another form. */
export function amountParts(text: string): NamedAmount | undefined {
	const [, amount, token] = /^(max|[\d_.]+(?: ?raw)?)@(\S+)$/i.exec(text.trim()) ?? [];
	return amount === undefined || token === undefined ? undefined : { amount, token };
}

/** Splits a payment's amount if it names the token. @throws {Failure} `conflicting_flags` if the token is named twice */
export function paymentInParts<T extends { readonly amount: string; readonly token?: string | undefined }>(
	payment: T,
): T {
	const parts = amountParts(payment.amount);
	if (!parts) return payment;
	if (payment.token !== undefined)
		throw new Failure("conflicting_flags", `"${payment.amount}" names its token already: name it once`);
	return { ...payment, ...parts };
}

/** Reads such amounts for one command, and records what their meaning depends on. */
export class NamedAmounts {
	/** As that of a plan. */
	readonly nodesWord: NodesWord[] = [];
	/** Lines for people. */
	readonly details: string[] = [];

	/** @param stated decimals of the tokens, as given by the user */
	constructor(
		readonly client: NodeClient,
		readonly offline: boolean,
		private readonly stated?: number | undefined,
	) {}

	/** Reads an amount of an ORC-10 token to send with a call. @throws {Failure} as {@link read}; `bad_value` for other tokens */
	async chainToken({ amount, token }: NamedAmount): Promise<{ readonly id: bigint; readonly units: bigint }> {
		const contract = await tokenContract(this.client.settings, token);
		const id = contract ? "" : (await currencyNamed(this, token)).id;
		if (!/^\d+$/.test(id))
			throw new Failure("bad_value", `${token} is not an ORC-10 token: no other goes with a call`);
		return { id: BigInt(id), units: await this.read({ amount, token }) };
	}

	/** Checks an amount of coins given to a contract. @throws {Failure} `bad_value` for a token whose units aren't sun */
	async checkCoins(contract: Uint8Array, text: string): Promise<void> {
		if (this.offline) return;
		const decimals = await new Orc20(this.client, contract)
			.decimals()
			.catch(onRefusal(undefined, "not_found"));
		if (decimals === undefined || decimals === COIN.decimals) return;
		const number = text.replace(/\s*[a-z]+$/i, "");
		throw new Failure(
			"bad_value",
			`"${text}" is an amount of coin, and this contract is a token of ${decimals} decimals`,
			{
				hint: `${number}@${toBase58Check(contract)} counts in its own unit, ${parseCoinAmount(text)}raw in smallest units`,
			},
		);
	}

	/** Reads an amount. @returns smallest units @throws {Failure} `bad_value`, `not_found`, `ambiguous`; `usage` for a name when offline */
	async read({ amount: text, token: name }: NamedAmount): Promise<bigint> {
		const { client, offline, stated } = this;
		if (text === "max") throw new Failure("bad_value", "max of a token isn't known here: give a number");
		const contract = await tokenContract(client.settings, name);
		if (contract) {
			const token = new Orc20(client, contract);
			const amount = await token.readAmount(text, offline, stated);
			this.nodesWord.push(...(await token.nodesWord(text, offline, stated)));
			this.details.push(`  ${text}@${name} is ${await token.amountText(amount, offline)}`);
			return amount;
		}
		const currency = withDecimals(await currencyNamed({ client, offline }, name), stated);
		const amount = parseAmountOf(currency, text);
		this.nodesWord.push(...nodesDecimals(currency, text));
		this.details.push(`  ${text}@${name} is ${currencyText(currency, amount)}, ${amount} smallest units`);
		return amount;
	}
}

/**
 * Reads an amount of a given token, which it may name.
 * @param token the token's contract, or the id of an ORC-10 token
 * @param client used to look up names of ORC-10 tokens; if undefined, only contracts can be named
 * @returns the amount without the name
 * @throws {Failure} `bad_value` if it names another token
 */
export async function amountOfToken(
	settings: NodeClient["settings"],
	client: NodeClient | undefined,
	token: string,
	text: string,
): Promise<string> {
	const parts = amountParts(text);
	if (!parts) return text;
	const contract = await tokenContract(settings, parts.token);
	const named = contract
		? toBase58Check(contract)
		: client && (await currencyNamed({ client, offline: false }, parts.token)).id;
	if (named === token) return parts.amount;
	throw new Failure("bad_value", `"${text}" is an amount of ${parts.token}, not of the token ${token}`);
}
