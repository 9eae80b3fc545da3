/** A transaction's contents: the main members with labels, and all members with the chain's names. */

import { ADDRESS_FORMS } from "./address-text.js";
import { type Json, objectOf, objectsOf, textOf, textsOf } from "./answer.js";
import type { TransactionFacts } from "./block-facts.js";

/** Label for amounts of an ORC-10 token. */
export const UNITS = "Units of the token";

/** Labels of members. Amounts of coins have their own row. */
const WORDS: ReadonlyMap<string, string> = new Map([
	["to_address", "To"],
	["contract_address", "Contract"],
	["receiver_address", "For"],
	["account_address", "Account"],
	["asset_name", "Token"],
	["token_id", "Token"],
	["call_token_value", UNITS],
	["resource", "Resource"],
	["account_name", "Name"],
	["name", "Name"],
	["abbr", "Short name"],
	["total_supply", "Supply, in the smallest units"],
	["precision", "Decimals"],
	["proposal_id", "Proposal"],
	["url", "Address on the web"],
	["update_url", "Address on the web"],
	["description", "Description"],
	["brokerage", "Part of the rewards that it keeps, %"],
	["consume_user_resource_percent", "Energy paid by callers, %"],
	["origin_energy_limit", "Energy its owner gives a call"],
	["votes", "Votes"],
	["lock", "Locked"],
	["lock_period", "Locked for blocks"],
	["exchange_id", "Exchange"],
	["order_id", "Order"],
]);

interface Request {
	/** Label, the chain's name, and value. */
	readonly words: readonly (readonly [word: string, name: string, value: unknown])[];
	/** Everything, by the chain's names. */
	readonly members: readonly (readonly [name: string, value: unknown])[];
}

export function requestOf({ type, value }: TransactionFacts): Request {
	const members = Object.entries(value);
	const words = members.flatMap(([name, member]) => {
		const word = WORDS.get(name);
		return word === undefined ? [] : [[word, name, member] as const];
	});
	// Token units here; in other types `amount` is in sun.
	if (type === "TransferAssetContract") words.push([UNITS, "amount", value["amount"] ?? 0]);
	return { words, members };
}

// Words of a transaction that are possible keys of the mappings it changed.

/** The most words tried. */
const MAX_WORDS = 40;

/** The sender, and the words of the call and of its logs, 64 digits each. */
export function wordsOf(transaction: Json, info: Json): readonly string[] {
	const [contract = {}] = objectsOf(objectOf(transaction, "raw_data"), "contract");
	const value = objectOf(objectOf(contract, "parameter"), "value");
	const logs = objectsOf(info, "log");
	const words = [
		(ADDRESS_FORMS.read(textOf(value, "owner_address")) ?? "").padStart(64, "0"),
		...wordsIn(textOf(value, "data").slice(8)),
		...logs.flatMap((log) => textsOf(log, "topics").slice(1)),
		...logs.flatMap((log) => wordsIn(textOf(log, "data"))),
	];
	return [...new Set(words.filter((word) => /^[\da-f]{64}$/i.test(word)))].slice(0, MAX_WORDS);
}

function wordsIn(data: string): readonly string[] {
	return data.slice(0, MAX_WORDS * 64).match(/.{64}/g) ?? [];
}
